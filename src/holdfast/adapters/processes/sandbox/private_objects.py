"""The private object store of a confined agent, and the way of its objects to the repository."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.processes.git_environment import environment, options_of
from holdfast.adapters.processes.git_links import why_unwritable
from holdfast.adapters.processes.sandbox.git_places import git_places

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECONDS = 600
_NOT_ADDED = "the agent's new git objects could not be added to the repository"


class PrivateObjects:
    """The git objects that an agent has made in a folder of its own."""

    def __init__(self, store: str, root: str, common: str) -> None:
        """Set the folder, the worktree of the agent, and the git directory of its repository."""
        self._store = store
        self._root = Path(root)
        self._common = common

    def bring_over(self) -> str:
        """Move the objects to the repository; return why that was not possible, or "".

        Git reads each object and computes its name anew, and refuses one that differs from an
        object of the same name: no file of the agent's gets into the repository. An agent may work
        meanwhile.
        """
        try:
            # Before the objects are listed: what is written later than that stays.
            files = _object_files(self._store)
            if not files:
                return ""
            problem = why_unwritable(self._root, Path(self._common))
            if problem:
                return f"{_NOT_ADDED}: {problem}"
            names = self._new_names()
            if names:
                listed = "\n".join(names).encode()
                objects = os.path.join(self._common, "objects")
                words = ("pack-objects", "--stdout", "-q")
                pack = self._run_git(*words, stdin=listed, store=self._store, alternates=objects)
                self._run_git("index-pack", "--stdin", stdin=pack)
            _remove_files(self._store, files)
        except subprocess.CalledProcessError as error:
            said = error.stderr.decode("utf-8", "replace").strip()
            return f"{_NOT_ADDED}: {said}"
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{_NOT_ADDED}: {error}"

        return ""

    def _new_names(self) -> Sequence[str]:
        """Return the names of the objects that are in the store and not in the repository."""
        listing = ("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
        own = self._run_git(*listing, store=self._store)
        known = self._run_git("cat-file", "--batch-check", stdin=own).decode("ascii")
        missing = [line for line in known.splitlines() if line.endswith(" missing")]
        return [line.partition(" ")[0] for line in missing]

    def _run_git(
        self, *words: str, stdin: bytes = b"", store: str = "", alternates: str = ""
    ) -> bytes:
        """Run git on the repository, or on the objects of a store and those of `alternates`."""
        variables = {"GIT_DIR": self._common}
        if store:
            variables["GIT_OBJECT_DIRECTORY"] = store
        if alternates:
            variables["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = alternates

        done = subprocess.run(  # noqa: S603 - our own words
            ["git", *options_of(), *words],  # noqa: S607 - git as the user's PATH finds it
            input=stdin,
            env=environment(variables, self._root),
            capture_output=True,
            check=True,
            timeout=_SECONDS,
        )
        return done.stdout


def private_store(state: str, root: str) -> str:
    """Return the folder for the objects of agents that work in a root."""
    key = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:16]
    return os.path.join(os.path.realpath(state), "agents", key, "objects")


def bring_left_objects_over(root: str, state: str) -> str:
    """Move the objects that a killed Holdfast has left to the repository of a linked worktree.

    Return why that was not possible, or "".
    """
    store = private_store(state, root)
    if not os.path.isdir(store):
        return ""

    places = git_places(root)
    if places is None or places.directory == places.common:
        return ""

    return PrivateObjects(store, root, places.common).bring_over()


def _object_files(store: str) -> set[str]:
    """Return the files of a store that are complete, as paths in it."""
    found = set()
    for folder, _, names in os.walk(store):
        for name in names:
            if not name.startswith("tmp_"):
                found.add(os.path.relpath(os.path.join(folder, name), store))

    # The index of a pack is written last; without it git does not see the pack.
    return {path for path in found if not _is_pack(path) or f"{_stem(path)}.idx" in found}


def _is_pack(path: str) -> bool:
    return os.path.basename(path).startswith("pack-")


def _stem(path: str) -> str:
    return path.partition(".")[0]


def _remove_files(store: str, files: set[str]) -> None:
    """Remove files of a store; a folder that is a link by now is not followed."""
    for folder, _, names, descriptor in os.fwalk(store):
        for name in names:
            if os.path.relpath(os.path.join(folder, name), store) in files:
                os.unlink(name, dir_fd=descriptor)
