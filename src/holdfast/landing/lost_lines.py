"""Whether a placeholder in the new text stands for lines that would be lost.

What the placeholder says does not matter: what vanishes where it appears does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.ladder.elision import is_gap
from holdfast.landing.text.edit_script import EditScript, ScriptEdit, script_of
from holdfast.landing.text.languages import (
    comment_words,
    has_dots,
    is_about_text,
    is_comment_like,
    is_ellipsis_of_text,
)
from holdfast.landing.text.line_keys import indent_of, key_of
from holdfast.landing.text.line_tokens import first_word, strength
from holdfast.landing.text.lines import is_blank, solid_lines
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.text.languages import FileLanguage
    from holdfast.vocab.outcomes import Refused


def judge_lost_lines(
    old: Sequence[str],
    new: Sequence[str],
    language: FileLanguage,
    *,
    whole_file: bool = False,
) -> Refused | None:
    """Return the refusal of a new text that has a placeholder where lines of the old one vanish, or None.

    In a part of a file one line may become a comment without dots; in a whole file none may vanish there.
    """
    fresh = new_comments(old, new, language)
    if not fresh:
        return None

    # Nobody writes `# rest of the code` beside lines that change.
    clear = next(filter(partial(_is_clear, language), filter(fresh.__contains__, new)), None)
    if clear is not None and _removes_code(old, new, language):
        return refusals.lost_lines(clear, whole_file=whole_file)

    script = _joined_over_brackets(script_of(list(old), list(new)))
    for edit in script.edits:
        for at in _placeholders(script, edit, fresh):
            if _loses_lines(script, edit, at, language, whole_file=whole_file):
                return refusals.lost_lines(new[at], whole_file=whole_file)

    # It may be beside lines that stay: then what vanishes is in another edit.
    comments = filter(fresh.__contains__, new)
    placeholder = next(filter(stands_for_text, comments), None)
    if placeholder is None:
        return None
    for edit in script.edits:
        if _lost_lines(script, edit, language, code_only=True):
            return refusals.lost_lines(placeholder, whole_file=whole_file)
    return None


def _is_clear(language: FileLanguage, line: str) -> bool:
    """Return whether the line is like a comment and has only words about text; dots alone may be code."""
    if is_ellipsis_of_text(line):
        return True
    if not is_comment_like(line, language):
        return False
    return is_about_text(line)


def _removes_code(old: Sequence[str], new: Sequence[str], language: FileLanguage) -> bool:
    """Return whether a line of the old text that is no comment is in the new one no more, or less often."""
    gone = Counter(map(key_of, solid_lines(old))) - Counter(map(key_of, solid_lines(new)))
    return not all(is_comment_like(key, language) for key in gone)


def _joined_over_brackets(script: EditScript) -> EditScript:
    """Return the script with edits as one where only short lines are between them: `}` or `end` may close another block."""
    joined = list(script.edits[:1])
    for edit in script.edits[1:]:
        last = joined[-1]
        between = script.old[last.o2 : edit.o1]
        if max(map(strength, between), default=0) > _SHORT:
            joined.append(edit)
        else:
            joined[-1] = ScriptEdit(last.o1, edit.o2, last.n1, edit.n2)
    return replace(script, edits=tuple(joined))


_SHORT = 4
"""Letters and digits of a line that says nothing of its own."""


def stands_for_text(line: str) -> bool:
    """Return whether the line is dots, alone or at an end of a comment, or has only words about text."""
    if is_gap(line):
        return True
    return is_about_text(line)


def new_comments(old: Sequence[str], new: Sequence[str], language: FileLanguage) -> frozenset[str]:
    """Return the lines like comments that only the new text has."""
    fresh = frozenset(new).difference(old)
    comments = frozenset(line for line in fresh if may_stand_for_text(line, language))
    # Most requests have none, and the keys of all lines take long.
    if not comments:
        return comments

    known = frozenset(map(key_of, old))
    return frozenset(line for line in comments if key_of(line) not in known)


def may_stand_for_text(line: str, language: FileLanguage) -> bool:
    """Return whether the line is like a comment, or has only words about text."""
    if is_comment_like(line, language):
        return True
    # Also as a heading of Markdown.
    if is_ellipsis_of_text(line):
        return True
    if not is_about_text(line):
        return False
    # A line of code has marks.
    return _PLAIN_WORDS.fullmatch(key_of(line)) is not None


_PLAIN_WORDS = lazy_pattern(r"[\w' -]+\.?")


def _loses_lines(
    script: EditScript, edit: ScriptEdit, at: int, language: FileLanguage, *, whole_file: bool
) -> bool:
    """Return whether more lines vanish than may where the new line `at` appears, or one that names a block."""
    code_only = not has_dots(script.new[at])
    # What a clear placeholder stands for has not moved to another place.
    elsewhere = not stands_for_text(script.new[at])
    lost = _lost_lines(script, edit, language, code_only=code_only, elsewhere=elsewhere)
    if len(lost) > _allowed_loss(script, edit, at, len(lost), whole_file=whole_file):
        return True
    if not any(language.name_in([line], 0) for line in lost):
        return False
    if edit.n2 - edit.n1 == 1:
        return True
    return not _is_about_next(script, edit, at)


def _allowed_loss(
    script: EditScript, edit: ScriptEdit, at: int, lost: int, *, whole_file: bool
) -> int:
    """Return how many of the lost lines may vanish where the new line `at` appears.

    Above a line that stays it may be an honest comment: then one, or all if as many other lines are added as removed.
    """
    if stands_for_text(script.new[at]):
        return 0
    if _is_about_next(script, edit, at):
        others = len(solid_lines(script.new[edit.n1 : edit.n2])) - 1
        return max(1, lost + others - len(solid_lines(script.old[edit.o1 : edit.o2])))
    if whole_file:
        return 0
    return 1


def _placeholders(script: EditScript, edit: ScriptEdit, fresh: frozenset[str]) -> list[int]:
    """Return the numbers of the new lines of the edit, among the `fresh` comments, that may stand for others.

    A comment without dots does so only at the end.
    """
    lines = script.new[edit.n1 : edit.n2]
    # The last one that has a letter or a digit.
    last = max(compress(range(len(lines)), map(strength, lines)), default=-1)
    found = []
    for n, line in enumerate(lines):
        if line not in fresh:
            continue
        if n == last or stands_for_text(line):
            found.append(edit.n1 + n)

    return found


def _is_about_next(script: EditScript, edit: ScriptEdit, at: int) -> bool:
    """Return whether a line that stays follows the comment at `at` directly and no less indented."""
    if edit.n2 == len(script.new):
        return False
    if any(map(is_blank, script.new[at + 1 : edit.n2])):
        return False

    following = script.new[edit.n2]
    if not strength(following):
        return False
    if following.lstrip().startswith("</"):
        return False

    # A line of a `/** … */` comment is one column deeper than the code below it.
    return _columns(following) >= _columns(script.new[at]) - 1


def _columns(line: str) -> int:
    return len(indent_of(line).expandtabs())


def _lost_lines(
    script: EditScript,
    edit: ScriptEdit,
    language: FileLanguage,
    *,
    code_only: bool,
    elsewhere: bool = True,
) -> list[str]:
    """Return the lines that the edit removes, and that it neither has nor rewrites nor comments out.

    An added line that begins with the same word rewrites a line. With `elsewhere` it may also have moved to another edit.
    """
    added = solid_lines(script.new[edit.n1 : edit.n2])
    moved = Counter(map(key_of, added))
    if elsewhere:
        moved = Counter(key_of(script.new[n]) for n in script.added)
    comments = {comment_words(line) for line in added if is_comment_like(line, language)}
    rewriting = Counter(map(first_word, added))
    gone = []
    for line in script.old[edit.o1 : edit.o2]:
        key = key_of(line)
        if moved[key] > 0:
            moved[key] -= 1
            rewriting[first_word(line)] -= 1
        elif comment_words(line) not in comments:
            gone.append(line)

    lost = []
    for line in gone:
        # Dots may stand for a comment, or for blank lines.
        if code_only and (is_blank(line) or is_comment_like(line, language)):
            continue
        word = first_word(line)
        if rewriting[word] > 0:
            rewriting[word] -= 1
        else:
            lost.append(line)

    return lost


def judge_lost_blocks(
    old: Sequence[str], new: Sequence[str], language: FileLanguage
) -> Refused | None:
    """Return the refusal of a whole file with a new comment alone where several lines vanish that are not one comment, or None.

    In a whole file the placeholder may be anywhere: what is behind the lost lines was paired with another place.
    """
    fresh = new_comments(old, new, language)
    if not fresh:
        return None

    script = script_of(list(old), list(new))
    kept = frozenset(map(key_of, new))
    for edit in script.edits:
        added = solid_lines(script.new[edit.n1 : edit.n2])
        if len(added) != 1:
            continue
        if fresh.isdisjoint(added):
            continue
        (comment,) = added
        removed = solid_lines(script.old[edit.o1 : edit.o2])
        gone = frozenset(map(key_of, removed)) - kept - {comment_words(comment)}
        if len(gone) < 2:
            continue
        if not all(is_comment_like(line, language) for line in removed):
            return refusals.lost_lines(comment, whole_file=True)

    return None
