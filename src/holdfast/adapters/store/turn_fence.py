"""The fence of a turn: what a stopped turn would record is refused in the transaction itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select

from holdfast.adapters.store.tables import turns
from holdfast.vocab.cancellation import TurnStopped
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.engine.interfaces import DBAPICursor

RUNNING = "running"
LOOK = "SELECT status, generation, stop_asked_at, stop_message FROM turns WHERE id = ?"
"""The query for the row that `TurnFence.stop` judges."""
_ENDED_BY_OTHERS = "Stopped: another command has ended this turn."
_ROW = select(
    turns.c.status, turns.c.generation, turns.c.stop_asked_at, turns.c.stop_message
).where(turns.c.id == bindparam("turn"))
# Until the transaction ends nobody can ask the turn to stop. NO KEY: rows that only refer to the
# turn may be added. A transaction that locks a turn does so before it locks the project.
_LOCKED_ROW = _ROW.with_for_update(key_share=True)


@dataclass(frozen=True, slots=True)
class TurnFence:
    """The turn on whose behalf a store is used, and the generation that it began with."""

    turn: str
    generation: int = 0

    def check(self, connection: Connection) -> None:
        """Raise `TurnStopped` if the turn is asked to stop, or was ended by another process."""
        row = connection.execute(_LOCKED_ROW, {"turn": self.turn}).one_or_none()
        sentence = self.stop(row)
        if sentence is not None:
            raise TurnStopped(sentence)

    def check_in_sqlite(self, cursor: DBAPICursor) -> None:
        """Do as `check`, on a cursor of SQLite's driver: every step of a turn comes here."""
        cursor.execute(LOOK, (self.turn,))
        row = cursor.fetchone()
        sentence = self.stop(row)
        if sentence is not None:
            raise TurnStopped(sentence)

    def check_generation(self, connection: Connection) -> None:
        """Raise `TurnStopped` if the turn was ended by another process."""
        row = connection.execute(_LOCKED_ROW, {"turn": self.turn}).one_or_none()
        sentence = self.stop(row, if_asked=False)
        if sentence is not None:
            raise TurnStopped(sentence)

    def stop(self, row: Any, *, if_asked: bool = True) -> str | None:
        """Return the sentence with which the turn has to stop, or None if it can go on.

        With `if_asked` off, a turn that is asked to stop can go on until another process ends it.
        """
        if row is None:
            return _ENDED_BY_OTHERS

        status, generation, asked_at, message = row
        sentence: str = message or _ENDED_BY_OTHERS
        if (status, generation) != (RUNNING, self.generation):
            return sentence
        if if_asked and asked_at is not None:
            return sentence

        return None
