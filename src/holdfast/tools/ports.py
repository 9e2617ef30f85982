"""Ports of the tools. A use case implements `Editor` and `ApprovalGate`; adapters the rest."""

from __future__ import annotations

from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from holdfast.changes.ports import FileUnfit
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from holdfast.changes.change import RequestedEdits
    from holdfast.changes.plan import ChangePlan, FileLanded, FileRefused
    from holdfast.guards.shell.read_command import GitContent
    from holdfast.vocab.approvals import ApprovalSubject
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import Event
    from holdfast.vocab.sandbox import GitAccess, SandboxLevel, SandboxStatus


# -------------------------------------------------------------------------------------------- edits


@dataclass(frozen=True, slots=True)
class LandedEdits:
    """Every request landed. `proposed`: the change waits for review and is not on the disk.

    `events` were published when the change was recorded.
    """

    files: tuple[FileLanded, ...]
    change_id: str | None = None
    proposed: bool = False
    events: tuple[Event, ...] = ()


class Editor(Protocol):
    """The one way to change a file: all requests land, or none."""

    def land(
        self, asked: RequestedEdits, plan: ChangePlan
    ) -> LandedEdits | tuple[FileRefused, ...]:
        """Record and write what the requests make of the files.

        Refuse it if a file has changed since the plan.

        May raise OSError and `changes.change_log.LogUnavailable`.
        """


# ------------------------------------------------------------------------------------------ reading


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """One name in a directory; `size` is the size of a regular file."""

    name: str
    kind: Literal["file", "directory", "link", "other"]
    size: int = 0


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory with its entries.

    `at` is its real path below the root ("" for the root); `more`: not all entries are listed.
    """

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
    """No file or directory exists at `at`."""

    at: str


PathLook: TypeAlias = Directory | Regular | NothingThere | FileUnfit


@dataclass(frozen=True, slots=True)
class FileNames:
    """Sorted paths of files below the root; `more`: there are too many files to list."""

    paths: tuple[str, ...]
    more: bool = False


class Directories(Protocol):
    """The directories below one root. May raise OSError.

    A symlink that leads out of the root is refused. `names` follows no symlink.
    """

    def place(self, path: str) -> PathLook:
        """Return what exists at a path; "" is the root."""

    def names(self, under: str) -> FileNames:
        """Return all files below a directory, without caches and files that git ignores."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search for a regular expression (`literal`: plain text) in the lines below `under`.

    `instead` maps files to texts that replace those on the disk; None for deleted files.
    """

    pattern: str
    literal: bool = False
    under: str = ""
    glob: str | None = None
    instead: Mapping[str, str | None] | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One matching line."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Hits:
    """The first matches, by path and line.

    `more`: there are other matches. `late`: the time was up before all files were read.
    """

    hits: tuple[Hit, ...]
    more: bool = False
    late: bool = False


class Searcher(Protocol):
    """Search in the files below one root. May raise OSError."""

    def find(self, query: Query, cancel: Cancel) -> Hits:
        """Return the matching lines, without ignored files and files with secrets."""


# ----------------------------------------------------------------------------------------- commands


@dataclass(frozen=True, slots=True)
class CommandDone:
    """The result of a command.

    `exit_code` is None if a signal ended the command; then `signal` is its name. `output` is both
    streams, without the middle if it is long. `left`: background processes were left and ended.
    `blocked` is a sentence about what the sandbox forbade, for the model and the person; "" if
    nothing is known to be forbidden.
    """

    exit_code: int | None
    output: str
    timed_out: bool = False
    cancelled: bool = False
    signal: str | None = None
    left: bool = False
    blocked: str = ""


class Commands(Protocol):
    """Execution of programs. `run` always returns, and leaves no process running."""

    @property
    def sandbox(self) -> SandboxStatus:
        """What enforces the levels on this machine."""

    def run(
        self,
        argv: Sequence[str],
        level: SandboxLevel,
        *,
        cwd: str,
        timeout: float,
        cancel: Cancel,
        network: bool = False,
        git: GitAccess = "read",
    ) -> CommandDone:
        """Run a program for at most `timeout` seconds.

        The exit code is 126 or 127 if the program cannot be run. Where no sandbox enforces a level,
        the program runs as in `full`: the caller asks before. `network` opens the network in
        `write`, and `git` says what the program may do there with the git directory.
        """


class ReadGuard(Protocol):
    """What commands that only read would find in this project. May raise OSError."""

    def program(self, name: str) -> str | None:
        """Return the path of a program that is not one of the project's own, or None."""

    def why_not_files(self) -> str | None:
        """Return why the files with secrets cannot all be masked, or None if they can."""

    def is_secret(self, path: str, at: str) -> bool:
        """Return whether a file has secrets: by its name, its real path, or another name of it."""

    def secret_values(self, *, git: bool = False) -> tuple[str, ...] | None:
        """Return the values that files with secrets have or had at an earlier call, longest first.

        With `git` also those in versions of such files that git has; None if not all were found.
        """

    def why_not_git(self, content: GitContent, operands: Sequence[str] = ()) -> str | None:
        """Return why git that prints this content of these operands needs approval, or None."""

    def git_settings(self) -> tuple[str, ...]:
        """Return settings of git that switch off the programs that only this repository names."""


class EditGuard(Protocol):
    """What edits of this project change that git runs. May raise OSError."""

    def why_protected(self, paths: Collection[str]) -> Mapping[str, str]:
        """Return why an edit of all these files needs approval, by path; others are not in it."""


# ------------------------------------------------------------------------------------------- policy


@dataclass(frozen=True, slots=True)
class Denied:
    """The request was denied; `message` is for the model."""

    message: str


@dataclass(frozen=True, slots=True)
class NoApprover:
    """Approval is needed, and the session has no user to ask."""


@dataclass(frozen=True, slots=True)
class TurnCancelled:
    """The turn was cancelled before anybody answered. That is no refusal."""


GateAnswer: TypeAlias = Literal["yes"] | Denied | NoApprover | TurnCancelled


class ApprovalGate(Protocol):
    """The policy and the user who approve or deny an action."""

    def ask(
        self, what: ApprovalSubject, subject: str, why: str, *, in_auto: bool = False
    ) -> GateAnswer:
        """Return the decision; block until it is made. `subject` is the path or the command.

        `in_auto`: a person decides in the mode `auto` too.
        """


# --------------------------------------------------------------------------------------------- tree

Author: TypeAlias = Literal["command", "agent", "outside"]
"""Who changed a file behind the tools: a command, or the agent, of the turn; or another program."""


@dataclass(frozen=True, slots=True)
class FileDigests:
    """A mark of the content of each listed file.

    `whole`: a file that is not listed does not exist. Otherwise it is unchanged. `origins` has the
    marks that listed files had before, where those are known.
    """

    marks: Mapping[str, str]
    whole: bool
    origins: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


class WorktreeDigests(Protocol):
    """Digests of the files that commands may have changed. May raise OSError."""

    def look(self) -> FileDigests:
        """Return marks of the relevant files that may have changed.

        The number of files and the time are bounded.
        """

    def mark(self, path: str) -> str:
        """Return the mark of one file."""


@dataclass(frozen=True, slots=True)
class Observed:
    """The files that changed behind the tools since the last look, and the published events."""

    digests: FileDigests
    files: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()


class FileObserver(Protocol):
    """Finds and records what changes behind the tools of one turn.

    May raise OSError and `changes.change_log.LogUnavailable`.
    """

    def look(self, by: Author) -> Observed:
        """Return what has changed since the last look, and record it as changed by `by`."""
