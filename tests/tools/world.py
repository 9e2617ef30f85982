"""A root with files, and a toolbox over the real adapters and the real use cases; only the log is in memory."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from holdfast.adapters.filesystem.disk_files import DiskFiles
from holdfast.adapters.processes.commands import OsCommands
from holdfast.adapters.processes.sandbox.probe import SandboxChoice, open_sandbox
from holdfast.adapters.project.directories import DiskDirectories
from holdfast.adapters.project.edit_guard import DiskEditGuard
from holdfast.adapters.project.read_guard import DiskReadGuard
from holdfast.adapters.project.search import DiskSearcher
from holdfast.adapters.project.secret_files import find_secret_files
from holdfast.adapters.project.worktree_digest import DiskWorktreeDigests
from holdfast.changes.change import NO_OWNER
from holdfast.changes.ports import Files
from holdfast.guards.commands import CommandRules
from holdfast.tools.context import ToolPolicy, ToolPorts
from holdfast.tools.digest_observer import DigestObserver
from holdfast.tools.ports import GateAnswer
from holdfast.tools.prompt.tool_profiles import UNKNOWN
from holdfast.tools.toolbox import ToolboxOf
from holdfast.usecases.turns.turn_editor import ReviewedFiles, TurnEditor
from holdfast.vocab.approvals import ApprovalSubject
from holdfast.vocab.sandbox import SandboxStatus
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.tool_outcome import ToolOutcome
from holdfast.wiring.workspaces import DiskWorkspace
from tests.changes.memory_log import MemoryLog


@dataclass
class Somebody:
    """Answers every question the same, or one by one, and remembers what was asked (port `Gate`)."""

    answer: GateAnswer = "yes"
    asked: list[tuple[str, str]] = field(default_factory=list)
    reads: GateAnswer | None = None
    whys: list[str] = field(default_factory=list)

    def ask(
        self, what: ApprovalSubject, subject: str, why: str, *, in_auto: bool = False
    ) -> GateAnswer:
        self.asked.append((what, subject))
        self.whys.append(why)
        return self.reads if what == "read" and self.reads is not None else self.answer


class World:
    """The toolbox, the root, and shorthands for both."""

    def __init__(
        self,
        root: Path,
        toolbox: ToolboxOf,
        gate: Somebody,
        workspace: DiskWorkspace,
        sandbox: SandboxStatus,
    ) -> None:
        self.root = root
        self.toolbox = toolbox
        self.gate = gate
        self.workspace = workspace
        self.sandbox = sandbox
        self.cancel = threading.Event()

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def read(self, name: str) -> str:
        return (self.root / name).read_bytes().decode()

    def files(self) -> dict[str, bytes]:
        found = (
            path for path in self.root.rglob("*") if path.is_file() and ".git" not in path.parts
        )
        return {str(path.relative_to(self.root)): path.read_bytes() for path in found}

    def call(self, name: str, **arguments: Any) -> ToolOutcome:
        return self.toolbox.run(ToolCall("1", name, arguments), self.cancel)

    def told(self, name: str, **arguments: Any) -> str:
        """Call, which must not fail."""
        outcome = self.call(name, **arguments)
        assert outcome.failure is None, outcome
        return outcome.text

    def refused(self, name: str, failure: str, **arguments: Any) -> str:
        """Call, which must fail in this way, and change nothing."""
        before = self.files()
        outcome = self.call(name, **arguments)
        assert outcome.failure == failure, outcome
        assert self.files() == before
        assert outcome.modified == ()
        return outcome.text

    def error(self, name: str, failure: str = "exec_error", **arguments: Any) -> dict[str, Any]:
        """Call, which must fail with JSON."""
        read: dict[str, Any] = json.loads(self.refused(name, failure, **arguments))
        return read


@contextmanager
def open_world(
    place: Path,
    *,
    names: Sequence[str] | None = None,
    plan: bool = False,
    review: bool = False,
    rules: CommandRules | None = None,
    gate: Somebody | None = None,
    sandbox: SandboxChoice = "auto",
    unattended: bool = False,
) -> Iterator[World]:
    root = place / "root"
    root.mkdir(exist_ok=True)
    gate = gate or Somebody()
    confined = open_sandbox(sandbox, root, place / "state", find_secrets=find_secret_files)
    with DiskWorkspace(DiskFiles(str(root)), place / "state") as workspace:
        workspace._log = log = MemoryLog()
        files: Files = ReviewedFiles(workspace) if review else workspace.files

        def covered() -> list[str]:
            return [path for change in log.list(state="proposed") for path in change.paths]

        ports = ToolPorts(
            str(root),
            files,
            DiskDirectories(str(root)),
            DiskSearcher(str(root)),
            TurnEditor(workspace, NO_OWNER, review=review),
            OsCommands(str(root), confined),
            gate,
            DigestObserver(DiskWorktreeDigests(str(root))),
            DiskReadGuard(str(root)),
            DiskEditGuard(str(root)),
            covered,
        )
        toolbox = ToolboxOf(
            names or UNKNOWN.tools(),
            ports,
            ToolPolicy(rules or CommandRules(), plan=plan, unattended=unattended),
        )
        yield World(root, toolbox, gate, workspace, confined.status)
