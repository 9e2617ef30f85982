"""Whether a new comment in a whole file stands where lines of the file vanish.

`judge_lost_lines` judges the last line of an edit. In a whole file the placeholder may be anywhere in it: what is behind
the lost lines was paired with another place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.lost_lines import new_comments
from holdfast.landing.text.edit_script import script_of
from holdfast.landing.text.languages import comment_words, is_comment_like
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.lines import solid_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.text.languages import FileLanguage
    from holdfast.vocab.outcomes import Refused


def judge_lost_blocks(
    old: Sequence[str], new: Sequence[str], language: FileLanguage
) -> Refused | None:
    """Return the refusal of a whole file with a new comment alone where several lines vanish that are not one comment, or None."""
    fresh = new_comments(old, new, language)
    if not fresh:
        return None

    script = script_of(list(old), list(new))
    kept = frozenset(map(key_of, new))
    for edit in script.edits:
        added = solid_lines(script.new[edit.n1 : edit.n2])
        if len(added) != 1 or fresh.isdisjoint(added):
            continue
        (comment,) = added
        removed = solid_lines(script.old[edit.o1 : edit.o2])
        gone = frozenset(map(key_of, removed)) - kept - {comment_words(comment)}
        if len(gone) < 2:
            continue
        if not all(is_comment_like(line, language) for line in removed):
            return refusals.lost_lines(comment, whole_file=True)

    return None
