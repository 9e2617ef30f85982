"""One turn, measured step by step in this process."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median

from holdfast.config.settings import BadConfig
from holdfast.usecases.turns.send_message import UserMessage
from holdfast.vocab.events import Event, StepStarted, TurnEnded
from holdfast.wiring.settings import settings_at
from holdfast.wiring.turns import run_turn_at

_HERE = Path(__file__).parents[2]
_PAGE = os.sysconf("SC_PAGE_SIZE")
_WARM = 100
"""From this step on memory is compared: what is loaded once is loaded by then."""
EDGE = 20
"""As many steps at the beginning and at the end are compared."""


@dataclass(frozen=True, slots=True)
class Reading:
    """CPU seconds of this process and of its children that have ended, the time, and bytes in memory."""

    own: float
    children: float
    wall: float
    memory: int


@dataclass(frozen=True, slots=True)
class Case:
    """A turn to be measured: so many steps, on a store with so many messages, with a context of so many tokens."""

    name: str
    steps: int
    messages: int
    context: int


@dataclass(slots=True)
class Figures:
    """What came of a case: one reading at the start of each step, and one at the end of the turn."""

    case: Case
    readings: list[Reading] = field(default_factory=list)
    stop_reason: str = ""

    def own(self, steps: slice = slice(None)) -> float:
        """CPU milliseconds of ours for a step, in the median."""
        return 1000 * median(self._differences("own")[steps])

    def own_mean(self) -> float:
        """CPU milliseconds of ours for a step, on average."""
        spent = self._differences("own")
        return 1000 * sum(spent) / len(spent)

    def children(self) -> float:
        """CPU milliseconds of commands, git and search for a step, on average: most steps have none."""
        spent = self._differences("children")
        return 1000 * sum(spent) / len(spent)

    def wall(self) -> float:
        """Milliseconds for a step, in the median; the scripted server is in it."""
        return 1000 * median(self._differences("wall"))

    def ratio(self) -> float:
        """What the last steps cost, in terms of the first."""
        edge = self.edge()
        return self.own(slice(-edge, None)) / self.own(slice(None, edge))

    def edge(self) -> int:
        """How many steps are compared: a multiple of the four kinds of call."""
        return max(4, min(EDGE, (len(self.readings) - 1) // 8 * 4))

    def growth(self) -> float:
        """By how many MB the memory has grown since it was warm."""
        warm = min(_WARM, len(self.readings) // 2)
        return (self.readings[-1].memory - self.readings[warm].memory) / 1e6

    def _differences(self, name: str) -> list[float]:
        values = [getattr(reading, name) for reading in self.readings]
        return [after - before for before, after in pairwise(values)]


def measure(case: Case, root: Path) -> Figures:
    """Run the turn of a case on a project."""
    figures = Figures(case)

    def show(event: Event, _seq: int | None) -> None:
        if isinstance(event, StepStarted | TurnEnded):
            figures.readings.append(_read())

    with _server(case.steps) as url:
        # The last question is the one that ends the turn.
        flags: dict[str, str | int] = {"base_url": url, "model": "scripted", "approve": "auto"}
        flags |= {"max_steps": case.steps + 10, "context": case.context}
        settings = settings_at(root, flags)
        if isinstance(settings, BadConfig):
            raise SystemExit("\n".join(settings.problems))
        message = UserMessage("Raise every limit.")
        ended = run_turn_at(
            root, settings, message, show=show, say=_say, asker=None, cancel=threading.Event()
        )
    if not isinstance(ended, TurnEnded):
        raise SystemExit(ended.message)
    figures.stop_reason = ended.stop_reason
    return figures


def _read() -> Reading:
    ours, theirs = (
        resource.getrusage(resource.RUSAGE_SELF),
        resource.getrusage(resource.RUSAGE_CHILDREN),
    )
    return Reading(
        ours.ru_utime + ours.ru_stime,
        theirs.ru_utime + theirs.ru_stime,
        time.monotonic(),
        _memory(ours.ru_maxrss),
    )


def _memory(most: int) -> int:
    """Give the bytes in memory now; where the system does not say, the most there ever were."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE
    except OSError:
        return most if sys.platform == "darwin" else most * 1024


@contextmanager
def _server(steps: int) -> Iterator[str]:
    words: Sequence[str] = (sys.executable, "-m", "bench.loop.serve", str(steps))
    with subprocess.Popen(
        words, cwd=_HERE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()


def _say(words: str) -> None:
    sys.stderr.write(f"{words}\n")
