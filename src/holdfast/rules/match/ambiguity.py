"""Ambiguous edits of tokens: where another edit could have been meant, nothing is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.syntax.source import ParsedSource
    from holdfast.syntax.tokens import Token

_PAIRS = {")": "(", "]": "[", "}": "{"}
_COMPARE = """== === != !== < > <= >= && || and or in is instanceof"""
_COMPARES = frozenset(_COMPARE.split())
_SPLITS = _COMPARES | frozenset(("+", "-", "*", "/", "%", "|", "&", "^"))
_HEADS = frozenset({"if", "while", "for", "switch", "catch", "with", "elif"})
_NO_CALLERS = frozenset(
    {"return", "and", "or", "not", "in", "is", "yield", "await", "else", "throw", "raise"}
)
_FAR_BACK = 400


def is_ambiguous(source: ParsedSource, low: int, high: int, new: str) -> bool:
    """Return whether the edit of the tokens `low` to `high` could as well have been another one."""
    removed = source.tokens[low:high]
    mark = new.strip()
    if not removed and mark in _PAIRS:
        return _closes_one_of_several(source, low, mark)
    if not removed and mark in {"'", '"'}:
        return not source.marks and _ends_no_string(source, low, mark)
    if not removed and mark == ",":
        return not _is_in_list(source.tokens, low)
    return False


def _closes_one_of_several(source: ParsedSource, low: int, mark: str) -> bool:
    """Return whether the bracket could also be closed before an operator.

    `(a + b / 2` may be a sum or a quotient. Brackets that end right before the place count as open,
    for each of their ends may belong to another one. In a statement that is only a call, and in the
    head of an `if`, the outermost bracket can only end it: `log(a == b` compares no `log(a)`.
    """
    tokens = source.tokens
    opened = _open_before(tokens, low, _PAIRS[mark])
    if opened is None:
        return False
    last = low
    while last > opened + 1 and tokens[last - 1].text == mark:
        last -= 1
        inner = _open_before(tokens, last, _PAIRS[mark])
        if inner is not None and _could_end_earlier(tokens, inner, last):
            return True
    return not _is_whole_call(source, opened) and _could_end_earlier(tokens, opened, low)


def _open_before(tokens: Sequence[Token], low: int, opener: str) -> int | None:
    """Return the innermost bracket that is open before a token, if it is one of `opener`."""
    opened = _innermost_open(tokens, low)
    return opened if opened is not None and tokens[opened].text == opener else None


def _innermost_open(tokens: Sequence[Token], low: int) -> int | None:
    depth = 0
    for number in range(low - 1, max(-1, low - _FAR_BACK), -1):
        if tokens[number].kind == "close":
            depth += 1
        elif tokens[number].kind == "open":
            if depth == 0:
                return number
            depth -= 1
    return None


def _could_end_earlier(tokens: Sequence[Token], opened: int, closed: int) -> bool:
    """Return whether an operator after the last comma shows where the brackets might have ended.

    Around an operand any operator does: brackets around a whole sum would be needless. In a call a
    comparison does, because the result of a call is compared rather than its argument; and so does
    any operator after a bracket, because of two brackets one is easily lost.
    """
    caller = tokens[opened - 1] if opened else None
    called = (
        caller is not None
        and caller.kind in {"name", "close", "keyword"}
        and caller.text not in _NO_CALLERS
    )
    depth, found = 0, False
    for number in range(opened + 1, closed):
        token = tokens[number]
        depth += {"open": 1, "close": -1}.get(token.kind, 0)
        # An operator with nothing before it is a sign: `f(-1`.
        before = tokens[number - 1]
        splits = _SPLITS if before.text == ")" or not called else _COMPARES
        if (
            depth == 0
            and token.text in splits
            and before.kind not in {"open", "operator", "keyword"}
        ):
            found = True
        elif depth == 0 and token.text == ",":
            found = False
    return found


def _is_whole_call(source: ParsedSource, opened: int) -> bool:
    """Return whether a statement begins with the name called with this bracket, or its keyword."""
    if opened and source.tokens[opened - 1].text in _HEADS:
        return True
    line = source.line_starts[source.line_of(source.tokens[opened].start)]
    head = source.text[line : source.tokens[opened].start].strip()
    return bool(head) and all(part.isidentifier() for part in head.split("."))


def _ends_no_string(source: ParsedSource, low: int, mark: str) -> bool:
    """Return whether no string is open there, or it could have ended before: `f("a, 1)`."""
    line = source.line_starts[source.line_of(source.tokens[low - 1].start)] if low else 0
    on_line = [token for token in source.tokens[:low] if token.start >= line]
    opened = next((number for number, token in enumerate(on_line) if token.text == mark), None)
    if opened is None:
        return True
    bracket = low < len(source.tokens) and source.tokens[low].kind == "close"
    texts = {token.text for token in on_line[opened + 1 :]}
    return not texts.isdisjoint({"+", "%"}) or (bracket and "," in texts)


def _is_in_list(tokens: Sequence[Token], low: int) -> bool:
    """Return whether a comma is missing at a place: in a call or a list, or after another comma.

    In `(a b)` and `x[a b]` an operator may be missing, and a block contains statements.
    """
    opened = _innermost_open(tokens, low)
    if opened is None:
        return False
    before = tokens[opened - 1] if opened else None
    called = before is not None and (
        before.kind in {"name", "close"} or before.text in {"super", "this"}
    )
    if tokens[opened].text == ("(" if called else "["):
        return True
    texts = _texts_within(tokens, opened)
    return ";" not in texts and not texts.isdisjoint({",", ":"})


def _texts_within(tokens: Sequence[Token], opened: int) -> set[str]:
    """Return the texts of the tokens directly in the brackets that open there."""
    depth, texts = 0, set()
    for token in tokens[opened + 1 : opened + _FAR_BACK]:
        depth += {"open": 1, "close": -1}.get(token.kind, 0)
        if depth < 0:
            break
        if depth == 0:
            texts.add(token.text)
    return texts
