"""Where a request's old lines are in the file, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.lines import Doc, is_blank, solid_numbers
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.vocab.outcomes import Rung


@dataclass(frozen=True, slots=True)
class Placement:
    """`pairs[j]` is the file's line for old line j; the file has no line for an old line without a pair."""

    pairs: Mapping[int, int]
    rung: Rung
    similarity: float = 1.0

    @property
    def first(self) -> int:
        """The first file line of the place."""
        return min(self.pairs.values())

    @property
    def last(self) -> int:
        """The last file line of the place."""
        return max(self.pairs.values())

    def known_of(self, old: Iterable[int]) -> list[int]:
        """Return the file's lines for these old lines, as far as it has them."""
        paired = filter(self.pairs.__contains__, old)
        return list(map(self.pairs.__getitem__, paired))

    def has_key(self, doc: Doc, j: int, line: str) -> bool:
        """Return whether old line `j` is paired, and is the file's line but for white space and typography."""
        if j not in self.pairs:
            return False
        partner = self.pairs[j]
        return doc.keys[partner] == key_of(line)

    def line_pairs(
        self, doc: Doc, old: Sequence[str], first: int = 0, last: int | None = None
    ) -> list[tuple[str, str]]:
        """Return each old line from `first` up to `last` that is paired, with the file's line."""
        found: list[tuple[str, str]] = []
        for j in range(len(old))[first:last]:
            if j in self.pairs:
                partner = doc.lines[self.pairs[j]]
                found.append((old[j], partner))
        return found


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


def with_blanks(doc: Doc, old: Sequence[str], solid_pairs: Mapping[int, int]) -> dict[int, int]:
    """Complete the pairs of the lines that are not blank with those of the blank lines between them.

    A blank line is optional: the k-th blank below a line is paired with the k-th blank below its partner, if it
    has that many; blanks above the first line are counted upwards.
    """
    pairs = dict(solid_pairs)
    first = min(solid_numbers(old), default=len(old))
    for j in range(first, len(old)):
        if is_blank(old[j]):
            _pair_blank(doc, pairs, j, 1)

    for j in range(first - 1, -1, -1):
        _pair_blank(doc, pairs, j, -1)

    return pairs


def _pair_blank(doc: Doc, pairs: dict[int, int], j: int, step: int) -> None:
    """Pair blank line `j` with the line below (1) or above (-1) the partner of the line before it, if that is blank."""
    if j - step not in pairs:
        return

    beside = pairs[j - step] + step
    if doc.keys[max(0, beside) : beside + 1] == [""]:
        pairs[j] = beside
