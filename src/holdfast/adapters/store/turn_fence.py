"""The fence of a turn: what a stopped turn would record is refused in the transaction itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select

from holdfast.adapters.store.tables import turns
from holdfast.vocab.cancellation import TurnStopped

if TYPE_CHECKING:
    from sqlalchemy import Connection

RUNNING = "running"
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
        _raise_if(self.stop(connection, _LOCKED_ROW))

    def check_generation(self, connection: Connection) -> None:
        """Raise `TurnStopped` if the turn was ended by another process."""
        row = connection.execute(_LOCKED_ROW, {"turn": self.turn}).mappings().one_or_none()
        if not self._is_ours(row):
            raise TurnStopped(_sentence(row))

    def stop(self, connection: Connection, query: Any = _ROW) -> str | None:
        """Return the sentence with which the turn has to stop, or None if it can go on."""
        row: Any = connection.execute(query, {"turn": self.turn}).mappings().one_or_none()
        if self._is_ours(row) and row["stop_asked_at"] is None:
            return None
        return _sentence(row)

    def _is_ours(self, row: Any) -> bool:
        if row is None:
            return False
        return bool(row["status"] == RUNNING and row["generation"] == self.generation)


def _raise_if(sentence: str | None) -> None:
    if sentence is not None:
        raise TurnStopped(sentence)


def _sentence(row: Any) -> str:
    if row is None or row["stop_message"] is None:
        return _ENDED_BY_OTHERS
    return str(row["stop_message"])
