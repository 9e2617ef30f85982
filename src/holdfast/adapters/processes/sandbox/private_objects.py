"""The private object store of a confined agent, and the way of its objects to the repository."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECONDS = 600


class PrivateObjects:
    """The git objects that an agent has made in a folder of its own."""

    def __init__(self, store: str, common: str) -> None:
        """Set the folder, and the git directory of the repository that the objects belong to."""
        self._store = store
        self._common = common

    def bring_over(self) -> str:
        """Add the objects that the repository has not; return why that was not possible, or "".

        Git reads each object and computes its name anew, and refuses one that differs from an
        object of the same name: no file of the agent's gets into the repository.
        """
        if not os.path.isdir(self._store):
            return ""
        try:
            names = self._new_names()
            if not names:
                return ""
            pack = self._git(["pack-objects", "--stdout", "-q"], "\n".join(names).encode())
            self._git(["index-pack", "--stdin"], pack, private=False)
        except subprocess.CalledProcessError as error:
            said = error.stderr.decode("utf-8", "replace").strip()
            return f"the agent's new git objects could not be added to the repository: {said}"
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"the agent's new git objects could not be added to the repository: {error}"
        return ""

    def _new_names(self) -> Sequence[str]:
        """Return the names of the objects that are in the store and not in the repository."""
        listing = ["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"]
        own = self._git(listing, alternates=False)
        known = self._git(["cat-file", "--batch-check"], own, private=False).decode("ascii")
        missing = [line for line in known.splitlines() if line.endswith(" missing")]
        return [line.partition(" ")[0] for line in missing]

    def _git(
        self, words: list[str], given: bytes = b"", *, private: bool = True, alternates: bool = True
    ) -> bytes:
        """Run git on the repository; with `private` the store comes first."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        variables = {**kept, "LC_ALL": "C", "GIT_CONFIG_NOSYSTEM": "1"}
        if private:
            variables["GIT_OBJECT_DIRECTORY"] = self._store
        if private and alternates:
            objects = os.path.join(self._common, "objects")
            variables["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = objects
        command = ["git", "--git-dir", self._common, *words]
        done = subprocess.run(  # noqa: S603 - our own words
            command, input=given, env=variables, capture_output=True, check=True, timeout=_SECONDS
        )
        return done.stdout
