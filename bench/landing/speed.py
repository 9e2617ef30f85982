"""How the time grows: one generated file of 100,000 lines, needles of 5, 50 and 500 lines.

Times are CPU times, and each is given as a ratio to `text.split("\\n")` of the same file measured beside it, so that a
slower or busier machine gives the same figures.
"""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any, Final, Literal, TypeAlias

from rich.console import Console
from rich.table import Table

from bench.landing import words
from bench.landing.cases import Case
from bench.landing.engines import Answer, Engine
from bench.landing.judge import judge
from holdfast import Landed, Patch, Refused, Replace, land
from holdfast.vocab.outcomes import Outcome

Mode: TypeAlias = Literal["exact", "typos", "absent"]
MODES: Final[tuple[Mode, ...]] = ("exact", "typos", "absent")
SIZES: Final = (5, 50, 500)
LINES: Final = 100_000
TENTH: Final = 10_000
RATIO_LIMIT: Final[dict[str, float]] = {
    "exact": 3.0,
    "typos": 20.0,
    "absent": 40.0,
    "equal": 60.0,
    "hunks": 400.0,
}
GROWTH_LIMIT: Final = 12.0
IMPORT_LIMIT_MS: Final = 120.0
PEER_LIMIT_SECONDS: Final = 60.0

_REPEATS: Final = 9
_IMPORTS: Final = 9
_ADDED: Final = "    ctx.trace(state)"


@dataclass(frozen=True, slots=True)
class Probe:
    """One needle's figures. `ratio` is to splitting the file; `growth` is from a tenth of the lines to all of them."""

    mode: str
    size: int
    ms: float
    ratio: float
    growth: float
    right: bool

    @property
    def kept(self) -> bool:
        """Whether every limit holds."""
        return self.right and self.ratio <= RATIO_LIMIT[self.mode] and self.growth <= GROWTH_LIMIT


def measure_speed(console: Console) -> tuple[list[Probe], float]:
    """All probes, and what `import holdfast` costs in milliseconds of CPU over bare Python."""
    with console.status("measuring"):
        timed = [(large, _timing(large, small)) for large, small in _pairs()]
        # One yardstick for all: a single split swings by half with the state of the allocator.
        split_ms = statistics.median(ms for _, timing in timed for ms in timing.splitting)
        probes = [_probe(case, timing, split_ms) for case, timing in timed]
        return [*probes, _equal_probe(), _hunks_probe()], import_cost_ms()


def print_speed(console: Console, probes: list[Probe], import_ms: float) -> None:
    """The figures beside their limits."""
    table = Table(title=f'speed: {LINES:,} lines, × text.split("\\n")')
    for heading in (
        "needle",
        "lines",
        "ms",
        "ratio",
        "limit",
        f"growth from {TENTH:,}",
        "limit",
        "right",
        "",
    ):
        table.add_column(heading, justify="left" if heading == "needle" else "right")
    for probe in probes:
        table.add_row(
            probe.mode,
            str(probe.size),
            f"{probe.ms:.1f}",
            f"{probe.ratio:.2f}",
            f"{RATIO_LIMIT[probe.mode]:.0f}",
            f"{probe.growth:.1f}",
            f"{GROWTH_LIMIT:.0f}",
            "yes" if probe.right else "[bold red]no[/bold red]",
            "ok" if probe.kept else "[bold red]over[/bold red]",
        )
    console.print(table)
    verdict = "ok" if import_ms <= IMPORT_LIMIT_MS else "[bold red]over[/bold red]"
    console.print(
        f"import holdfast: {import_ms:.0f} ms CPU over bare Python (limit {IMPORT_LIMIT_MS:.0f} ms): {verdict}"
    )


def speed_is_kept(probes: list[Probe], import_ms: float) -> bool:
    """Whether every limit holds."""
    return all(probe.kept for probe in probes) and import_ms <= IMPORT_LIMIT_MS


def speed_json(probes: list[Probe], import_ms: float) -> dict[str, Any]:
    """The figures as plain data."""
    return {
        "probes": [{**asdict(probe), "kept": probe.kept} for probe in probes],
        "import_ms": import_ms,
    }


def measure_peers(engines: Sequence[Engine], console: Console) -> dict[str, dict[str, str]]:
    """For each engine and needle, milliseconds and verdict. After a needle without answer the longer are left out."""
    figures: dict[str, dict[str, str]] = {}
    for engine in engines:
        with console.status(f"measuring {engine.name}"):
            figures[engine.name] = dict(_peer_figures(engine))
    return figures


def print_peers(console: Console, figures: dict[str, dict[str, str]]) -> None:
    """One line an engine."""
    table = Table(
        title=f"speed of peers: {LINES:,} lines, ms", caption="l landed, r refused, c corrupted"
    )
    table.add_column("engine")
    for mode in MODES:
        for size in SIZES:
            table.add_column(f"{mode} {size}", justify="right")
    for engine, own in figures.items():
        table.add_row(engine, *(own[f"{mode}-{size}"] for mode in MODES for size in SIZES))
    console.print(table)


@lru_cache(maxsize=4)
def big_file(lines: int, seed: int = 1) -> tuple[str, ...]:
    """Functions of one shape, with names and numbers of their own."""
    rng = Random(seed)
    made: list[str] = []
    while len(made) < lines:
        made += _function(rng, len(made) // 10)
    return tuple(made[:lines])


def speed_case(lines: Sequence[str], mode: Mode, size: int) -> Case:
    """A needle of `size` lines at about three quarters of the file, into which one line is inserted."""
    start = _start(len(lines))
    block = lines[start : start + size]
    old = _needle(block, mode)
    at = min(3, size - 1)
    before = "\n".join(lines) + "\n"
    after = "\n".join([*lines[: start + at], _ADDED, *lines[start + at :]]) + "\n"
    edit = Replace("\n".join(old) + "\n", "\n".join([*old[:at], _ADDED, *old[at:]]) + "\n")
    return Case(
        id=f"{mode}-{size}",
        lang="python",
        kind=mode,
        polarity="refuse" if mode == "absent" else "land",
        file_name="big.py",
        before=before,
        edit=edit,
        expected=() if mode == "absent" else (after,),
    )


def import_cost_ms() -> float:
    """CPU milliseconds that `import holdfast` takes over starting Python, in processes of their own."""
    _child_cpu_ms("import holdfast")  # writes the byte code
    pairs = [(_child_cpu_ms("import holdfast"), _child_cpu_ms("pass")) for _ in range(_IMPORTS)]
    return statistics.median(full for full, _ in pairs) - statistics.median(
        bare for _, bare in pairs
    )


@dataclass(frozen=True, slots=True)
class _Timing:
    """CPU milliseconds, taken in turn so that all see the same machine."""

    landing: list[float]
    landing_small: list[float]
    splitting: list[float]


def _pairs() -> Iterator[tuple[Case, Case]]:
    """Each case on the large file and on one of a tenth."""
    for mode in MODES:
        for size in SIZES:
            yield speed_case(big_file(LINES), mode, size), speed_case(big_file(TENTH), mode, size)


def _peer_figures(engine: Engine) -> Iterator[tuple[str, str]]:
    for mode in MODES:
        over = False
        for size in SIZES:
            case = speed_case(big_file(LINES), mode, size)
            answer = None if over else engine.answer(case) or engine.answer(_as_patch(case, size))
            over = over or (answer is not None and answer.error is not None)
            yield case.id, _figure(case, answer)


def _figure(case: Case, answer: Answer | None) -> str:
    if answer is None or answer.error is not None:
        return f"> {PEER_LIMIT_SECONDS:.0f} s"
    verdict = judge(case, answer.text)
    short = (
        "l" if verdict == "landed" else "r" if verdict in ("refused_ok", "wrongly_refused") else "c"
    )
    return f"{answer.ms:.0f} ({short})"


def _as_patch(case: Case, size: int) -> Case:
    """The same edit as a unified diff with the right numbers."""
    assert isinstance(case.edit, Replace)
    old = case.edit.old.removesuffix("\n").split("\n")
    at = min(3, size - 1)
    start = _start(LINES) + 1
    body = [*(" " + line for line in old[:at]), "+" + _ADDED, *(" " + line for line in old[at:])]
    header = f"@@ -{start},{size} +{start},{size + 1} @@"
    diff = "\n".join([f"--- a/{case.file_name}", f"+++ b/{case.file_name}", header, *body]) + "\n"
    return replace(case, edit=Patch(diff))


def _timing(large: Case, small: Case) -> _Timing:
    timing = _Timing([], [], [])
    land(large.before, large.edit, large.file_name)
    for _ in range(_REPEATS):
        timing.splitting.append(_cpu_ms(lambda: large.before.split("\n")))
        timing.landing.append(_cpu_ms(lambda: land(large.before, large.edit, large.file_name)))
        timing.landing_small.append(
            _cpu_ms(lambda: land(small.before, small.edit, small.file_name))
        )
    return timing


def _probe(case: Case, timing: _Timing, split_ms: float) -> Probe:
    mode, size = case.id.split("-")
    outcome = land(case.before, case.edit, case.file_name)
    verdict = judge(case, outcome.text if isinstance(outcome, Landed) else None)
    ms = statistics.median(timing.landing)
    return Probe(
        mode=mode,
        size=int(size),
        ms=ms,
        ratio=ms / split_ms,
        # The fastest of each: the median of a few milliseconds swings with whatever else runs.
        growth=min(timing.landing) / min(timing.landing_small),
        right=verdict in ("landed", "refused_ok"),
    )


def _equal_probe() -> Probe:
    """A file of equal lines, and an old text of 3 in 100 of them: every place overlaps the next."""

    def request(lines: int) -> tuple[str, Replace]:
        line = "    value = compute(x)\n"
        return line * lines, Replace(line * (lines * 3 // 100), "z\n")

    return _own_probe("equal", LINES, request, reason="ambiguous")


def _hunks_probe() -> Probe:
    """A diff of 1,990 hunks with a misspelt context word each, one for 100 lines of the file."""

    def request(hunks: int) -> tuple[str, Patch]:
        lines = [
            f"    value_{n // 100}_{n % 100} = compute_something(x_{n // 100})"
            for n in range(hunks * 100)
        ]
        diff = ["--- a/x.py", "+++ b/x.py"]
        for at in range(50, len(lines), 100):
            typo = lines[at - 2].replace("something", "somethign")
            diff += (f"@@ -{at - 1},4 +{at - 1},4 @@", f" {typo}", f" {lines[at - 1]}")
            diff += (f"-{lines[at]}", f"+{lines[at]} + 1", f" {lines[at + 1]}")
        return "\n".join(lines) + "\n", Patch("\n".join(diff) + "\n")

    return _own_probe("hunks", 1_990, request, reason=None)


def _own_probe(
    mode: str, size: int, request: Callable[[int], tuple[str, Replace | Patch]], reason: str | None
) -> Probe:
    """Measure once, on the whole and on a tenth, beside splitting the same text."""
    small_text, small = request(size // 10)
    small_ms = _cpu_ms(lambda: land(small_text, small))
    text, large = request(size)
    split_ms = min(_cpu_ms(lambda: text.split("\n")) for _ in range(_REPEATS))
    outcomes: list[Outcome] = []
    ms = _cpu_ms(lambda: outcomes.append(land(text, large)))
    found = [outcome.reason if isinstance(outcome, Refused) else None for outcome in outcomes]
    right = found == [reason]
    return Probe(mode, size, ms, ms / split_ms, ms / max(small_ms, 0.01), right)


def _cpu_ms(call: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        call()
        return (time.process_time() - start) * 1000
    finally:
        gc.enable()


def _child_cpu_ms(code: str) -> float:
    child = subprocess.Popen([sys.executable, "-c", code])
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"python -c {code!r} ended with {child.returncode}")
    return (usage.ru_utime + usage.ru_stime) * 1000


def _start(lines: int) -> int:
    """Where the needle stands: at about three quarters, where a function begins."""
    return int(lines * 0.73) // 10 * 10


def _needle(block: Sequence[str], mode: Mode) -> list[str]:
    if mode == "exact":
        return list(block)
    if mode == "typos":
        # The docstrings are the second of each ten lines; each loses a character.
        return [_short_of_one(line) if at % 10 == 1 else line for at, line in enumerate(block)]
    return [line.replace("ctx", "env") for line in big_file(500 + len(block), seed=99)[500:]]


def _short_of_one(line: str) -> str:
    half = len(line) // 2
    return line[:half] + line[half + 1 :]


def _function(rng: Random, number: int) -> list[str]:
    verb, noun, other = words.verb(rng), words.noun(rng), words.noun(rng)
    return [
        f"def {verb}_{noun}_{number}(request, ctx, limit={rng.randint(1, 999)}):",
        f'    """{verb.title()} the {noun} of the {other} number {number}."""',
        f"    state = ctx.{verb}_{other}(request.{noun}, {rng.randint(1, 9999)})",
        f"    if state is None or state.{other} > limit:",
        f'        return ctx.fail("{verb}-{noun}", code={rng.randint(100, 999)})',
        f"    for item in state.{noun}_items():",
        f"        item.{other}({number} + {rng.randint(1, 99)})",
        f"    return state.{verb}()",
        "",
        "",
    ]
