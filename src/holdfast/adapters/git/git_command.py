"""How git is called: which environment, which settings, how long, and what a failure says.

Paths are `str` inside: UTF-8, and bytes that are not are surrogates. `raw` gives the bytes back exactly.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from holdfast.checkpoints.ports import CheckpointFailed

Path_: TypeAlias = str | os.PathLike[str]

# Nothing of the user's may run (hooks, a file system monitor, gc), prompt (gpg) or split what we write.
SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "core.splitIndex=false",
    "commit.gpgSign=false",
    # A sparse index cannot hold what lies outside the cone; a warning about line ends must not be an error; and a file
    # that was captured once must be looked at the next time.
    "index.sparse=false",
    "core.safecrlf=false",
    "core.ignoreStat=false",
)
_OPTIONS = tuple(word for setting in SETTINGS for word in ("-c", setting))
_OURS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "Holdfast",
    "GIT_AUTHOR_EMAIL": "holdfast@localhost",
    "GIT_COMMITTER_NAME": "Holdfast",
    "GIT_COMMITTER_EMAIL": "holdfast@localhost",
}

OLDEST = "git 2.18"
"""The first one that knows all the options used here: the youngest of them is `config --type`."""
# What git ends with when it does not know an option.
_USAGE = 129


class GitFailed(CheckpointFailed):
    """A call of git failed; `told` is what it said."""

    def __init__(self, words: Sequence[str], code: int, told: str) -> None:
        super().__init__(f"git {words[0]} failed: {told.strip() or f'it ended with {code}'}")
        self.code = code
        self.told = told


@dataclass(frozen=True, slots=True)
class Git:
    """A git that works at one place. `lock` is a descriptor that its children inherit, and so hold the lock too."""

    place: Path
    variables: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    lock: int | None = None
    deadline: float | None = None

    def having(self, **variables: Path_) -> Git:
        """Give one with these variables of git set besides."""
        added = {f"GIT_{name.upper()}": os.fspath(value) for name, value in variables.items()}
        return replace(self, variables={**self.variables, **added})

    def run(self, *words: str, given: bytes = b"", fine: Sequence[int] = (0,)) -> bytes:
        """Call git and give what it printed; raises `GitFailed` if it ends with a code that is not fine."""
        return self.start(*words, given=given).finish(fine)

    def line(self, *words: str, given: bytes = b"") -> str:
        """Call git and give the one line it printed."""
        return self.run(*words, given=given).decode("ascii").strip()

    def start(self, *words: str, given: bytes = b"") -> Running:
        """Call git and do not wait for it."""
        try:
            child = subprocess.Popen(  # noqa: S603 - a list of words, no shell
                ["git", *_OPTIONS, *words],  # noqa: S607 - the user's git, as the user would find it
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=self.place,
                env=environment(self.variables),
                pass_fds=() if self.lock is None else (self.lock,),
            )
        except FileNotFoundError as error:
            if error.filename != "git":
                raise CheckpointFailed(f"{self.place}: this directory is gone.") from error
            raise CheckpointFailed(
                "git is not installed, and checkpoints are made with it; install git."
            ) from error
        return Running(words, child, given, self.deadline)


class Running:
    """A call of git under way; what it prints is read at once, so that it never waits for a reader."""

    def __init__(
        self,
        words: Sequence[str],
        child: subprocess.Popen[bytes],
        given: bytes,
        deadline: float | None,
    ) -> None:
        """Begin to read."""
        self._words = words
        self._child = child
        self._given = given
        self._deadline = deadline
        self._read: tuple[bytes, bytes] | None = None
        self._reader: threading.Thread | None = None

    def in_background(self) -> Running:
        """Read in a thread, while something else goes on."""
        self._reader = threading.Thread(target=self._communicate, daemon=True)
        self._reader.start()
        return self

    def finish(self, fine: Sequence[int] = (0,)) -> bytes:
        """Wait for the end and give what was printed."""
        if self._reader is None:
            self._communicate()
        else:
            self._reader.join()
        if self._read is None:
            raise CheckpointFailed(
                f"git {self._words[0]} took longer than a checkpoint may; ignore what need not be kept, and try again."
            )
        out, err = self._read
        if self._child.returncode not in fine:
            raise _failure(self._words, self._child.returncode, err.decode("utf-8", "replace"))
        return out

    @property
    def told(self) -> str:
        """What it said besides; to be asked for after `finish`."""
        return text(self._read[1]) if self._read else ""

    def _communicate(self) -> None:
        left = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
        try:
            self._read = self._child.communicate(self._given, timeout=left)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.communicate()


def packing(git: Git) -> Git:
    """Give one that writes the content of many files into one pack: what is larger than a byte counts as large."""
    settings = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.bigFileThreshold",
        "GIT_CONFIG_VALUE_0": "1",
    }
    # Without these it gives its memory back after every file, and asks for it again; half of the time goes there.
    memory = {"MALLOC_TOP_PAD_": str(16 << 20), "MALLOC_TRIM_THRESHOLD_": str(256 << 20)}
    return replace(git, variables={**git.variables, **settings, **memory})


def version(git: Git) -> tuple[int, int]:
    """Say which git this is; (0, 0) if it does not say so."""
    told = re.search(rb"(\d+)\.(\d+)", git.run("version"))
    return (int(told[1]), int(told[2])) if told else (0, 0)


def _failure(words: Sequence[str], code: int, told: str) -> GitFailed:
    if code != _USAGE:
        return GitFailed(words, code, told)
    known = told.strip().partition("\n")[0]
    return GitFailed(
        words,
        code,
        f"{known} (this git is too old: checkpoints need {OLDEST} or later; install it).",
    )


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Give the environment without the caller's `GIT_*`: an inherited GIT_DIR would lead to another repository.

    Git speaks English, for what it says is read here; filters still have the user's character set.
    """
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    everything = inherited.pop("LC_ALL", None)
    if everything:
        inherited["LC_CTYPE"] = everything
    return {**inherited, "LC_MESSAGES": "C", "LANGUAGE": "C", **_OURS, **variables}


def raw(path: str) -> bytes:
    """Give a path's bytes."""
    return path.encode("utf-8", "surrogateescape")


def text(data: bytes) -> str:
    """Give a path of these bytes."""
    return data.decode("utf-8", "surrogateescape")


def names(data: bytes) -> tuple[str, ...]:
    """Read names that are ended by NUL."""
    return tuple(text(name) for name in data.split(b"\0") if name)


def lines(paths: Sequence[str]) -> bytes:
    """Write names that are ended by NUL."""
    return b"".join(raw(path) + b"\0" for path in paths)
