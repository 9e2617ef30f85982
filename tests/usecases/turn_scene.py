"""A turn on record in a store of its own; its worktree is in memory, its files are real."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from holdfast.adapters.filesystem.command_grants import DiskGrants
from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.adapters.project.worktree_digest import DiskWorktreeDigests
from holdfast.adapters.store.sessions.approvals import StoredApprovals
from holdfast.adapters.store.store import Store
from holdfast.adapters.store.turn_log import StoredTurnLog
from holdfast.loop.limits import LoopLimits
from holdfast.testing.memory_edit_guard import MemoryEditGuard
from holdfast.usecases.turns.recorded_turn import NotSent, TurnContext
from holdfast.usecases.turns.send_message import TurnDependencies, UserMessage, send
from holdfast.usecases.workspace import Workspace
from holdfast.vocab.events import Event, TurnEnded
from holdfast.wiring.places import find_place
from tests.loop.playing import ScriptedModel, ScriptedTools
from tests.usecases.memory_worktrees import MemoryWorktrees


class TurnScene:
    """What a turn needs, and what came of it."""

    def __init__(self, store: Store, root: Path, state: Path, workspace: Workspace) -> None:
        locks = TurnLocks(state)
        place = find_place(root)
        self.root = root
        self.worktrees = MemoryWorktrees()
        self.cancel = threading.Event()
        self.events: list[Event] = []
        self.notes: list[str] = []
        self.log = StoredTurnLog(store, place, locks)
        self.context = TurnContext(
            workspace=workspace,
            worktrees=self.worktrees.port(),
            digests=DiskWorktreeDigests(str(root)),
            edits=MemoryEditGuard(),
            is_cache=lambda _: False,
            records=self.log,
            questions=StoredApprovals(lambda: store, place, locks),
            grants=DiskGrants(state, "here"),
            asker=None,
            mode="ask",
            now=lambda: 0.0,
        )
        self.bound: list[tuple[Any, ...]] = []

    def show(self, event: Event, _: int | None) -> None:
        self.events.append(event)

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def send(
        self,
        model: ScriptedModel,
        message: UserMessage | None = None,
        tools: ScriptedTools | None = None,
        **changed: Any,
    ) -> TurnEnded | NotSent:
        """Send a message to a model; `changed` replaces parts of the context or the dependencies."""
        toolbox = tools or ScriptedTools()

        def bind(*parts: Any) -> ScriptedTools:
            self.bound.append(parts)
            return toolbox

        repairs = changed.pop("repairs", None)
        system = changed.pop("system", "You are a coding agent.")
        context = replace(self.context, **changed)
        dependencies = TurnDependencies(
            context, model, bind, system, "tools", LoopLimits(), repairs
        )
        return send(
            message or UserMessage("Go."), dependencies, self.show, self.notes.append, self.cancel
        )


Act = Callable[[], object]
