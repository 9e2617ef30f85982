"""Whether the text of a whole file was cut off before its end.

An honest deletion of the file's tail ends with a whole line and leaves no bracket open.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.text.code_spans import without_spans
from holdfast.landing.text.edit_script import EditScript, script_of
from holdfast.landing.text.file_kinds import kind_of
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.line_keys import key_of
from holdfast.landing.text.lines import contents_of, solid_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.vocab.outcomes import Refused


def judge_cut(text: str, new: str, path: str | None) -> Refused | None:
    """Return the refusal of a whole file whose text stops before its end, or None."""
    script = script_of(contents_of(text), contents_of(new))
    loss = _lost_at_end(script)
    # A text that adds lines may be cut too.
    is_open = text.endswith(_NEWLINES) and not new.endswith(_NEWLINES)
    if loss < 1 and not is_open:
        return None
    if not (_stops_in_block(text, new, path) or _stops_in_line(script, new, loss)):
        return None

    last = refusals.quoted(solid_lines(script.new)[-1])
    if loss < 1:
        return refusals.plain(
            "malformed",
            f"the text stops at {last}, in the middle of a line or with a bracket or a quote open: it was cut off. Send "
            "the whole file.",
        )
    return refusals.plain(
        "malformed",
        f"the text stops at {last}, and the lines of the file behind it would be lost: it was cut off. Send the whole "
        "file, or an edit of the lines that change; if the rest is to be deleted, end the text with a whole line and a "
        "newline.",
    )


_MANY_LINES = 3


def _lost_at_end(script: EditScript) -> int:
    """Return how many lines more the last edit removes than it adds, if it goes to the end of the file."""
    if not script.edits:
        return 0
    if not solid_lines(script.new):
        return 0
    last = script.edits[-1]
    if last.o2 < len(script.old):
        return 0

    moved = _count(map(script.new.__getitem__, script.added))
    lost = _count(script.old[last.o1 :]) - moved
    return lost.total() - len(solid_lines(script.new[last.n1 :]))


def _count(lines: Iterable[str]) -> Counter[str]:
    return Counter(map(key_of, solid_lines(lines)))


def _stops_in_line(script: EditScript, new: str, loss: int) -> bool:
    """Return whether the last line has no newline, is no line of the file, and was cut.

    It is the beginning of a line of the file; or several lines are lost, and most others are the file's.
    """
    if not new:
        return False
    if new.endswith(_NEWLINES):
        return False
    old = set(map(key_of, script.old))
    stump = key_of(script.new[-1])
    if stump in {"", *old}:
        return False
    if any(key.startswith(stump) for key in old):
        return True

    # Of 1,600 commits without their last newline four are so, and land with it.
    if loss < _MANY_LINES:
        return False
    fresh = solid_lines(map(script.new.__getitem__, script.added))
    return 2 * len(fresh) < len(solid_lines(script.new))


_NEWLINES = ("\n", "\r")
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"))


def _stops_in_block(text: str, new: str, path: str | None) -> bool:
    """Return whether a bracket or a quote is open at the end of the new code, and none at the end of the file."""
    if kind_of(path) == "prose":
        return False
    language = language_of(path)
    before = without_spans(text, language)
    after = without_spans(new, language)
    # What is left of strings and comments is a quote that is not closed.
    if before.count('"') == 0 and after.rpartition("\n")[2].count('"') == 1:
        return True
    for opening, closing in _PAIRS:
        if before.count(opening) != before.count(closing):
            continue
        if after.count(opening) > after.count(closing):
            return True
    return False
