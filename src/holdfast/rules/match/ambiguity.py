"""Where an edit of tokens fits and may still not be what was meant: then nothing is done."""

from __future__ import annotations

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
    """Whether the edit of the tokens `low` to `high` could as well have been another one."""
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
    """Whether the bracket could be closed before an operator too: `(a + b / 2` may be a sum or a quotient.

    Those that end right before the place count as open, for each of their ends may be another's. In a statement that is
    nothing but a call, and in the head of an `if`, the outermost can only end it: `log(a == b` compares no `log(a)`.
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
    """Give the innermost bracket that is open before a token, if it is one of these."""
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
    """Whether an operator stands in the brackets, behind the last comma, where they may have been meant to end.

    Around an operand any: brackets around a whole sum would be for nothing. In a call one that compares: what is
    compared is rather what the call gives; and any that follows a bracket, for of two brackets one is lost easily.
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
        # One with nothing before it is a sign: `f(-1`.
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
    """Whether a statement begins with the name of what is called with this bracket, or with the word for its head."""
    if opened and source.tokens[opened - 1].text in _HEADS:
        return True
    line = source.line_starts[source.line_of(source.tokens[opened].start)]
    head = source.text[line : source.tokens[opened].start].strip()
    return bool(head) and all(part.isidentifier() for part in head.split("."))


def _ends_no_string(source: ParsedSource, low: int, mark: str) -> bool:
    """Whether no string is open on the line there, or it could have ended before: `f("a, 1)`, `"a + b`."""
    line = source.line_starts[source.line_of(source.tokens[low - 1].start)] if low else 0
    on_line = [token for token in source.tokens[:low] if token.start >= line]
    opened = next((number for number, token in enumerate(on_line) if token.text == mark), None)
    if opened is None:
        return True
    bracket = low < len(source.tokens) and source.tokens[low].kind == "close"
    texts = {token.text for token in on_line[opened + 1 :]}
    return not texts.isdisjoint({"+", "%"}) or (bracket and "," in texts)


def _is_in_list(tokens: Sequence[Token], low: int) -> bool:
    """Whether a comma is wanted at a place: in a call or a list, or where the brackets have one already.

    In `(a b)` and `x[a b]` an operator may be what is missing, and a block holds statements.
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
    """Give what stands directly in the brackets that open there."""
    depth, texts = 0, set()
    for token in tokens[opened + 1 : opened + _FAR_BACK]:
        depth += {"open": 1, "close": -1}.get(token.kind, 0)
        if depth < 0:
            break
        if depth == 0:
            texts.add(token.text)
    return texts
