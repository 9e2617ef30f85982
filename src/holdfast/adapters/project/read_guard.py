"""What commands that run unasked would find in a project: programs, secrets, contents in git."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import environment, options_of
from holdfast.adapters.project.project_files import git
from holdfast.adapters.project.secret_files import find_secret_files
from holdfast.guards.secrets import is_secret, values_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.guards.shell.read_command import GitContent

_SECONDS = 5.0
"""How long the history is searched for names of secrets before git is asked for."""
_LARGEST_SECRET = 100_000
_FILTER = re.compile(rb"filter\.(?P<name>.+)\.(?:clean|smudge|process|required)")
_OWN_SCOPES = frozenset({b"local", b"worktree"})


class DiskReadGuard:
    """The project at a root (port `ReadGuard`)."""

    def __init__(self, root: str) -> None:
        """Look at nothing yet."""
        self._root = os.path.realpath(root)
        self._histories: dict[bytes, str | None] = {}

    def program(self, name: str) -> str | None:
        """Return the path of a program on the PATH, without the directories of the project."""
        path = [each for each in os.get_exec_path() if each.startswith("/")]
        outside = [each for each in path if not self._has(each)]
        found = shutil.which(name, path=os.pathsep.join(outside))
        if found is None or self._has(found):
            return None
        return found

    def _has(self, path: str) -> bool:
        real = os.path.realpath(path)
        return real == self._root or real.startswith(f"{self._root}/")

    def why_not_files(self) -> str | None:
        """Return why the files with secrets cannot all be masked, or None if they can."""
        if find_secret_files(self._root).whole:
            return None
        return "the project has too many files to find those with secrets in time"

    def secret_values(self) -> tuple[str, ...]:
        """Return the values in files with secrets, the longest first."""
        values: set[str] = set()
        for path in find_secret_files(self._root).paths:
            try:
                with Path(path).open("rb") as file:
                    text = file.read(_LARGEST_SECRET).decode("utf-8", "replace")
            except OSError:
                # Removed meanwhile, or not readable for a command either.
                continue
            values |= values_in(text)
        return tuple(sorted(values, key=len, reverse=True))

    def why_not_git(self, content: GitContent) -> str | None:
        """Return why git that prints this content needs approval, or None."""
        top = git(self._root, "rev-parse", "--show-toplevel")
        if top is None:
            # There is no repository, so nothing can be printed of one.
            return None
        if os.path.realpath(os.fsdecode(top.removesuffix(b"\n"))) != self._root:
            return "the repository has files outside the project"
        if content == "none":
            return None
        return self._why_not_present() or (
            self._why_not_history() if content == "history" else None
        )

    def _why_not_present(self) -> str | None:
        for words in (("ls-files", "-z"), ("ls-tree", "-r", "-z", "--name-only", "HEAD")):
            listed = git(self._root, *words) or b""
            why = _why_not_names(listed.split(b"\0"))
            if why:
                return why
        return None

    def _why_not_history(self) -> str | None:
        """Search the names of all objects that a reference or a reflog reaches."""
        state = git(self._root, "for-each-ref", "--format=%(objectname)") or b""
        state += git(self._root, "rev-parse", "--verify", "--quiet", "HEAD") or b""
        if state not in self._histories:
            self._histories[state] = self._search_history()
        return self._histories[state]

    def _search_history(self) -> str | None:
        words = ("rev-list", "--objects", "--all", "--reflog", "--missing=allow-any")
        with subprocess.Popen(  # noqa: S603 - a list of words, no shell
            ["git", *options_of(), *words],  # noqa: S607 - the user's git, as the user would find it
            cwd=self._root,
            env=environment({}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as child:
            timer = threading.Timer(_SECONDS, child.kill)
            timer.start()
            try:
                lines = (line.rstrip(b"\n").partition(b" ")[2] for line in child.stdout or ())
                why = _why_not_names(lines)
            finally:
                timer.cancel()
                child.kill()
        if why is None and child.returncode != 0:
            return "the history is too long to search it for files with secrets in time"
        return why

    def git_settings(self) -> tuple[str, ...]:
        """Return settings that switch off the filters which the repository itself defines."""
        listed = git(self._root, "config", "--list", "--name-only", "-z", "--show-scope")
        if listed is None:
            # An old git, or a broken config: then git fails by itself.
            return ()
        fields = listed.split(b"\0")
        settings: dict[str, None] = {}
        for scope, name in zip(fields[::2], fields[1::2], strict=False):
            found = _FILTER.fullmatch(name)
            if found is None or scope not in _OWN_SCOPES:
                continue
            driver = os.fsdecode(found["name"])
            for key in ("clean=", "smudge=", "process=", "required=false"):
                settings[f"filter.{driver}.{key}"] = None
        return tuple(settings)


def _why_not_names(names: Iterable[bytes]) -> str | None:
    """Return why git may print a secret, if one of the names is that of a file with secrets."""
    for name in names:
        path = os.fsdecode(name)
        if is_secret(path):
            return f"git may print {path}, which may hold secrets"
    return None
