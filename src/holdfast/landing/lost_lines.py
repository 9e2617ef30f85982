"""Whether a placeholder in the new text stands for lines that would be lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.ladder.elision import gap_at_end, unpaired_gap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.text.languages import FileLanguage
    from holdfast.vocab.outcomes import Refused


def judge_lost_lines(
    old: Sequence[str], new: Sequence[str], language: FileLanguage, *, whole_file: bool = False
) -> Refused | None:
    """Return the refusal of a new text that has a placeholder where lines of the old one vanish, or None.

    In a part of a file one line may become a comment; in a whole file none may vanish there.
    """
    cure = (
        "write the whole file out, or send an edit of the lines that change" if whole_file else ""
    )
    gap = unpaired_gap(old, new)
    if gap is not None:
        return refusals.unpaired_gap(gap, cure)
    gap = gap_at_end(old, new, language, least=1 if whole_file else 2)
    return None if gap is None else refusals.gap_at_end(gap, cure)
