"""Loops: calls that repeat themselves without new results.

The first trip is a nudge, the second stops the turn.

docs/decisions/0009-a-short-leash-after-a-nudge.md explains the numbers, and how soon each kind of
loop is stopped.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from holdfast.guards.call_digest import digest_call, digest_result, news_of
from holdfast.guards.loop_patterns import (
    CallSeen,
    Duplicates,
    Found,
    LoopPattern,
    NewScripts,
    NoEffect,
    NothingNew,
    Paging,
    Pattern,
    Rounds,
)
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_FORGIVEN = 24
"""After a nudge and this many calls without another trip, the next trip counts as the first again."""
_TREES = 256
_LINES = 4_096
"""The size of a generation of lines: about twenty long results."""
_WAIT = lazy_pattern(r"\s*sleep\s+[\d.]+[smh]?\s*")
_LIST = lazy_pattern(r"\s*(?:(?:cd\s+\S+\s*&&\s*)?(?:git|ls|pwd|find|tree|which|du)\b[^;&|]*)?")
"""Commands that only show the state of the project, and none."""


@dataclass(frozen=True, slots=True)
class Trip:
    """A detected loop. `count` is the number of equal calls, or of rounds of a cycle.

    `escalated` means stop the turn.
    """

    pattern: LoopPattern
    count: int
    escalated: bool


@dataclass(frozen=True, slots=True)
class _Seen:
    """Digests seen in this turn, in two generations.

    The older one is dropped when the younger is full.
    """

    young: frozenset[str | int] = frozenset()
    old: frozenset[str | int] = frozenset()

    def unseen(self, digests: frozenset[str | int]) -> int:
        """Return how many of these digests were not seen."""
        return len(digests - self.young - self.old)

    def add(self, digests: frozenset[str | int], most: int) -> _Seen:
        """Return a copy with `digests` in the young generation.

        When that exceeds `most`, it becomes the old one.
        """
        young = self.young | digests
        if len(young) > most:
            return _Seen(digests, self.young)
        return _Seen(young, self.old)


@dataclass(frozen=True, slots=True)
class _Strike:
    """An outstanding nudge: the pattern as it was then, while the leash is on.

    `again` is how many calls were more of it, `left` after how many calls it is forgiven.
    """

    pattern: Pattern
    found: Found
    leash: int
    again: int = 0
    left: int = _FORGIVEN

    def after(self, call: CallSeen) -> _Strike | None:
        """Return the strike after one more call; None if it is forgiven."""
        aged = replace(self, left=self.left - 1)
        if aged.left == 0:
            return None
        if self.pattern.is_over(call):
            return replace(aged, pattern=_NO_PATTERN)
        if not self.pattern.repeats(call):
            return aged

        return replace(aged, pattern=self.pattern.after_repeat(call), again=self.again + 1)


_NO_PATTERN = Pattern()
"""What no call repeats: the leash is off."""
_PATTERNS: tuple[Pattern, ...] = (
    Rounds(),
    Duplicates(),
    NoEffect(),
    NothingNew(),
    Paging(),
    NewScripts(),
)
"""In the order in which they are asked."""


@dataclass(frozen=True, slots=True)
class Loops:
    """The calls of this turn so far, in bounded size."""

    patterns: tuple[Pattern, ...] = _PATTERNS
    trees: _Seen = field(default_factory=_Seen)
    results: _Seen = field(default_factory=_Seen)
    since_progress: int = 0
    """The number of calls since the last one that brought a new result or a new tree."""
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
    whole, brought = news_of(result, arguments)
    opened = frozenset(hash((name, path)) for path in read)
    new_lines = min(state.results.unseen(whole), state.results.unseen(brought))
    trees = frozenset({tree})
    line = str(arguments.get("command", ""))
    moved = state.trees.unseen(trees) > 0
    command = digest_call(name, arguments)
    call = CallSeen(
        name=name,
        call=command,
        pair=f"{command} {digest_result(result, arguments)}",
        result=f"{hash(brought):x}",
        path=str(arguments.get("path", "")),
        line=line,
        output=result,
        tree=tree,
        new_lines=new_lines,
        moved=moved,
        progress=moved or new_lines + state.results.unseen(opened) > 0,
        waits=_WAIT.fullmatch(line) is not None,
        tries=_LIST.fullmatch(line) is None,
    )
    since_progress = state.since_progress + 1
    if call.progress:
        since_progress = 0

    strike = state.strike
    if strike is not None:
        strike = strike.after(call)

    return Loops(
        patterns=tuple(pattern.after(call) for pattern in state.patterns),
        trees=state.trees.add(trees, _TREES),
        results=state.results.add(whole | brought | opened, _LINES),
        since_progress=since_progress,
        strike=strike,
    )


def detect(state: Loops) -> Trip | None:
    """Return the loop that the calls are in, without changing the state.

    The caller may delay a nudge.
    """
    strike = state.strike
    if strike is not None and strike.again >= strike.leash:
        return Trip(strike.found.pattern, strike.found.count + strike.again, escalated=True)

    first = _first_found(state)
    if first is None:
        return None

    _, found = first
    return Trip(found.pattern, found.count, escalated=strike is not None)


def _first_found(state: Loops) -> tuple[Pattern, Found] | None:
    for pattern in state.patterns:
        found = pattern.found()
        if found is not None:
            return pattern, found

    return None


def nudged(state: Loops) -> Loops:
    """Return the state after a nudge about what `detect` has returned.

    The patterns start anew, and more calls of the same kind are on a short leash.
    """
    strike = state.strike
    match _first_found(state):
        case pattern, Found(leash=int() as leash) as found:
            strike = _Strike(pattern, found, leash)

    cleared = tuple(pattern.cleared() for pattern in state.patterns)
    return replace(state, patterns=cleared, strike=strike)


_WHAT: dict[LoopPattern, str] = {
    "identical": "You have made the same call {0} times in a row, and its result is the same each time.",
    "cycle": "You have gone through the same few calls {0} times, with the same results.",
    "duplicate": "You have made one and the same call {0} times; nothing has changed since the first.",
    "no_progress": "Your last {0} calls have brought nothing new: no new result, no change of a file.",
    "no_effect": "You have run one command {0} times; your edits in between did not change its result.",
    "paging": "You have read the same file {0} times in a row, a few lines at a time.",
    "new_scripts": "You have written and run {0} scripts, and each failed in the same way.",
}
_THEN: dict[LoopPattern, str] = {
    "no_effect": "Your edits miss the cause. Read the output once more from its first line, find the "
    "code that prints it, and check that the command runs the files you edit.",
    "paging": "Read a large range of it at once, or search for what you need.",
    "new_scripts": "Another script will fail as well. Read the error, and find its cause in the code "
    "that the scripts call.",
}


def guidance(trip: Trip) -> str:
    """Return the guidance for the model."""
    what = _WHAT[trip.pattern].format(trip.count)
    then = _THEN.get(trip.pattern, "You have these results already; use them.")
    end = (
        "Do something different now, or, if you are done or cannot go on, "
        "say so in plain text without a call."
    )
    return f"{what} {then} {end}"
