"""What a model's copy does to characters, seen on lines the file has too, and undone on lines it has not."""

from __future__ import annotations

import unicodedata
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal

from holdfast.landing.text.line_keys import CLASSES, fold, indent_of
from holdfast.landing.text.line_tokens import tokens_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

_TABLES = [str.maketrans({**chars}) for chars in CLASSES]


@dataclass(frozen=True, slots=True)
class Drift:
    """Which classes of characters the request has where the file has plain ones."""

    trailing: bool = False
    classes: tuple[int, ...] = ()
    form: Literal["NFC", "NFD"] | None = None

    def undo(self, line: str) -> str:
        """Return the new line without the drift."""
        if self.trailing:
            line = line.rstrip()
        if not line.isascii():
            for number in self.classes:
                line = line.translate(_TABLES[number])
            if self.form:
                line = unicodedata.normalize(self.form, line)
        return line


def drift_between(pairs: Iterable[tuple[str, str]], text: str) -> Drift:
    """Return the drift of the request's lines against the file's own, from (request line, file line) pairs.

    If one class drifted, each class of which the file `text` has no character is undone too.
    """
    trailing = False
    classes: set[int] = set()
    form: Literal["NFC", "NFD"] | None = None
    for line, real in pairs:
        if line == real:
            continue
        trailing = trailing or (line != line.rstrip() and real == real.rstrip())
        if line.isascii():
            continue
        classes.update(
            number
            for number, chars in enumerate(CLASSES)
            if _count(line, chars) > _count(real, chars)
        )
        form = form or _form(line, real)
    if classes and text.isascii():
        classes.update(range(len(CLASSES)))
    elif classes:
        classes.update(number for number, chars in enumerate(CLASSES) if not _count(text, chars))
    return Drift(trailing, tuple(sorted(classes)), form)


def _count(line: str, chars: dict[str, str]) -> int:
    return sum(line.count(char) for char in chars)


def _form(line: str, real: str) -> Literal["NFC", "NFD"] | None:
    composed, decomposed = unicodedata.normalize("NFC", line), unicodedata.normalize("NFD", line)
    if composed == decomposed:
        return None
    if line != composed and unicodedata.is_normalized("NFC", real):
        return "NFC"
    if (
        line != decomposed
        and not unicodedata.is_normalized("NFC", real)
        and unicodedata.is_normalized("NFD", real)
    ):
        return "NFD"
    return None


def merge_line(old: str, new: str, real: str, drift: Drift) -> str:
    r"""Return the new line's body with the file's spelling of whatever `old` and `new` share.

    No indentation.

    >>> merge_line('say("a", x)', 'say("a", y)', 'say(\u201ca\u201d, x)', Drift())
    'say(“a”, y)'
    """
    body = new[len(indent_of(new)) :]
    ours = _tokens(old)
    theirs = _tokens(real)
    if [plain for plain, _ in ours] != [plain for plain, _ in theirs]:
        return drift.undo(body)
    written = _tokens(body)
    out: list[str] = []
    matcher = SequenceMatcher(
        None, [plain for plain, _ in ours], [plain for plain, _ in written], autojunk=False
    )
    for tag, o1, o2, n1, n2 in matcher.get_opcodes():
        # A blank or a bracket in common says nothing: only around a word do both lines mean the
        # same spot.
        if tag == "equal" and any(plain.isalnum() for plain, _ in ours[o1:o2]):
            out.extend(raw for _, raw in theirs[o1:o2])
        elif n2 > n1:
            out.append(drift.undo("".join(raw for _, raw in written[n1:n2])))
    tail = body[len(body.rstrip()) :]
    return "".join(out) + ("" if drift.trailing else tail)


def _tokens(line: str) -> list[tuple[str, str]]:
    """(folded, as written) for each token of the line's body.

    What folds to nothing clings to the token before.
    """
    out: list[tuple[str, str]] = []
    body = line.strip()
    # Combining marks are no word characters to `re`: compose first if that is all there is to it.
    composed = unicodedata.normalize("NFC", body)
    raw_tokens = tokens_of(body) if composed == body else _split_like(body)
    for raw in raw_tokens:
        plain = fold(raw)
        if raw.isspace() and plain:
            plain = " "
        if not plain:
            if out:
                out[-1] = (out[-1][0], out[-1][1] + raw)
            continue
        out.append((plain, raw))
    return out


def _split_like(body: str) -> list[str]:
    tokens: list[str] = []
    for raw in tokens_of(body):
        if tokens and (unicodedata.combining(raw[0]) or _ends_combined(tokens[-1], raw)):
            tokens[-1] += raw
        else:
            tokens.append(raw)
    return tokens


def _ends_combined(before: str, raw: str) -> bool:
    return bool(unicodedata.combining(before[-1])) and (raw[0].isalnum() or raw[0] == "_")
