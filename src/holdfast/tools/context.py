"""The ports, the policy and the memory that the tools of one turn share."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from holdfast.changes.ports import FileFound, FileLook, Files, FileUnfit
from holdfast.landing.encoding import decode
from holdfast.tools.changed_files import TreeMemory, mark_of
from holdfast.tools.ports import (
    ApprovalGate,
    Commands,
    Denied,
    Directories,
    EditGuard,
    Editor,
    FileObserver,
    GateAnswer,
    NoApprover,
    Observed,
    ReadGuard,
    Searcher,
    TurnCancelled,
)
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.tool_outcome import ToolOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from holdfast.guards.commands import CommandRules

_SLASHES = lazy_pattern("/{2,}")
_HERE = lazy_pattern(r"\A(?:\./)*(?:\.\Z)?")
PROTECTED_CURE = "; leave it to the user, or use a terminal or --approve auto"
"""What to do where nobody is there to allow the edit of a protected file."""
CANCELLED = "Not run: the user cancelled the turn."
PRIVATE = "it looks like a file with passwords or keys"


@dataclass(frozen=True, slots=True)
class ToolPolicy:
    """What the tools may do. `plan`: only tools that read. The gate decides the rest.

    `network`: commands that were approved reach the network. `unattended`: the gate approves every
    command without asking anybody, so more than that must not be asked of it. `weak_sandbox`: the
    user accepts that unattended commands run where the sandbox does not protect everything.
    """

    rules: CommandRules
    plan: bool = False
    timeout: int = 120
    longest_timeout: int = 600
    network: bool = False
    unattended: bool = False
    weak_sandbox: bool = False


@dataclass(frozen=True, slots=True)
class ToolPorts:
    """The world of the tools, below `root` (an absolute path).

    `covered` returns the files whose content in `files` differs from the disk: in review mode
    those with proposed changes.
    """

    root: str
    files: Files
    folders: Directories
    searcher: Searcher
    editor: Editor
    commands: Commands
    gate: ApprovalGate
    observer: FileObserver
    reads: ReadGuard
    edits: EditGuard
    covered: Callable[[], Collection[str]] = tuple


@dataclass(slots=True)
class ShownText:
    """The text of a file that the model saw last. `moved`: the model has edited the file since."""

    text: str
    moved: bool = False


@dataclass(slots=True)
class ShownFiles:
    """Shown texts, and refusals in a row; both by the real path of the file."""

    shown: dict[str, ShownText] = field(default_factory=dict)
    refusals: dict[str, int] = field(default_factory=dict)


class ToolContext:
    """The ports, the policy and the memory of one turn."""

    def __init__(self, ports: ToolPorts, policy: ToolPolicy) -> None:
        """Begin a turn."""
        self.ports = ports
        self.policy = policy
        self.memory = ShownFiles()
        self.tree = TreeMemory(self._mark_now)

    def plain(self, path: str) -> str:
        """Return a path of a model relative to the root.

        The path may be absolute and below the root, or begin with `./`; "" is the root itself.
        Several slashes in a row count as one.
        """
        path = _SLASHES.sub("/", path.strip())
        root = self.ports.root.rstrip("/") + "/"
        if f"{path}/".startswith(root):
            path = path[len(root) :]
        return _HERE.sub("", path)

    def is_secret(self, path: str, at: str) -> bool:
        """Return whether a file has secrets: by its name, its real path, or another name of it."""
        return self.ports.reads.is_secret(path, at)

    def ask_secret(self, path: str, at: str) -> ToolOutcome | None:
        """Ask for approval to read a file with secrets; `at` is its real path.

        Return the refusal, or None if the file may be read.
        """
        if not self.is_secret(path, at):
            return None
        answer = self.ports.gate.ask("read", path, PRIVATE)
        return refuse(answer, path)

    def covered(self) -> dict[str, str | None]:
        """Return the texts of files that differ from the disk; None for a deleted file."""
        texts: dict[str, str | None] = {}
        for path in self.ports.covered():
            texts[path] = None
            data = data_of(self.ports.files.look(path))
            if data is not None:
                texts[path] = decode(data).text

        return texts

    def before_command(self) -> Observed:
        """Record the state of the files before a command; return what changed unasked till then."""
        found = self.ports.observer.look("outside")
        if not self.tree.has_base:
            self.tree.base(found.digests)
        self.tree.refresh(found.digests)
        return found

    def after_command(self) -> Observed:
        """Record and return what the command has changed."""
        found = self.ports.observer.look("command")
        self.tree.refresh(found.digests)
        return found

    def digest(self) -> str:
        """Return a digest of the files as they are now."""
        if self.tree.unsure:
            self.before_command()
        return self.tree.digest()

    def _mark_now(self, path: str) -> str:
        looked = self.ports.files.look(path)
        return mark_of(data_of(looked))


def prefix_of(directory: str) -> str:
    """Return what the paths below a directory start with; "" for the root."""
    if not directory:
        return ""
    return f"{directory}/"


def data_of(looked: FileLook) -> bytes | None:
    """Return the content of a file; None if the file is missing or unfit."""
    if isinstance(looked, FileFound):
        return looked.data
    return None


def denied(message: str) -> ToolOutcome:
    """Return the outcome of a call that is not allowed."""
    return ToolOutcome(message, "permission_denied")


def failed(message: str) -> ToolOutcome:
    """Return the outcome of a call that failed."""
    return ToolOutcome(message, "exec_error")


def refuse_path(unfit: FileUnfit) -> ToolOutcome:
    """Return the outcome of a call with a path that cannot be used."""
    if unfit.reason == "out_of_bounds":
        return denied(unfit.message)
    return failed(unfit.message)


def refuse(answer: GateAnswer, subject: str, cure: str = "") -> ToolOutcome | None:
    """Return the outcome of a call that was not approved; None if it was approved."""
    match answer:
        case "yes":
            return None
        case Denied(message):
            return denied(message)
        case NoApprover():
            message = f"{subject}: this needs approval, and this session has no user to ask{cure}."
            return ToolOutcome(message, "permission_denied", unanswered=True)
        case TurnCancelled():
            return ToolOutcome(CANCELLED)
