"""The port to the running turns, in this process or another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.events import TurnEnded


@dataclass(frozen=True, slots=True)
class TurnOwner:
    """The process that runs a turn. `started` is its start time, as its system counts it.

    Numbers of processes are used again; with the start time they name one process for good.
    """

    host: str
    pid: int
    started: str

    def __str__(self) -> str:
        """Return the owner as the store has it."""
        return f"{self.host} {self.pid} {self.started}"

    @classmethod
    def parse(cls, text: str | None) -> TurnOwner | None:
        """Return the owner that `text` names, or None if it names none."""
        if text is None:
            return None
        match text.split(" ", 2):
            case [host, process, started] if process.isdecimal():
                return cls(host, int(process), started)
        return None


@dataclass(frozen=True, slots=True)
class RunningTurn:
    """A turn that a process runs; `owner` is None if an older Holdfast began the turn.

    `around_us`: a command of the turn has started this process.
    """

    id: str
    session: str
    owner: TurnOwner | None = None
    around_us: bool = False


@dataclass(frozen=True, slots=True)
class StopScope:
    """Which turns to stop: those of a session, and with `worktree` all that work on its files."""

    session: str | None
    worktree: bool = False


class RunningTurns(Protocol):
    """The turns of the store.

    Each call that reads or writes the store is one transaction, and raises `ConversationFailed` if
    it cannot be made.
    """

    def find_sessions(self, wanted: str) -> tuple[str, ...]:
        """Return the sessions of the project whose ids start with a prefix, at most two."""

    def at_work(self, scope: StopScope) -> tuple[RunningTurn, ...]:
        """Return the turns that a process runs now; not those whose process has died."""

    def ask_to_stop(self, turns: Sequence[RunningTurn], sentence: str) -> None:
        """Record that the turns are to end with this sentence. Whoever runs them will see that.

        A process that is stopped while it writes keeps the store: it cannot be asked, and nothing
        is recorded; it is to be ended like one that does not react.
        """

    def withdraw(self, turns: Sequence[RunningTurn]) -> None:
        """Record that the turns need not stop any more."""

    def wait(self, turns: Sequence[RunningTurn], seconds: float) -> tuple[RunningTurn, ...]:
        """Wait until no process runs the turns any more; return those that one runs after that."""

    def end(self, turn: RunningTurn, ended: TurnEnded) -> bool:
        """End a turn that is on record as running, though no process runs it; publish `ended`.

        Return False, and do nothing, if the turn has recorded its own end.
        """

    def end_processes(self, turns: Sequence[RunningTurn]) -> tuple[int, ...]:
        """End the processes that were started by these turns; return their numbers."""

    def end_left_processes(self, scope: StopScope) -> tuple[int, ...]:
        """End the processes that turns have left behind; return their numbers.

        They are the external agents of the session, which remember its conversation, and with
        `worktree` all that was started by turns that ever worked on its files.
        """

    def end_owner(self, turn: RunningTurn) -> None:
        """End the process that runs a turn.

        Do nothing if it is not on this machine, is this process, or runs other turns too.
        """
