"""A diff as data: what a parser of any diff notation returns and what `landing.patch` lands."""

from __future__ import annotations

from functools import wraps
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, ParamSpec, TypeAlias, TypeVar

from holdfast.landing.text.line_keys import DASHES
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_Parameters = ParamSpec("_Parameters")
_Read = TypeVar("_Read")

Mark: TypeAlias = Literal[" ", "+", "-", "?"]
"""Context, added, removed; `?` is a line without a marker: context that lost its leading space."""


@dataclass(frozen=True, slots=True)
class HunkLine:
    """One line of a hunk's body, without its marker and without its line ending."""

    mark: Mark
    text: str
    no_newline: bool = False
    """`\\ No newline at end of file` was below this line."""


_LIKE_MARKS: dict[str, Mark] = {
    **dict.fromkeys(DASHES, "-"),
    "\uff0d": "-",
    "\uff0b": "+",
}
"""Dashes and full-width marks."""


def mark_like(line: HunkLine) -> Mark | None:
    """Return the mark that the first character of a line without a marker looks like, or None."""
    if line.mark != "?":
        return None
    return _LIKE_MARKS.get(line.text[:1])


def counts_of(lines: Sequence[HunkLine]) -> tuple[int, int]:
    """Return how many old and how many new lines these are."""
    marks = list(map(attrgetter("mark"), lines))
    return len(marks) - marks.count("+"), len(marks) - marks.count("-")


@dataclass(frozen=True, slots=True)
class Hunk:
    """One hunk. Numbers are a hint.

    `anchors` (lines after `@@` without numbers) are somewhere above the hunk.
    """

    lines: tuple[HunkLine, ...]
    start: int | None = None
    """The old side's first line as the header says, 1-based."""
    anchors: tuple[str, ...] = ()
    section: str = ""
    """What was behind the second `@@` of a numbered header."""
    at_end: bool = False
    """The hunk says that it ends at the end of the file (`*** End of File`)."""
    counts: tuple[int, int] | None = None
    """How many old and new lines the hunk has, as its header says."""


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One file's share of a diff.

    A path is None where the diff says `/dev/null`, and "" where it names none.
    """

    old_path: str | None
    new_path: str | None
    hunks: tuple[Hunk, ...]
    rename: bool = False

    @property
    def lines(self) -> list[HunkLine]:
        """The lines of all hunks."""
        bodies = map(attrgetter("lines"), self.hunks)
        return list(chain.from_iterable(bodies))


def text_of(lines: Sequence[HunkLine], newline: str) -> str:
    """Return the lines as a text, with this line ending."""
    text = "".join(line.text + newline for line in lines)
    last = lines[-1:]
    if any(map(attrgetter("no_newline"), last)):
        return text.removesuffix(newline)
    return text


@dataclass(frozen=True, slots=True)
class Malformed:
    """The text is not in the notation; `message` says what is wrong and how to write it again."""

    message: str


class MalformedError(Exception):
    """The text is not in the notation.

    Raised at any depth of a parser; `fault_as_value` returns it to the caller of the parser.
    """


def fault_as_value(
    read: Callable[_Parameters, _Read],
) -> Callable[_Parameters, _Read | Malformed]:
    """Return a parser that returns `Malformed` where the given one raises `MalformedError`."""

    @wraps(read)
    def read_or_fault(*args: _Parameters.args, **options: _Parameters.kwargs) -> _Read | Malformed:
        try:
            return read(*args, **options)
        except MalformedError as fault:
            return Malformed(str(fault))

    return read_or_fault


def malformed_like(example: str, sentence: str, line: int | None = None) -> MalformedError:
    """Return the fault of a reply: the line (1-based), what is wrong, and an example to imitate."""
    where = ""
    if line is not None:
        where = f"line {line}: "
    return MalformedError(f"{where}{sentence}\n{example}")
