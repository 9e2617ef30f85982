"""Loops: calls that repeat themselves without new results.

The first trip is a nudge, the second stops the turn.

docs/decisions/0009-a-short-leash-after-a-nudge.md explains the numbers, and how soon each kind of
loop is stopped.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from holdfast.guards.call_digest import digest_call, digest_result, news_of
from holdfast.guards.command_success import is_bad, is_fine
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LoopPattern: TypeAlias = Literal["identical", "cycle", "duplicate", "no_progress", "no_effect"]

IDENTICAL = 3
CYCLE_ROUNDS = 3
LONGEST_CYCLE = 5
DUPLICATE = 6
NO_PROGRESS = 12
NO_EFFECT = 4
COMMAND_TOOL = "run_command"

_LEASH: dict[LoopPattern, int] = {
    "identical": 3,
    "cycle": 3,
    "no_progress": 2,
    "duplicate": 2,
    "no_effect": 2,
}
"""After a nudge, this many more calls of the same kind stop the turn, unless there is progress."""
_LONG_LEASH = 3
"""The leash of `no_effect` when the output is not a failure, only unchanged."""
_FORGIVEN = 24
"""After a nudge and this many calls without another trip, the next trip counts as the first again."""
_HISTORY = 48
_RECENT = 6
"""How many of the last commands are checked for having no effect: one step seldom runs more."""
_GENERATION = 256
_LINES = 4_096
"""The size of a generation of lines: about twenty long results."""
_WAIT = re.compile(r"\s*sleep\s+[\d.]+[smh]?\s*")
_LIST = re.compile(r"\s*(?:cd\s+\S+\s*&&\s*)?(?:git|ls|pwd|find|tree|which|du)\b[^;&|]*")
"""Commands that only show the state of the project: an edit need not change their output."""


@dataclass(frozen=True, slots=True)
class Trip:
    """A detected loop. `count` is the number of equal calls, or of rounds of a cycle.

    `escalated` means stop the turn.
    """

    pattern: LoopPattern
    count: int
    escalated: bool


@dataclass(frozen=True, slots=True)
class _Entry:
    """The digests of a call. `pair` is the call with its result.

    `waits` marks a `sleep`, which is no repetition.

    `result` is the digest of the result alone; `subject` is the tool and the path, "" without a
    path.
    """

    pair: str
    result: str
    subject: str = ""
    waits: bool = False


@dataclass(frozen=True, slots=True)
class _Run:
    """A command with its output on a tree.

    `fresh` if the command had this output for the first time.

    `fine` if the output reports success, `bad` if it reports a failure; many outputs report
    neither.
    """

    pair: str
    command: str
    tree: str
    fresh: bool
    fine: bool
    bad: bool


@dataclass(frozen=True, slots=True)
class _Seen:
    """Digests seen in this turn, in two generations.

    The older one is dropped when the younger is full.
    """

    young: frozenset[str | int] = frozenset()
    old: frozenset[str | int] = frozenset()

    def has(self, digests: frozenset[str] | frozenset[int]) -> bool:
        """Return whether all of these digests were seen."""
        return digests <= self.young or all(
            digest in self.young or digest in self.old for digest in digests
        )

    def add(self, digests: frozenset[str] | frozenset[int], most: int) -> _Seen:
        """Return a copy with `digests` in the young generation.

        When that exceeds `most`, it becomes the old one.
        """
        if digests <= self.young:
            return self
        if len(self.young) + len(digests) > most:
            return _Seen(digests, self.young)
        return _Seen(self.young | digests, self.old)


@dataclass(frozen=True, slots=True)
class _Strike:
    """An outstanding nudge.

    `stale` are the calls or results that it was about, while the leash is on.
    """

    pattern: LoopPattern
    period: int
    calls: int
    stale: frozenset[str]
    leash: int
    again: int = 0
    age: int = 0


@dataclass(frozen=True, slots=True)
class Loops:
    """The calls of this turn so far, in bounded size."""

    history: tuple[_Entry, ...] = ()
    runs: tuple[_Run, ...] = ()
    trees: _Seen = field(default_factory=_Seen)
    results: _Seen = field(default_factory=_Seen)
    quiet: int = 0
    since: int = 0
    strike: _Strike | None = None


def begin(tree: str) -> Loops:
    """Return the state at the start of a turn.

    The tree is recorded, so that returning to it is no progress.
    """
    return Loops(trees=_Seen(frozenset({tree})))


def record(
    state: Loops,
    name: str,
    arguments: Mapping[str, Any],
    result: str,
    tree: str,
    *,
    read: Iterable[str] = (),
) -> Loops:
    """Return the state after one executed call with its result and the digest of the files after it.

    `read` are the paths that the call has read: a path read for the first time counts as new.

    >>> state = begin("tree")
    >>> for _ in range(3):
    ...     state = record(state, "read_file", {"path": "a.py"}, "1  x = 1", "tree")
    >>> detect(state)
    Trip(pattern='identical', count=3, escalated=False)
    """
    command = digest_call(name, arguments)
    whole, brought = news_of(result, arguments)
    opened = frozenset(hash((name, path)) for path in read)
    line = str(arguments.get("command", "")) if name == COMMAND_TOOL else ""
    entry = _Entry(
        f"{command} {digest_result(result, arguments)}",
        f"{hash(brought):x}",
        f"{name} {arguments['path']}" if "path" in arguments else "",
        waits=_WAIT.fullmatch(line) is not None,
    )
    moved = not state.trees.has(frozenset({tree}))
    news = not (
        state.results.has(opened) and (state.results.has(brought) or state.results.has(whole))
    )
    run = (
        _run_of(state, entry.pair, command, tree, (line, result))
        if line and not _LIST.fullmatch(line)
        else None
    )
    kept = () if moved else state.history
    return Loops(
        history=(*kept, entry)[-_HISTORY:],
        runs=(*state.runs, run)[-_HISTORY:] if run else state.runs,
        trees=state.trees.add(frozenset({tree}), _GENERATION),
        results=state.results.add(whole | brought | opened, _LINES),
        # The call that brought something new is the first of the run that brings nothing more.
        quiet=1 if moved or news else state.quiet + 1,
        since=0 if moved or news else state.since + 1,
        strike=_aged(state, entry, run, moved=moved, news=news),
    )


def detect(state: Loops) -> Trip | None:
    """Return the loop that the calls are in, without changing the state.

    The caller may delay a nudge.
    """
    strike = state.strike
    if strike and strike.again >= strike.leash:
        return Trip(strike.pattern, (strike.calls + strike.again) // strike.period, escalated=True)
    found = _find(state)
    return Trip(found[0], found[1] // found[2], escalated=strike is not None) if found else None


def nudged(state: Loops, trip: Trip) -> Loops:
    """Return the state after a nudge.

    An empty history, and a short leash for more of the same calls.
    """
    found = _find(state)
    if found is None:
        return state
    pattern, calls, period = found
    stale = _stale(state, trip.pattern, calls, period)
    last = _last_of_each(state.runs)
    bad = any(run.bad for run in last if run.pair in stale)
    leash = _LONG_LEASH if pattern == "no_effect" and not bad else _LEASH[pattern]
    strike = _Strike(pattern, period, calls, stale, leash)
    runs = tuple(run for run in state.runs if run.pair not in stale or run in last)
    return replace(state, history=(), runs=runs, quiet=0, strike=strike)


def since_progress(state: Loops) -> int:
    """Return the number of calls since the last one that brought a new result or a new tree.

    >>> state = record(begin("tree"), "read_file", {"path": "a.py"}, "1  x = 1", "tree")
    >>> since_progress(state), since_progress(record(state, "read_file", {"path": "a.py"}, "1  x = 1", "tree"))
    (0, 1)
    """
    return state.since


def guidance(trip: Trip) -> str:
    """Return the guidance for the model."""
    what = {
        "identical": f"You have made the same call {trip.count} times in a row, and its result is the same each time.",
        "cycle": f"You have gone through the same few calls {trip.count} times, with the same results.",
        "duplicate": f"You have made one and the same call {trip.count} times; nothing has changed since the first.",
        "no_progress": f"Your last {trip.count} calls have brought nothing new: no new result, no change of a file.",
        "no_effect": f"You have run one command {trip.count} times; your edits in between did not change its result.",
    }[trip.pattern]
    then = {
        "no_effect": "Your edits miss the cause. Read the output once more from its first line, find the code that "
        "prints it, and check that the command runs the files you edit.",
    }.get(trip.pattern, "You have these results already; use them.")
    end = "Do something different now, or, if you are done or cannot go on, say so in plain text without a call."
    return f"{what} {then} {end}"


# ----------------------------------------------------------------------------------------- patterns


def _find(state: Loops) -> tuple[LoopPattern, int, int] | None:
    """Return the pattern, the number of calls in it, and the length of its period."""
    pairs = _pairs(state)
    alike = _alike(pairs)
    if alike >= IDENTICAL:
        return "identical", alike, 1
    for period in range(2, LONGEST_CYCLE + 1):
        calls = period * CYCLE_ROUNDS
        if len(pairs) >= calls and pairs[-calls:-period] == pairs[period - calls :]:
            return "cycle", calls, period
    most = max(Counter(pairs).values(), default=0)
    if most >= DUPLICATE:
        return "duplicate", most, 1
    across = max(
        (_across(state.runs, run) for run in _last_of_each(state.runs[-_RECENT:])), default=0
    )
    if across >= NO_EFFECT:
        return "no_effect", across, 1
    if state.quiet >= NO_PROGRESS:
        return "no_progress", state.quiet, 1
    return None


def _pairs(state: Loops) -> list[str]:
    return [entry.pair for entry in state.history if not entry.waits]


def _alike(pairs: list[str]) -> int:
    """Return how many equal pairs are at the end."""
    count = 0
    for pair in reversed(pairs):
        if pair != pairs[-1]:
            break
        count += 1
    return count


def _last_of_each(runs: tuple[_Run, ...]) -> list[_Run]:
    return list({run.command: run for run in runs}.values())


def _across(runs: tuple[_Run, ...], last: _Run) -> int:
    """Return how often the command had this result, each time on another tree than before.

    Count since its last new or successful result: there the edits had an effect. If its output is
    not a failure, count only since the last new or successful result of any command: looking at
    something is no attempt to change it.
    """
    count, tree = 0, None
    for run in reversed(runs):
        if run.command != last.command:
            if (run.fresh or run.fine) and not last.bad:
                break
            continue
        if run.fine:
            break
        if run.pair == last.pair and run.tree != tree:
            count, tree = count + 1, run.tree
        if run.fresh:
            break
    return count


def _stale(state: Loops, pattern: LoopPattern, calls: int, period: int) -> frozenset[str]:
    """Return what the nudge is about.

    The calls with their results, or where those differ, results and files.
    """
    match pattern:
        case "identical" | "cycle":
            return frozenset(_pairs(state)[-period:])
        case "duplicate":
            return frozenset(
                pair for pair, count in Counter(_pairs(state)).items() if count >= DUPLICATE
            )
        case "no_progress":
            about = state.history[-calls:]
            return frozenset(
                word for entry in about for word in (entry.result, entry.subject) if word
            )
        case "no_effect":
            last = _last_of_each(state.runs[-_RECENT:])
            return frozenset(run.pair for run in last if _across(state.runs, run) >= NO_EFFECT)


# ----------------------------------------------------------------------------------------- a strike


def _run_of(state: Loops, pair: str, command: str, tree: str, run: tuple[str, str]) -> _Run:
    line, result = run
    fresh = all(run.pair != pair for run in state.runs)
    return _Run(pair, command, tree, fresh, is_fine(result, line), is_bad(result))


def _aged(
    state: Loops, entry: _Entry, run: _Run | None, *, moved: bool, news: bool
) -> _Strike | None:
    """Return the strike after one more call.

    Whether the call repeats, frees from the leash, or is forgiven.
    """
    strike = state.strike
    if strike is None or strike.age + 1 >= _FORGIVEN:
        return None
    strike = replace(strike, age=strike.age + 1)
    match strike.pattern:
        case "no_effect":
            about = run is not None and any(pair.startswith(run.command) for pair in strike.stale)
            free = run is not None and about and (run.fresh or run.fine)
            more = (
                run is not None and run.pair in strike.stale and _on_another_tree(state.runs, run)
            )
        case "duplicate":
            free, more = moved, entry.pair in strike.stale
        case _:
            free, more = (
                moved or news,
                not strike.stale.isdisjoint({entry.pair, entry.result, entry.subject}),
            )
    if free:
        return replace(strike, stale=frozenset(), again=0)
    return replace(strike, again=strike.again + 1) if more else strike


def _on_another_tree(runs: tuple[_Run, ...], run: _Run) -> bool:
    before = next((one for one in reversed(runs) if one.pair == run.pair), None)
    return before is None or before.tree != run.tree
