"""Run git: its deadline, and the error of a failed run.

Paths are `str`: UTF-8, where bytes that are not UTF-8 become surrogates. `to_bytes` restores the
bytes exactly.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from holdfast.adapters.processes.git_environment import (
    NO_LOCKS,
    environment,
    options_of,
    variables_of,
)
from holdfast.checkpoints.ports import CheckpointFailed
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

PathValue: TypeAlias = str | os.PathLike[str]

# A name may be empty: `[filter ""]`, for `* filter=`.
_FILTER = lazy_pattern(r"filter\.(?P<name>.*)\.(?:clean|smudge|process|required)")
_SWITCHED_OFF = ("clean=", "smudge=", "process=", "required=false")
_MERGE_DRIVER = lazy_pattern(r"merge\..*\.driver")
# What git does by itself. Without a driver it would stop; with an empty one it would lose a side.
_PLAIN_MERGE = "git merge-file %A %O %B"
_OWN_SCOPES = frozenset({b"local", b"worktree"})

_OLDEST = "git 2.18"
"""The first version with all options used here; the newest of these is `status --ignored=…`."""
# The exit code of git for an unknown option.
_USAGE_ERROR = 129
_LOOK_AFTER = 3.0
"""Seconds after which git that has not ended is looked at."""
_PIPE_IN_THE_WAY = (
    "it waits for a named pipe that has the name of a file of git's, such as .gitignore; remove it "
    "(find . -type p) and try again."
)


class GitFailed(CheckpointFailed):
    """A run of git failed; `stderr` is what git printed there."""

    def __init__(self, arguments: Sequence[str], code: int, stderr: str) -> None:
        reason = stderr.strip() or f"it ended with {code}"
        super().__init__(f"git {arguments[0]} failed: {reason}")
        self.code = code
        self.stderr = stderr


def ignores_case(worktree: Path) -> bool:
    """Return whether the file system of a worktree takes names in another case for the same."""
    try:
        return (worktree / ".GIT").samefile(worktree / ".git")
    except OSError:
        return False


def case_setting(worktree: Path) -> str:
    """Return the setting of git that says so; the user's may come from another file system.

    With a wrong one git takes a file that was renamed to another case for its old name.
    """
    return f"core.ignoreCase={str(ignores_case(worktree)).lower()}"


@dataclass(frozen=True, slots=True)
class Git:
    """Git in one directory.

    `lock` is a descriptor that git inherits: the lock stays taken until git has ended too.
    `settings` are passed to every run, besides `SETTINGS`. `project` is the folder whose programs
    are not run, where it is not the directory.
    """

    directory: Path
    variables: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    lock: int | None = None
    deadline: float | None = None
    settings: tuple[str, ...] = ()
    project: Path | None = None

    def with_variables(self, **variables: PathValue) -> Git:
        """Return a copy that also sets these variables; `index_file` sets GIT_INDEX_FILE."""
        added = {f"GIT_{name.upper()}": os.fspath(value) for name, value in variables.items()}
        return replace(self, variables={**self.variables, **added})

    def without_filters(self) -> Git:
        """Return a copy that runs no filter or merge driver of the repository's own settings."""
        return replace(self, settings=(*self.settings, *self.filter_settings()))

    def filter_settings(self) -> tuple[str, ...]:
        """Return settings that switch off the programs which the repository itself defines."""
        return disabling_settings(self.own_settings())

    def own_programs(self) -> dict[str, str]:
        """Return what the repository's own settings say of filters and merge drivers, by name."""
        return {name: value for name, value in self.own_settings().items() if _is_program(name)}

    def own_settings(self) -> dict[str, str]:
        """Return the repository's own settings, by name."""
        try:
            listed = self.run("config", "--list", "--includes", "-z", "--show-scope")
        except GitFailed:
            # An old git, or a broken config: then git fails by itself.
            return {}

        fields = listed.split(b"\0")
        settings: dict[str, str] = {}
        for scope, entry in zip(fields[::2], fields[1::2], strict=False):
            if scope in _OWN_SCOPES:
                name, _, value = to_text(entry).partition("\n")
                settings[name] = value

        return settings

    def run(self, *arguments: str, stdin: bytes = b"", ok_codes: Sequence[int] = (0,)) -> bytes:
        """Run git and return its output; raise `GitFailed` for an exit code not in `ok_codes`."""
        return self.start(*arguments, stdin=stdin).finish(ok_codes)

    def read_line(self, *arguments: str, stdin: bytes = b"") -> str:
        """Run git and return the one line that it prints."""
        return self.run(*arguments, stdin=stdin).decode("ascii").strip()

    def start(self, *arguments: str, stdin: bytes = b"") -> GitProcess:
        """Start git and return without waiting for it."""
        inherited = () if self.lock is None else (self.lock,)
        try:
            child = subprocess.Popen(  # noqa: S603 - a list of words, no shell
                ["git", *self._options(), *arguments],  # noqa: S607 - git as the user's PATH finds it
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.directory,
                env=environment(
                    {**variables_of(self.settings), **self.variables},
                    self.project or self.directory,
                ),
                pass_fds=inherited,
            )
        except FileNotFoundError as error:
            if error.filename != "git":
                raise CheckpointFailed(f"{self.directory}: this directory is gone.") from error
            raise CheckpointFailed(
                "git is not installed, and checkpoints need it; install git."
            ) from error

        return GitProcess(arguments, child, stdin, self.deadline)

    def _options(self) -> list[str]:
        words = options_of(self.settings)
        if self.variables.get("GIT_OPTIONAL_LOCKS") == "1":
            # The option would win over the variable.
            words.remove(NO_LOCKS)
        return words


class GitProcess:
    """A run of git under way."""

    def __init__(
        self,
        arguments: Sequence[str],
        child: subprocess.Popen[bytes],
        stdin: bytes,
        deadline: float | None,
    ) -> None:
        """Wrap a child process that has not been sent its input yet."""
        self._arguments = arguments
        self._child = child
        self._stdin = stdin
        self._deadline = deadline
        self._output: tuple[bytes, bytes] | None = None
        self._stuck = False
        self._reader: threading.Thread | None = None

    def in_background(self) -> GitProcess:
        """Read the output in a thread, so that git never waits for a reader; return self."""
        self._reader = threading.Thread(target=self._communicate, daemon=True)
        self._reader.start()
        return self

    def finish(self, ok_codes: Sequence[int] = (0,)) -> bytes:
        """Wait for the end of git and return its output."""
        if self._reader is None:
            self._communicate()
        else:
            self._reader.join()

        if self._output is None and self._stuck:
            raise GitFailed(self._arguments, self._child.returncode, _PIPE_IN_THE_WAY)
        if self._output is None:
            raise CheckpointFailed(
                f"git {self._arguments[0]} took longer than a checkpoint may; ignore what need not "
                "be kept, and try again."
            )

        stdout, stderr = self._output
        if self._child.returncode not in ok_codes:
            decoded = stderr.decode("utf-8", "replace")
            raise _failure(self._arguments, self._child.returncode, decoded)

        return stdout

    @property
    def stderr(self) -> str:
        """What git printed to standard error; empty before `finish`."""
        if self._output is None:
            return ""
        return to_text(self._output[1])

    def _communicate(self) -> None:
        stdin: bytes | None = self._stdin
        while True:
            try:
                self._output = self._child.communicate(stdin, timeout=self._patience())
            except subprocess.TimeoutExpired:
                # A second call must not have the input again.
                stdin = None
            else:
                return

            self._stuck = _opens_pipe(self._child.pid)
            if self._stuck or self._is_late():
                self._child.kill()
                self._child.communicate()
                return

    def _patience(self) -> float:
        """Return for how long to wait before git is looked at."""
        if self._deadline is None:
            return _LOOK_AFTER
        return min(_LOOK_AFTER, max(0.0, self._deadline - time.monotonic()))

    def _is_late(self) -> bool:
        return self._deadline is not None and time.monotonic() >= self._deadline


def _opens_pipe(pid: int) -> bool:
    """Return whether a process waits for another one to open a named pipe.

    Git waits for that for ever if a pipe has the name of one of its files, such as `.gitignore`.
    """
    try:
        return Path(f"/proc/{pid}/wchan").read_text() == "wait_for_partner"
    except OSError:
        return False


def _failure(arguments: Sequence[str], code: int, stderr: str) -> GitFailed:
    if code != _USAGE_ERROR:
        return GitFailed(arguments, code, stderr)
    first_line = stderr.strip().partition("\n")[0]
    cure = f"this git is too old: checkpoints need {_OLDEST} or later; install it"
    return GitFailed(arguments, code, f"{first_line} ({cure}).")


def disabling_settings(own: Iterable[str]) -> tuple[str, ...]:
    """Return settings that switch off the filters and merge drivers among a repository's own."""
    named = tuple(own)
    settings: list[str] = []
    for name in filter_names(named):
        settings += [f"filter.{name}.{key}" for key in _SWITCHED_OFF]

    drivers = filter(_MERGE_DRIVER.fullmatch, named)
    settings += [f"{name}={_PLAIN_MERGE}" for name in drivers]
    return tuple(settings)


def _is_program(name: str) -> bool:
    return bool(_FILTER.fullmatch(name) or _MERGE_DRIVER.fullmatch(name))


def filter_names(settings: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the filters that settings are about, each once."""
    found = filter(None, map(_FILTER.fullmatch, settings))
    return tuple(dict.fromkeys(each["name"] for each in found))


def to_bytes(path: str) -> bytes:
    """Return the bytes of a path."""
    return path.encode("utf-8", "surrogateescape")


def to_text(data: bytes) -> str:
    """Return the path with these bytes."""
    return data.decode("utf-8", "surrogateescape")


def split_names(data: bytes) -> tuple[str, ...]:
    """Return the names in NUL-terminated data."""
    return tuple(to_text(name) for name in data.split(b"\0") if name)


def join_names(paths: Sequence[str]) -> bytes:
    """Return the names as NUL-terminated data."""
    return b"".join(to_bytes(path) + b"\0" for path in paths)


def check_ignore(git: Git, paths: Sequence[str]) -> frozenset[str]:
    """Return those of the paths that the ignore rules match, tracked or not."""
    if not paths:
        return frozenset()
    # With "./" before each: git would read a name such as `:(top)x` as a pattern.
    stdin = join_names([f"./{path}" for path in paths])
    output = git.run("check-ignore", "--no-index", "-z", "--stdin", stdin=stdin, ok_codes=(0, 1))
    return frozenset(name[2:] for name in split_names(output))
