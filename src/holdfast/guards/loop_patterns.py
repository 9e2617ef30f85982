"""The patterns of a loop: a class for each, which is shown every call and says when it repeats."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, TypeAlias

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
    - `news` means a new line, or a file read for the first time.
    - `waits` marks a `sleep`, which is no repetition; `lists` a command that only shows the state
      of the project, which an edit need not change.
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
    news: bool
    waits: bool
    lists: bool

    @property
    def progress(self) -> bool:
        """Whether the call brought something new."""
        return self.moved or self.news


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern that was found. `count` is the number of equal calls, or of rounds of a cycle."""

    pattern: LoopPattern
    count: int
    leash: int
    """After a nudge, this many more calls of the same kind stop the turn."""


class Pattern(Protocol):
    """One kind of loop, with what it remembers."""

    def after(self, call: CallSeen) -> Self:
        """Return the pattern after one more call."""
        ...

    def found(self) -> Found | None:
        """Return what is found at this call, or None."""
        ...

    def repeats(self, call: CallSeen) -> bool:
        """Return whether a call after the nudge is more of what was found."""
        ...

    def is_over(self, call: CallSeen) -> bool:
        """Return whether a call after the nudge shows that the loop has ended."""
        ...

    def cleared(self) -> Self:
        """Return the pattern after a nudge: what was found must not be found again at once."""
        ...


@dataclass(frozen=True, slots=True)
class Rounds:
    """The same calls with the same results in the same order: one call, a few, or a long tour."""

    SHORTEST_TOUR: ClassVar = 6
    LONGEST: ClassVar = 24
    LEASH: ClassVar = 3

    pairs: tuple[str, ...] = ()
    tail: tuple[str, ...] = ()
    """The pairs of one round, once it is found."""

    def after(self, call: CallSeen) -> Self:
        """Return the pattern after one more call."""
        pairs = self.pairs
        if call.moved:
            pairs = ()
        if not call.waits:
            pairs = (*pairs, call.pair)[-_MEMORY:]
        return replace(self, pairs=pairs, tail=self._tail(pairs))

    def _tail(self, pairs: tuple[str, ...]) -> tuple[str, ...]:
        for period in range(1, self.LONGEST + 1):
            calls = period * self._rounds(period)
            if len(pairs) < calls:
                return ()
            if pairs[-calls:-period] == pairs[period - calls :]:
                return pairs[-period:]
        return ()

    def _rounds(self, period: int) -> int:
        """Return how often a round has to be made. A second tour of many calls is one too many."""
        if period < self.SHORTEST_TOUR:
            return 3
        return 2

    def found(self) -> Found | None:
        """Return what is found at this call, or None."""
        period = len(self.tail)
        if not period:
            return None
        if period > 1:
            return Found("cycle", self._rounds(period), self.LEASH)
        equal = 0
        for pair in reversed(self.pairs):
            if pair != self.tail[0]:
                break
            equal += 1
        return Found("identical", equal, self.LEASH)

    def repeats(self, call: CallSeen) -> bool:
        """Return whether a call after the nudge is one of the round."""
        return call.pair in self.tail

    def is_over(self, call: CallSeen) -> bool:
        """Return whether a call brought something new."""
        return call.progress

    def cleared(self) -> Self:
        """Return the pattern without its calls."""
        return replace(self, pairs=(), tail=())


@dataclass(frozen=True, slots=True)
class Duplicates:
    """One call made again and again among others, while no file changes.

    A command may be run now and then between calls that bring something new: a poll, `git status`.
    """

    MOST: ClassVar = 6
    LEASH: ClassVar = 2

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
        if not call.waits and not (is_poll and call.pair in pairs):
            pairs = (*pairs, call.pair)[-_MEMORY:]
        return replace(self, pairs=pairs, since_news=since_news | {call.pair})

    def _often(self) -> dict[str, int]:
        counts = Counter(self.pairs)
        return {pair: count for pair, count in counts.items() if count >= self.MOST}

    def found(self) -> Found | None:
        """Return what is found at this call, or None."""
        often = self._often()
        if not often:
            return None
        return Found("duplicate", max(often.values()), self.LEASH)

    def repeats(self, call: CallSeen) -> bool:
        """Return whether a call after the nudge is made once more."""
        return call.pair in self._often()

    def is_over(self, call: CallSeen) -> bool:
        """Return whether a file was changed."""
        return call.moved

    def cleared(self) -> Self:
        """Return the pattern without its calls."""
        return replace(self, pairs=())


@dataclass(frozen=True, slots=True)
class NothingNew:
    """Many calls, whatever they are, that bring no new result and change no file."""

    MOST: ClassVar = 12
    LEASH: ClassVar = 2

    results: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()

    def after(self, call: CallSeen) -> Self:
        """Return the pattern after one more call.

        The call that brought something new is the first of the run that brings nothing more.
        """
        results, subjects = self.results, self.subjects
        if call.progress:
            results, subjects = (), ()
        results = (*results, call.result)[-_MEMORY:]
        subjects = (*subjects, _subject(call))[-_MEMORY:]
        return replace(self, results=results, subjects=subjects)

    def found(self) -> Found | None:
        """Return what is found at this call, or None."""
        if len(self.results) < self.MOST:
            return None
        return Found("no_progress", len(self.results), self.LEASH)

    def repeats(self, call: CallSeen) -> bool:
        """Return whether a call after the nudge brings a known result, or is about a known file."""
        if call.result in self.results:
            return True
        subject = _subject(call)
        return bool(subject) and subject in self.subjects

    def is_over(self, call: CallSeen) -> bool:
        """Return whether a call brought something new."""
        return call.progress

    def cleared(self) -> Self:
        """Return the pattern without its calls."""
        return replace(self, results=(), subjects=())


def _subject(call: CallSeen) -> str:
    if not call.path:
        return ""
    return f"{call.name} {call.path}"


@dataclass(frozen=True, slots=True)
class _Run:
    """A command with its output on a tree. `fresh` if the command had this output for the first time."""

    pair: str
    call: str
    tree: str
    fresh: bool
    fine: bool
    bad: bool


@dataclass(frozen=True, slots=True)
class NoEffect:
    """A command whose output no edit changes."""

    MOST: ClassVar = 4
    LEASH: ClassVar = 2
    LONG_LEASH: ClassVar = 3
    """The leash when the output is not a failure, only unchanged."""
    RECENT: ClassVar = 6
    """How many of the last commands are checked: one step seldom runs more."""

    runs: tuple[_Run, ...] = ()

    def after(self, call: CallSeen) -> Self:
        """Return the pattern after one more call."""
        if not call.line or call.lists:
            return self
        return replace(self, runs=(*self.runs, self._run_of(call))[-_MEMORY:])

    def _run_of(self, call: CallSeen) -> _Run:
        fresh = all(run.pair != call.pair for run in self.runs)
        fine = is_fine(call.output, call.line)
        return _Run(call.pair, call.call, call.tree, fresh, fine, is_bad(call.output))

    def _last_of_each(self) -> list[_Run]:
        return list({run.call: run for run in self.runs[-self.RECENT :]}.values())

    def _stale(self) -> dict[str, _Run]:
        """Return the last runs of the commands without effect, by pair."""
        stale = {}
        for run in self._last_of_each():
            if self._count(run) >= self.MOST:
                stale[run.pair] = run
        return stale

    def _count(self, last: _Run) -> int:
        """Return how often the command had this result, each time on another tree than before.

        Count since its last new or successful result: there the edits had an effect. If its output
        is not a failure, count only since the last new or successful result of any command: looking
        at something is no attempt to change it.
        """
        count, tree = 0, None
        for run in reversed(self.runs):
            is_same = run.call == last.call
            if run.fine and (is_same or not last.bad):
                break
            if is_same and run.pair == last.pair and run.tree != tree:
                count, tree = count + 1, run.tree
            if run.fresh and (is_same or not last.bad):
                break
        return count

    def found(self) -> Found | None:
        """Return what is found at this call, or None."""
        stale = self._stale()
        if not stale:
            return None
        leash = self.LONG_LEASH
        if any(run.bad for run in stale.values()):
            leash = self.LEASH
        return Found("no_effect", max(map(self._count, stale.values())), leash)

    def repeats(self, call: CallSeen) -> bool:
        """Return whether a command has the same output once more, after another edit."""
        if call.lists or call.pair not in self._stale():
            return False
        last = [run for run in self.runs if run.pair == call.pair][-1]
        return last.tree != call.tree

    def is_over(self, call: CallSeen) -> bool:
        """Return whether one of the commands has a new output, or succeeds."""
        if not call.line or call.lists:
            return False
        if call.call not in {run.call for run in self._stale().values()}:
            return False
        run = self._run_of(call)
        return run.fresh or run.fine

    def cleared(self) -> Self:
        """Return the pattern with only the last run of each command without effect."""
        stale = self._stale()
        last = {id(run) for run in self._last_of_each()}
        kept = [run for run in self.runs if run.pair not in stale or id(run) in last]
        return replace(self, runs=tuple(kept))


@dataclass(frozen=True, slots=True)
class Paging:
    """One file read in many small steps, one after the other."""

    MOST: ClassVar = 24
    SMALL: ClassVar = 20
    """A step that brings more lines than this is no small one."""
    LEASH: ClassVar = 60
    """So long that the nudge is forgiven before: each step does bring something new."""

    path: str = ""
    steps: int = 0

    def after(self, call: CallSeen) -> Self:
        """Return the pattern after one more call."""
        if not self._is_step(call):
            return replace(self, path="", steps=0)
        if call.path != self.path:
            return replace(self, path=call.path, steps=1)
        return replace(self, steps=self.steps + 1)

    def _is_step(self, call: CallSeen) -> bool:
        if call.name != READ_TOOL or not call.path:
            return False
        return call.new_lines <= self.SMALL and not call.moved

    def found(self) -> Found | None:
        """Return what is found at this call, or None."""
        if self.steps < self.MOST:
            return None
        return Found("paging", self.steps, self.LEASH)

    def repeats(self, call: CallSeen) -> bool:
        """Return whether a call after the nudge reads a few lines of the same file again."""
        return call.path == self.path and self._is_step(call)

    def is_over(self, call: CallSeen) -> bool:
        """Return whether a call does something else."""
        return not self.repeats(call)

    def cleared(self) -> Self:
        """Return the pattern without its steps."""
        return replace(self, steps=0)


@dataclass(frozen=True, slots=True)
class NewScripts:
    """A new script each time, and each fails in the same way."""

    MOST: ClassVar = 4
    LEASH: ClassVar = 2

    written: tuple[str, ...] = ()
    """The paths that were written in this turn and not yet run."""
    failure: str = ""
    count: int = 0

    def after(self, call: CallSeen) -> Self:
        """Return the pattern after one more call."""
        if not call.line:
            return self._after_write(call)
        script = self._script(call)
        if is_fine(call.output, call.line):
            return replace(self, failure="", count=0)
        if not script or not is_bad(call.output):
            return self
        others = tuple(path for path in self.written if path != script)
        failure = _last_line(call.output, script)
        count = 1
        if failure == self.failure:
            count = self.count + 1
        return replace(self, written=others, failure=failure, count=count)

    def _after_write(self, call: CallSeen) -> Self:
        if not call.moved or not call.path or call.path in self.written:
            return self
        return replace(self, written=(*self.written, call.path)[-_MEMORY:])

    def _script(self, call: CallSeen) -> str:
        """Return the new file that a command runs, or ""."""
        words = call.line.split()
        for path in self.written:
            if path in words:
                return path
        return ""

    def found(self) -> Found | None:
        """Return what is found at this call, or None."""
        if self.count < self.MOST:
            return None
        return Found("new_scripts", self.count, self.LEASH)

    def repeats(self, call: CallSeen) -> bool:
        """Return whether a command after the nudge fails in the same way."""
        return bool(call.line) and is_bad(call.output) and _last_line(call.output) == self.failure

    def is_over(self, call: CallSeen) -> bool:
        """Return whether a command succeeds, or fails in another way."""
        if not call.line or call.lists:
            return False
        return not self.repeats(call)

    def cleared(self) -> Self:
        """Return the pattern without its failures."""
        return replace(self, failure="", count=0)


def _last_line(output: str, script: str = "") -> str:
    """Return the last line of an output, where most programs name the error."""
    lines = output.rstrip().rpartition("\n")
    line = lines[2].strip()
    if script:
        return line.replace(script, "<script>")
    return line
