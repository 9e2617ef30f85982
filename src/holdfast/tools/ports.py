"""What tools need of the world. A use case fulfils `Editor` and `ApprovalGate`; adapters fulfil the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from holdfast.changes.ports import FileUnfit
from holdfast.vocab.cancellation import Cancel

if TYPE_CHECKING:
    from holdfast.changes.plan import FileLanded, FileRefused
    from holdfast.vocab.requests import FileRequest


# -------------------------------------------------------------------------------------------------------------- edits


@dataclass(frozen=True, slots=True)
class LandedEdits:
    """Every request landed. `proposed` says that the change waits for review and is not on the disk."""

    files: tuple[FileLanded, ...]
    change_id: str | None = None
    proposed: bool = False


class Editor(Protocol):
    """The one way to change a file: all requests land, or none."""

    def land(
        self, requests: Sequence[FileRequest], *, overwrite: bool
    ) -> LandedEdits | tuple[FileRefused, ...]:
        """Land and record the requests; `overwrite` lets a create write a file anew that is there.

        May raise OSError and `changes.log.LogUnavailable`.
        """
        ...


# ------------------------------------------------------------------------------------------------------------ reading


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """One name in a directory; `size` is that of a regular file."""

    name: str
    kind: Literal["file", "directory", "link", "other"]
    size: int = 0


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory, `at` its real path below the root ("" for the root); `more` says that not all is listed."""

    at: str
    entries: tuple[DirectoryEntry, ...]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Regular:
    """A regular file and its size; `at` is its real path below the root."""

    at: str
    size: int


@dataclass(frozen=True, slots=True)
class NothingThere:
    """There is nothing at `at`."""

    at: str


PathLook: TypeAlias = Directory | Regular | NothingThere | FileUnfit


@dataclass(frozen=True, slots=True)
class FileNames:
    """Files, as paths below the root, sorted; `more` says that there are too many to list."""

    paths: tuple[str, ...]
    more: bool = False


class Directories(Protocol):
    """The directories below one root. No symlink leads out, and none is followed while walking. May raise OSError."""

    def place(self, path: str) -> PathLook:
        """Say what is at a path that a model named; "" is the root."""
        ...

    def names(self, under: str) -> FileNames:
        """List all files that matter below a directory: what git ignores, and caches, do not."""
        ...


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for: a regular expression (or, `literal`, plain text) in the lines of `paths`, or of all files.

    `instead` are files whose text is not the one on the disk; None for those that count as gone.
    """

    pattern: str
    literal: bool = False
    under: str = ""
    glob: str | None = None
    instead: Mapping[str, str | None] | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One line that matches."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Hits:
    """The first matches, by path and line. `more`: there are others; `late`: the time was up before all was read."""

    hits: tuple[Hit, ...]
    more: bool = False
    late: bool = False


class Searcher(Protocol):
    """Looks through the files below one root. May raise OSError."""

    def find(self, query: Query, cancel: Cancel) -> Hits:
        """Give the lines that match, of files that matter and hold no secrets."""
        ...


# ----------------------------------------------------------------------------------------------------------- commands


@dataclass(frozen=True, slots=True)
class CommandDone:
    """How a command ended. `exit_code` is None if it did not end by itself; `signal` names what ended it then.

    `output` is both streams, with the middle left out if it is long. `left` says that it had left processes behind,
    which were ended.
    """

    exit_code: int | None
    output: str
    timed_out: bool = False
    cancelled: bool = False
    signal: str | None = None
    left: bool = False


class Commands(Protocol):
    """Runs programs. Whatever a program does, this returns, and nothing of it goes on."""

    def run(self, argv: Sequence[str], cwd: str, timeout: float, cancel: Cancel) -> CommandDone:
        """Run a program to its end, for at most `timeout` seconds; if it cannot be run, the exit code is 126 or 127."""
        ...


# ------------------------------------------------------------------------------------------------------------- policy


@dataclass(frozen=True, slots=True)
class Denied:
    """Somebody said no; `message` is what the model is told."""

    message: str


@dataclass(frozen=True, slots=True)
class NobodyToAsk:
    """Somebody has to be asked, and nobody is there."""


GateAnswer: TypeAlias = Literal["yes"] | Denied | NobodyToAsk


class ApprovalGate(Protocol):
    """Whoever says whether something may be done."""

    def ask(self, what: Literal["edit", "command", "read"], subject: str, why: str) -> GateAnswer:
        """Ask; waits for the answer. `subject` is the path or the command."""
        ...


# --------------------------------------------------------------------------------------------------------------- tree


@dataclass(frozen=True, slots=True)
class FileDigests:
    """For each listed file a mark of what it holds. `whole`: what is not listed is not there; else it is unchanged."""

    marks: Mapping[str, str]
    whole: bool


class WorktreeDigests(Protocol):
    """The files that commands may have changed. May raise OSError."""

    def look(self) -> FileDigests:
        """Give a mark of each file that matters and may differ from what it was; bounded in number and in time."""
        ...
