"""Where an old text is in a file, as characters or as lines: what the judge of applied requests looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.line_tokens import cuts_token, strength
from holdfast.landing.text.lines import contents_of, keys_in
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.text.lines import Doc


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where an old text is in a file, and the text that is to replace it: as characters."""

    doc: Doc
    at: int
    old: str
    new: str

    @property
    def text(self) -> str:
        """What the old text is found in."""
        return self.doc.text

    @property
    def rest(self) -> str:
        """The rest of the line behind the old text, with its ending."""
        stop = self.at + len(self.old)
        newline = self.text.find("\n", stop)
        if newline < 0:
            return self.text[stop:]
        return self.text[stop : newline + 1]

    @property
    def fresh_keys(self) -> set[str]:
        """The new lines that say something and that the old text does not have."""
        old, new = keys_in(contents_of(self.old)), keys_in(contents_of(self.new))
        return set(filter(strength, new)).difference(old)

    def has_new_at(self, line: int) -> bool:
        """Return whether the new text begins on a file line; a text without a word is everywhere."""
        if not 0 <= line < len(self.doc.lines):
            return False
        if not key_of(self.new):
            return True
        first, stop = self.bounds_of(line)
        at = self.text.find(self.new, first, stop - 1 + len(self.new))
        if at < 0:
            return False
        return not any(cuts_token(self.text, at, at + len(self.new)))

    def bounds_of(self, line: int) -> tuple[int, int]:
        """Return where a file line begins, and where it ends."""
        return self.doc.offset(line), self.doc.offset(line + 1)


class LineOccurrence(Occurrence):
    """Where old lines are in a file: `at` is the first file line, the texts are keys with a newline before and behind each."""

    @property
    def text(self) -> str:
        """All keys of the file."""
        return self.doc.joined_keys

    def bounds_of(self, line: int) -> tuple[int, int]:
        """Return where a file line begins; its key begins nowhere else."""
        start = self.doc.key_offset(line)
        return start, start + 1


def occurrence_of_lines(
    doc: Doc, old: Sequence[str], new: Sequence[str], first: int
) -> LineOccurrence:
    """Return the occurrence of old lines, of which the first one is the file line `first`."""
    old_keys, new_keys = ("\n".join(("", *keys_in(lines), "")) for lines in (old, new))
    return LineOccurrence(doc, first, old_keys, new_keys)
