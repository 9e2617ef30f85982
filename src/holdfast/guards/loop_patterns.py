"""The patterns of a loop: a class for each, which is shown every call and says when it repeats."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from holdfast.guards.command_success import is_bad, is_fine
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from typing import Self

LoopPattern: TypeAlias = Literal[
    "identical", "cycle", "duplicate", "no_progress", "no_effect", "paging", "new_scripts"
]

READ_TOOL = "read_file"
_MEMORY = 48
"""How many calls a pattern remembers."""


@dataclass(frozen=True, slots=True)
class CallSeen:
    """One executed call, as the patterns see it.

    - `pair` is the call with its result, `result` the result alone; both are digests.
    - `path` is the path among the arguments, `line` the command of `run_command`, each or "".
    - `new_lines` is how many lines of the result this turn has not seen before.
    - `moved` means that the files are in a state that this turn has not seen before.
    - `progress` means that, or a new line, or a file read for the first time.
    - `waits` marks a `sleep`, which is no repetition.
    - `tries` marks a command that does more than show the state of the project, which an edit need
      not change.
    """

    name: str
    call: str
    pair: str
    result: str
    path: str
    line: str
    output: str
    tree: str
    new_lines: int
    moved: bool
    progress: bool
    waits: bool
    tries: bool


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern that was found. `count` is the number of equal calls, or of rounds of a cycle."""

    pattern: LoopPattern
    count: int
    leash: int | None
    """After a nudge, this many more calls of the same kind stop the turn; None: no number of them does."""


class Pattern:
    """One kind of loop, with what it remembers. A subclass is a frozen dataclass."""

    __slots__ = ()

    NAME: ClassVar[LoopPattern]
    MOST: ClassVar[int]
    """With this many calls the pattern is found."""
    LEASH: ClassVar[int | None] = None

    @property
    def count(self) -> int:
        """The number of calls that fit the pattern."""
        raise NotImplementedError

    def after(self, call: CallSeen) -> Self:
        """Return the pattern after one more call."""
        raise NotImplementedError

    def found(self) -> Found | None:
        """Return what is found at this call, or None."""
        count = self.count
        if count < self.MOST:
            return None
        return Found(self.NAME, count, self.LEASH)

    def repeats(self, call: CallSeen) -> bool:  # noqa: ARG002 - for a pattern with a leash
        """Return whether a call after the nudge is more of what was found."""
        return False

    def after_repeat(self, call: CallSeen) -> Self:  # noqa: ARG002 - for a pattern that looks at the last call
        """Return the pattern at the nudge after a call that is more of what was found."""
        return self

    def is_over(self, call: CallSeen) -> bool:
        """Return whether a call after the nudge shows that the loop has ended."""
        return call.progress

    def cleared(self) -> Self:
        """Return the pattern after a nudge: what was found must not be found again at once."""
        return type(self)()


@dataclass(frozen=True, slots=True)
class Rounds(Pattern):
    """The same calls with the same results in the same order: one call, a few, or a long tour."""

    ROUNDS: ClassVar = dict.fromkeys(range(1, 6), 3) | dict.fromkeys(range(6, 25), 2)
    """How often a round of so many calls has to be made. A second tour of many is one too many."""
    LEASH = 3

    pairs: tuple[str, ...] = ()

    def after(self, call: CallSeen) -> Self:
        """Return the pattern after one more call."""
        pairs = self.pairs
        if call.moved:
            pairs = ()
        if not call.waits:
            pairs = (*pairs, call.pair)[-_MEMORY:]
        return replace(self, pairs=pairs)

    def _last_round(self) -> tuple[str, ...]:
        for period, rounds in self.ROUNDS.items():
            calls = period * rounds
            if self.pairs[-calls:-period] == self.pairs[period - calls :]:
                return self.pairs[-period:]

        return ()

    def found(self) -> Found | None:
        """Return what is found at this call, or None."""
        period = len(self._last_round())
        if period == 0:
            return None
        if period > 1:
            return Found("cycle", self.ROUNDS[period], self.LEASH)

        _, equal = next(groupby(reversed(self.pairs)))
        return Found("identical", len(list(equal)), self.LEASH)

    def repeats(self, call: CallSeen) -> bool:
        """Return whether a call after the nudge is one of the round."""
        return call.pair in self._last_round()


@dataclass(frozen=True, slots=True)
class Duplicates(Pattern):
    """One call made again and again among others, while no file changes.

    A command may be run now and then between calls that bring something new: a poll, `git status`.
    """

    NAME = "duplicate"
    MOST = 6
    LEASH = 2

    pairs: tuple[str, ...] = ()
    since_news: frozenset[str] = frozenset()
    """The calls that were made since the last one that brought something new."""

    def after(self, call: CallSeen) -> Self:
        """Return the pattern after one more call."""
        pairs, since_news = self.pairs, self.since_news
        if call.moved:
            pairs = ()

        if call.progress:
            since_news = frozenset()

        is_poll = bool(call.line) and call.pair not in since_news
        is_one_more_poll = is_poll and call.pair in pairs
        if not call.waits and not is_one_more_poll:
            pairs = (*pairs, call.pair)[-_MEMORY:]

        return replace(self, pairs=pairs, since_news=since_news | {call.pair})

    @property
    def count(self) -> int:
        """How often the most frequent call was made."""
        return max(Counter(self.pairs).values(), default=0)

    def repeats(self, call: CallSeen) -> bool:
        """Return whether a call after the nudge is made once more."""
        return self.pairs.count(call.pair) >= self.MOST

    def is_over(self, call: CallSeen) -> bool:
        """Return whether a file was changed."""
        return call.moved


@dataclass(frozen=True, slots=True)
class NothingNew(Pattern):
    """Many calls, whatever they are, that bring no new result and change no file."""

    NAME = "no_progress"
    MOST = 12
    LEASH = 2

    count: int = 0
    known: tuple[str, ...] = ()
    """The results, and the files with the tool that was used on them."""

    def after(self, call: CallSeen) -> Self:
        """Return the pattern after one more call.

        The call that brought something new is the first of the run that brings nothing more.
        """
        start = self
        if call.progress:
            start = self.cleared()
        known = (*start.known, call.result, _subject(call))[-_MEMORY:]
        return replace(start, count=start.count + 1, known=known)

    def repeats(self, call: CallSeen) -> bool:
        """Return whether a call after the nudge brings a known result, or is about a known file."""
        return not {call.result, _subject(call)}.isdisjoint(self.known)


def _subject(call: CallSeen) -> str:
    """Return the tool and the file that a call is about, or its result if it is about no file."""
    about = call.path or call.result
    return f"{call.name} {about}"


@dataclass(frozen=True, slots=True)
class _Run:
    """A command with its output on a tree.

    `effect` means that the command had this output for the first time, or succeeded.
    """

    pair: str
    call: str
    tree: str
    effect: bool
    bad: bool


@dataclass(frozen=True, slots=True)
class NoEffect(Pattern):
    """A command whose output no edit changes."""

    MOST = 4
    LEASH = 2
    LONG_LEASH: ClassVar = 3
    """The leash when the output is not a failure, only unchanged."""
    RECENT: ClassVar = 6
    """How many of the last commands are checked: one step seldom runs more."""

    runs: tuple[_Run, ...] = ()

    def after(self, call: CallSeen) -> Self:
        """Return the pattern after one more call."""
        if not call.tries:
            return self
        return replace(self, runs=(*self.runs, self._run_of(call))[-_MEMORY:])

    def _run_of(self, call: CallSeen) -> _Run:
        known = map(attrgetter("pair"), self.runs)
        effect = call.pair not in known or is_fine(call.output, call.line)
        return _Run(call.pair, call.call, call.tree, effect, is_bad(call.output))

    def _stale(self) -> dict[str, _Run]:
        """Return the last run of each command without effect, by pair."""
        last = {run.call: run for run in self.runs[-self.RECENT :]}
        stale = {}
        for run in last.values():
            if self._count(run) >= self.MOST:
                stale[run.pair] = run

        return stale

    def _count(self, last: _Run) -> int:
        """Return how often the command had this result, each time on another tree than before.

        Count since the command last had an effect. If its output is not a failure, count only since
        any command had one: looking at something is no attempt to change it.
        """
        trees: list[str] = []
        for run in reversed(self.runs):
            if last.bad and run.call != last.call:
                continue
            if run.pair == last.pair:
                trees.append(run.tree)
            if run.effect:
                break

        return len(list(groupby(trees)))

    def found(self) -> Found | None:
        """Return what is found at this call, or None."""
        stale = self._stale().values()
        if not stale:
            return None

        leash = self.LONG_LEASH
        if any(run.bad for run in stale):
            leash = self.LEASH

        return Found("no_effect", max(map(self._count, stale)), leash)

    def repeats(self, call: CallSeen) -> bool:
        """Return whether a command has the same output once more, after another edit."""
        last = self._stale().get(call.pair)
        if last is None:
            return False
        return last.tree != call.tree

    def after_repeat(self, call: CallSeen) -> Self:
        """Return the pattern with this run: the next one counts only after another edit."""
        return self.after(call)

    def is_over(self, call: CallSeen) -> bool:
        """Return whether one of the commands has a new output, or succeeds."""
        if call.call not in map(attrgetter("call"), self._stale().values()):
            return False
        return self._run_of(call).effect

    def cleared(self) -> Self:
        """Return the pattern with only the last run of each command without effect."""
        stale = self._stale()
        kept = [run for run in self.runs if stale.get(run.pair, run) == run]
        return replace(self, runs=tuple(kept))


@dataclass(frozen=True, slots=True)
class Paging(Pattern):
    """One file read in many small steps, one after the other.

    Each step does bring something new, so a nudge is all there is: no number of steps stops a turn.
    """

    NAME = "paging"
    MOST = 24
    SMALL: ClassVar = 20
    """A step that brings more lines than this is no small one."""

    path: str = ""
    count: int = 0

    def after(self, call: CallSeen) -> Self:
        """Return the pattern after one more call."""
        if call.name != READ_TOOL:
            return self.cleared()
        if call.new_lines > self.SMALL:
            return self.cleared()
        if call.path != self.path:
            return replace(self, path=call.path, count=1)
        return replace(self, count=self.count + 1)


@dataclass(frozen=True, slots=True)
class NewScripts(Pattern):
    """A new script each time, and each fails in the same way."""

    NAME = "new_scripts"
    MOST = 4
    LEASH = 2

    written: tuple[str, ...] = ()
    """The paths that were written in this turn and not yet run."""
    failure: str = ""
    count: int = 0

    def after(self, call: CallSeen) -> Self:
        """Return the pattern after one more call."""
        if call.line:
            return self._after_command(call)
        if call.moved:
            return replace(self, written=(*self.written, call.path)[-_MEMORY:])
        return self

    def _after_command(self, call: CallSeen) -> Self:
        if is_fine(call.output, call.line):
            return self.cleared()

        words = call.line.split()
        others = tuple(path for path in self.written if path not in words)
        if others == self.written or not is_bad(call.output):
            return self

        failure = _failure(call)
        count = 1
        if failure == self.failure:
            count = self.count + 1

        return replace(self, written=others, failure=failure, count=count)

    def repeats(self, call: CallSeen) -> bool:
        """Return whether a command after the nudge fails in the same way."""
        return call.tries and is_bad(call.output) and _failure(call) == self.failure

    def is_over(self, call: CallSeen) -> bool:
        """Return whether a command succeeds, or fails in another way."""
        return call.tries and not self.repeats(call)

    def cleared(self) -> Self:
        """Return the pattern without its failures."""
        return replace(self, failure="", count=0)


def _failure(call: CallSeen) -> str:
    """Return the last line of an output, where most programs name the error, without file names."""
    line = call.output.rstrip().rpartition("\n")[2].strip()
    for word in call.line.split():
        if "." in word:
            line = line.replace(word, "<file>")
    return line
