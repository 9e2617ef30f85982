"""Where a request's old lines are in the file, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.landing.text.lines import Doc, is_blank
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.vocab.outcomes import Rung


@dataclass(frozen=True, slots=True)
class Placement:
    """`pairs[j]` is the file's line for old line j, or None where the file has none for it."""

    pairs: tuple[int | None, ...]
    rung: Rung
    similarity: float = 1.0

    @property
    def first(self) -> int:
        """The first file line of the place."""
        return min(i for i in self.pairs if i is not None)

    @property
    def last(self) -> int:
        """The last file line of the place."""
        return max(i for i in self.pairs if i is not None)


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
    below: int | None = None
    for j, line in enumerate(old):
        if not is_blank(line):
            below = pairs[j]
        elif below is not None:
            below = below + 1 if below + 1 < len(doc.lines) and not doc.keys[below + 1] else None
            pairs[j] = below
    first = next((j for j, line in enumerate(old) if not is_blank(line)), len(old))
    above = pairs[first] if first < len(old) else None
    for j in range(first - 1, -1, -1):
        above = above - 1 if above is not None and above >= 1 and not doc.keys[above - 1] else None
        pairs[j] = above
    return tuple(pairs)
