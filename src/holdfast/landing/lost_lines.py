"""Whether a placeholder in the new text stands for lines that would be lost.

What the placeholder says does not matter: what vanishes where it appears does.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.ladder.elision import is_gap
from holdfast.landing.text.edit_script import EditScript, ScriptEdit, script_of
from holdfast.landing.text.languages import comment_words, has_dots, is_comment_like
from holdfast.landing.text.line_keys import indent_of, key_of
from holdfast.landing.text.line_tokens import strength, words_of
from holdfast.landing.text.lines import is_blank, solid_lines

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
    if not any(is_comment_like(line, language) for line in frozenset(new).difference(old)):
        return None

    script = script_of(list(old), list(new))
    for edit in script.edits:
        for at in _placeholders(script, edit, language):
            if _loses_lines(script, edit, at, language, whole_file=whole_file):
                return refusals.lost_lines(new[at], whole_file=whole_file)

    return None


def _loses_lines(
    script: EditScript, edit: ScriptEdit, at: int, language: FileLanguage, *, whole_file: bool
) -> bool:
    """Return whether more lines vanish than may where the new line `at` appears, or one that names a block."""
    code_only = not has_dots(script.new[at])
    lost = _lost_lines(script, edit, language, code_only=code_only)
    if len(lost) > _allowed_loss(script, edit, at, whole_file=whole_file):
        return True
    if not any(language.name_in([line], 0) for line in lost):
        return False
    return edit.n2 - edit.n1 == 1 or not _is_about_next(script, edit, at)


def _allowed_loss(script: EditScript, edit: ScriptEdit, at: int, *, whole_file: bool) -> int:
    """Return how many lines may vanish where the new line `at` appears.

    Above a line that stays it may be an honest comment: then as many as other lines are added.
    """
    if has_dots(script.new[at]):
        return 0
    if _is_about_next(script, edit, at):
        others = edit.n2 - edit.n1 - 1
        return others or len(script.old)
    if whole_file:
        return 0
    return 1


def _placeholders(script: EditScript, edit: ScriptEdit, language: FileLanguage) -> list[int]:
    """Return the numbers of the new lines of the edit that may stand for others.

    A comment without dots does so only at the end.
    """
    known = frozenset(map(key_of, script.old))
    last = _last_line(script, edit)
    found = []
    for at in range(edit.n1, edit.n2):
        line = script.new[at]
        if not is_comment_like(line, language) or key_of(line) in known:
            continue
        if at == last or is_gap(line):
            found.append(at)

    return found


def _last_line(script: EditScript, edit: ScriptEdit) -> int | None:
    """Return the number of the last new line of the edit that has a letter or a digit, or None."""
    for at in range(edit.n2 - 1, edit.n1 - 1, -1):
        if strength(script.new[at]):
            return at
    return None


def _is_about_next(script: EditScript, edit: ScriptEdit, at: int) -> bool:
    """Return whether a line that stays follows the comment at `at` directly and no less indented."""
    if edit.n2 == len(script.new) or any(map(is_blank, script.new[at + 1 : edit.n2])):
        return False

    following = script.new[edit.n2]
    if not strength(following) or following.lstrip().startswith("</"):
        return False

    # A line of a `/** … */` comment is one column deeper than the code below it.
    return _columns(following) >= _columns(script.new[at]) - 1


def _columns(line: str) -> int:
    return len(indent_of(line).expandtabs())


def _lost_lines(
    script: EditScript, edit: ScriptEdit, language: FileLanguage, *, code_only: bool
) -> list[str]:
    """Return the lines that the edit removes, and that the new text neither has nor rewrites nor comments out.

    A line is rewritten by an added line that begins with the same word.
    """
    moved = Counter(key_of(script.new[n]) for n in script.added)
    added = solid_lines(script.new[edit.n1 : edit.n2])
    comments = {comment_words(line) for line in added if is_comment_like(line, language)}
    rewriting = Counter(map(_first_word, added))
    lost = []
    for line in script.old[edit.o1 : edit.o2]:
        if moved[key_of(line)] > 0:
            moved[key_of(line)] -= 1
            continue
        if comment_words(line) in comments:
            continue
        # Dots may stand for a comment, or for blank lines.
        if code_only and (is_blank(line) or is_comment_like(line, language)):
            continue
        if rewriting[_first_word(line)] > 0:
            rewriting[_first_word(line)] -= 1
        else:
            lost.append(line)

    return lost


def _first_word(line: str) -> str:
    return next(iter(words_of(line)), "")
