"""Where a request's old lines are in the file, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.landing.text.lines import Doc, is_blank, solid_numbers
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.vocab.outcomes import Rung


@dataclass(frozen=True, slots=True)
class Placement:
    """`pairs[j]` is the file's line for old line j, or None where the file has none for it."""

    pairs: tuple[int | None, ...]
    rung: Rung
    similarity: float = 1.0

    @property
    def known(self) -> list[int]:
        """The file's lines that are paired."""
        return self.known_of(range(len(self.pairs)))

    @property
    def first(self) -> int:
        """The first file line of the place."""
        return min(self.known)

    @property
    def last(self) -> int:
        """The last file line of the place."""
        return max(self.known)

    def known_of(self, old: Iterable[int]) -> list[int]:
        """Return the file's lines for these old lines, as far as it has them."""
        return [i for i in map(self.pairs.__getitem__, old) if i is not None]

    def line_pairs(
        self, doc: Doc, old: Sequence[str], first: int = 0, last: int | None = None
    ) -> list[tuple[str, str]]:
        """Return each old line from `first` up to `last` that is paired, with the file's line."""
        numbered = zip(old[first:last], self.pairs[first:last], strict=True)
        return [(line, doc.lines[i]) for line, i in numbered if i is not None]


@dataclass(frozen=True, slots=True)
class Veto:
    """A check that refused a place: its name, its reason, and the old line that it is about."""

    name: str
    reason: str
    line: str


@dataclass(frozen=True, slots=True)
class SeveralPlaces:
    """More than one place is as good; the file lines at which they begin."""

    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Nowhere:
    """No place will do; the file lines (from, to) that come closest, if any do, and why they will not."""

    closest: tuple[int, int] | None = None
    veto: Veto | None = None


@dataclass(frozen=True, slots=True)
class AlreadyApplied:
    """What the request would write is there already, at this file line."""

    line: int


@dataclass(frozen=True, slots=True)
class Doubtful:
    """Something like the old lines is at `line`, but what the request would write is there already, at `done`."""

    line: int
    done: int


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Lines to delete are at `line`, but the request says `named`.

    There they may be gone already.
    """

    line: int
    named: int


def with_blanks(
    doc: Doc, old: Sequence[str], solid_pairs: Mapping[int, int]
) -> tuple[int | None, ...]:
    """Complete the pairs of the lines that are not blank with those of the blank lines between them.

    A blank line is optional: the k-th blank below a line is paired with the k-th blank below its partner, if it
    has that many; blanks above the first line are counted upwards.
    """
    pairs: list[int | None] = [solid_pairs.get(j) for j in range(len(old))]
    first = min(solid_numbers(old), default=len(old) - 1)
    for j in range(first + 1, len(old)):
        if is_blank(old[j]):
            pairs[j] = _blank_beside(doc, pairs[j - 1], 1)

    for j in range(first - 1, -1, -1):
        pairs[j] = _blank_beside(doc, pairs[j + 1], -1)

    return tuple(pairs)


def _blank_beside(doc: Doc, line: int | None, step: int) -> int | None:
    """Return the line below (1) or above (-1), if it is blank."""
    if line is None:
        return None

    beside = line + step
    if not 0 <= beside < len(doc.lines) or doc.keys[beside]:
        return None
    return beside
