"""What the tools of one turn work with, and what they remember of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from holdfast.changes.ports import FileFound, Files
from holdfast.guards.commands import CommandRules
from holdfast.guards.secrets import is_secret
from holdfast.tools.changed_files import TreeMemory, mark_of
from holdfast.tools.ports import (
    ApprovalGate,
    Commands,
    Denied,
    Directories,
    Editor,
    GateAnswer,
    NobodyToAsk,
    Searcher,
    WorktreeDigests,
)
from holdfast.vocab.tool_outcome import ToolOutcome

_SLASHES = re.compile("/{2,}")


PRIVATE = "it looks like a file with passwords or keys"


@dataclass(frozen=True, slots=True)
class ToolPolicy:
    """What may be done. `plan`: only tools that read. The gate says the rest."""

    rules: CommandRules
    plan: bool = False
    timeout: int = 120
    longest_timeout: int = 600


@dataclass(frozen=True, slots=True)
class ToolPorts:
    """The world, as the tools see it, below `root` (an absolute path).

    `covered` names files that `files` sees other than the disk has them: in review mode those with proposed changes.
    """

    root: str
    files: Files
    folders: Directories
    searcher: Searcher
    editor: Editor
    commands: Commands
    gate: ApprovalGate
    trees: WorktreeDigests
    covered: Callable[[], Collection[str]] = tuple


@dataclass(slots=True)
class ShownText:
    """A file's text as the model was last shown it. `moved`: it has edited the file since, and knows about that."""

    text: str
    moved: bool = False


@dataclass(slots=True)
class ShownFiles:
    """What a turn remembers: texts as they were shown, and refusals in a row; both by the real path of the file."""

    shown: dict[str, ShownText] = field(default_factory=dict)
    refusals: dict[str, int] = field(default_factory=dict)


class ToolContext:
    """The world, the policy and the memory of one turn."""

    def __init__(self, ports: ToolPorts, policy: ToolPolicy) -> None:
        """Begin a turn."""
        self.ports = ports
        self.policy = policy
        self.memory = ShownFiles()
        self.tree = TreeMemory(self._mark_now)

    def plain(self, path: str) -> str:
        """Give a path as a model means it, from the root downwards: it may have named the root, or a directory so."""
        path = path.strip()
        root = self.ports.root.rstrip("/")
        if path == root or path.startswith(f"{root}/"):
            path = path[len(root) + 1 :]
        path = _SLASHES.sub("/", path) if path.startswith("//") else path
        while path.startswith("./"):
            path = path[2:].lstrip("/")
        return "" if path in {".", "./"} else path

    def ask_secret(self, path: str, at: str) -> ToolOutcome | None:
        """Ask before a file with secrets is read; None if it holds none, or may be. `at` is its real path."""
        if not is_secret(path) and not is_secret(at):
            return None
        return refuse(self.ports.gate.ask("read", path, PRIVATE), path)

    def covered(self) -> dict[str, str | None]:
        """Give the texts of the files that are not as on the disk; None for those that are gone."""
        from holdfast.landing.encoding import decode  # noqa: PLC0415 - most turns have none

        texts: dict[str, str | None] = {}
        for path in self.ports.covered():
            looked = self.ports.files.look(path)
            texts[path] = decode(looked.data).text if isinstance(looked, FileFound) else None
        return texts

    def before_command(self) -> None:
        """Look at the files before the first command."""
        if not self.tree.has_base:
            self.tree.base(self.ports.trees.look())

    def after_command(self) -> None:
        """Look what the command has changed."""
        self.tree.refresh(self.ports.trees.look())

    def digest(self) -> str:
        """Give a digest of the files as they are now."""
        if self.tree.unsure:
            self.after_command()
        return self.tree.digest()

    def _mark_now(self, path: str) -> str:
        looked = self.ports.files.look(path)
        return mark_of(looked.data if isinstance(looked, FileFound) else None)


def denied(message: str) -> ToolOutcome:
    """Give the outcome of a call that may not be."""
    return ToolOutcome(message, "permission_denied")


def failed(message: str) -> ToolOutcome:
    """Give the outcome of a call that came to nothing."""
    return ToolOutcome(message, "exec_error")


def refuse(answer: GateAnswer, subject: str) -> ToolOutcome | None:
    """Give the outcome of a call that was not allowed; None if it was."""
    match answer:
        case "yes":
            return None
        case Denied(message):
            return denied(message)
        case NobodyToAsk():
            message = f"{subject}: this needs somebody's approval, and nobody is there to give it."
            return ToolOutcome(message, "permission_denied", unanswered=True)
