"""What is measured: an engine answers a case."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bench.landing.cases import Case
from holdfast import Landed, land


@dataclass(frozen=True, slots=True)
class Answer:
    """What an engine made of one case; `text` is None where it refused, `error` tells of an exception or a hang."""

    text: str | None
    ms: float
    error: str | None = None


class Engine(Protocol):
    """Something that lands edits. `answer` gives None where the engine does not know the edit's format."""

    @property
    def name(self) -> str: ...
    def answer(self, case: Case) -> Answer | None: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Holdfast:
    """Our engine. With `gate` it is given the path, so that it knows the language: comments, names, the syntax gate."""

    gate: bool

    @property
    def name(self) -> str:
        """The name in the tables."""
        return "holdfast, gate on" if self.gate else "holdfast, no path"

    def answer(self, case: Case) -> Answer:
        """Land in process; an exception is an answer, for it must be counted."""
        path = case.file_name if self.gate else None
        return timed(lambda: _landed_text(case, path))

    def close(self) -> None:
        """Hold nothing."""


def timed(apply: Callable[[], str | None]) -> Answer:
    """Call and clock; whatever rises becomes an answer with an error."""
    start = time.perf_counter()
    try:
        text = apply()
    except Exception as error:
        return Answer(None, _ms_since(start), f"{type(error).__name__}: {error}"[:200])
    return Answer(text, _ms_since(start))


def _landed_text(case: Case, path: str | None) -> str | None:
    outcome = land(case.before, case.edit, path)
    return outcome.text if isinstance(outcome, Landed) else None


def _ms_since(start: float) -> float:
    return (time.perf_counter() - start) * 1000
