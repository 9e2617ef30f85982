"""Stop turns, in whatever process they run, and wait until they have ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.vocab.events import TurnEnded
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.usecases.sessions.ports import RunningTurn, RunningTurns, StopScope

PATIENCE = 10.0
"""Seconds that a turn has to end by itself, before its processes are ended."""
_AFTER_KILL = 5.0
"""Seconds that a turn has to end after its processes, or its owner, got a signal."""


@dataclass(frozen=True, slots=True)
class TurnsStopped:
    """Nothing of the scope runs any more: these turns were stopped, these processes ended."""

    turns: tuple[RunningTurn, ...] = ()
    processes: tuple[int, ...] = ()

    @property
    def any(self) -> bool:
        """Whether something was running."""
        return bool(self.turns or self.processes)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was stopped, a sentence each."""
        notes = [f"stopped turn {turn.id} of session {turn.session}." for turn in self.turns]
        if self.processes:
            numbers = ", ".join(str(pid) for pid in self.processes)
            notes.append(f"ended processes that turns had started: {numbers}.")
        return tuple(notes)

    def followed_by(self, later: TurnsStopped) -> TurnsStopped:
        """Return what was stopped by this and by a later stop."""
        return TurnsStopped(self.turns + later.turns, self.processes + later.processes)


@dataclass(frozen=True, slots=True)
class StopRefused:
    """A turn still runs; it is not asked to stop any more. `message` says where, and the cure."""

    message: str


def stop_turns(
    scope: StopScope, sentence: str, turns: RunningTurns, patience: float = PATIENCE
) -> TurnsStopped | StopRefused:
    """Ask the turns of a scope to stop, wait for their end, and end what they have started.

    A turn that does not end in `patience` seconds loses its processes first, then its owner.
    """
    at_work = turns.at_work(scope)
    for turn in at_work:
        if turn.around_us:
            return StopRefused(
                f"this command was started by turn {turn.id} of session {turn.session}, which "
                "would have to stop first; run this command outside of the turn."
            )

    if at_work:
        turns.ask_to_stop(at_work, sentence)
        left = _wait_and_end(at_work, turns, patience)
        if left:
            turns.withdraw(left)
            return StopRefused(_refusal(left[0], patience))

    processes = turns.end_processes(at_work)
    ended = TurnEnded("cancelled", sentence, 0, 0, 0, ended_by="stop")
    for turn in at_work:
        turns.end(turn, ended)

    return TurnsStopped(at_work, processes)


def _wait_and_end(
    at_work: Sequence[RunningTurn], turns: RunningTurns, patience: float
) -> tuple[RunningTurn, ...]:
    """Wait for the end of turns, and end their processes and owners if need be.

    Return the turns that run all the same.
    """
    left = turns.wait(at_work, patience)
    if not left:
        return ()

    turns.end_processes(left)
    left = turns.wait(left, _AFTER_KILL)
    for turn in left:
        turns.end_owner(turn)

    return turns.wait(left, _AFTER_KILL)


def _refusal(turn: RunningTurn, patience: float) -> str:
    what = f"turn {turn.id} of session {turn.session} has not stopped in {patience:g} seconds"
    if turn.owner is None:
        return f"{what}; end the `holdfast run` that runs it, and run this again. No file changed."

    owner = turn.owner
    return (
        f"{what}: process {owner.pid} on {owner.host} runs it; end that process there "
        f"(kill {owner.pid}), and run this again. No file was changed."
    )
