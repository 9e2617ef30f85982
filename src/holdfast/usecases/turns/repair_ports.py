"""What the repair after a turn needs, and where it takes place: before the turn's end is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.vocab.events import TurnEnded

if TYPE_CHECKING:
    from holdfast.changes.change import ChangeOwner
    from holdfast.guards.commands import CommandVerdict
    from holdfast.loop.ports import Model, Sink
    from holdfast.repair.ports import Check
    from holdfast.repair.strictness import RepairPolicy
    from holdfast.tools.ports import ApprovalGate
    from holdfast.usecases.repair.repair_files import RepairDependencies
    from holdfast.usecases.workspace import Workspace
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import Event


@dataclass(frozen=True, slots=True)
class ProjectCheck:
    """How a project checks a file. `command` has to be allowed first; None: nothing of the project's own is run.

    `with_files` gives the same check of a project in which some files hold something else (None: are not there).
    `scope` names what one run is about, if that is more than the file. The `last` is run when the others are done.
    """

    check: Check
    with_files: Callable[[Mapping[str, bytes | None]], Check]
    command: str | None = None
    scope: str | None = None
    last: bool = False


@dataclass(frozen=True, slots=True)
class TurnRepairs:
    """What the repair after a turn needs.

    `find` gives the checks that the project has for a file; raises ValueError if what is set cannot be read. `judge`
    says whether a command may run. `crew` brings together whoever takes part, and the tests if there are any; raises
    OSError.
    """

    find: Callable[[str, Cancel], tuple[ProjectCheck, ...]]
    judge: Callable[[str], CommandVerdict]
    crew: Callable[[Model, Cancel, Check | None], RepairDependencies]
    now: Callable[[], float]
    policy: RepairPolicy
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EditedTurn:
    """The turn whose edits are looked at."""

    owner: ChangeOwner
    model: Model
    gate: ApprovalGate
    workspace: Workspace
    cancel: Cancel


class RepairingSink:
    """Hands on what happens in a turn (port `Sink`), and has the repair go before its end."""

    def __init__(self, sink: Sink, turn: EditedTurn, repairs: TurnRepairs) -> None:
        """Hand on to this sink."""
        self._sink, self._turn, self._repairs = sink, turn, repairs
        self.ended: TurnEnded | None = None

    def emit(self, event: Event) -> None:
        """Take one fact."""
        if isinstance(event, TurnEnded):
            event = self.ended = self._repair(event)
        self._sink.emit(event)

    def _repair(self, ended: TurnEnded) -> TurnEnded:
        if ended.stop_reason != "done" or not ended.files or self._turn.cancel.is_set():
            return ended
        from holdfast.usecases.turns.repair_after_turn import repair_turn  # noqa: PLC0415 - turns that change no file do without

        return repair_turn(ended, self._turn, self._repairs, self._sink.emit)
