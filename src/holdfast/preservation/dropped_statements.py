"""The failing statement: a fix must not delete it, comment it out or turn it into a string.

Deleting a statement is a fix if the compiler calls something there superfluous (unused, redefined,
unreachable, unexpected, …; see `diagnostic_mentions`), if the same statement is also elsewhere, or
if it only imports. Otherwise the new statements must contain some of its words, or be as many as
the deleted ones. A statement without an error may be deleted within the budget of words.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, TypeAlias

from holdfast.preservation.function_bodies import does_work
from holdfast.syntax.node_kinds import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from holdfast.preservation.diagnostic_mentions import Mentions
    from holdfast.syntax.source import ParsedSource

_Words: TypeAlias = tuple[str, ...]
HOLDERS: Final = BLOCKS | {
    "class_body",
    "interface_body",
    "enum_body",
    "field_declaration_list",
    "enum_body_declarations",
}
"""Nodes whose children are statements, or the members of a type."""

_KEPT_SHARE: Final = 0.25
_SHORT: Final = 3
_NOT_WORK: Final = (
    "import",
    "include",
    "use_declaration",
    "package",
    "function",
    "class",
    "method",
    "_item",
    "_definition",
)
_CODE: Final = re.compile(r"\w\s*\(|[\w\])]\s*[-+*/|&]?=(?![=>])|\w\.\w+\s*\(")
_NO_CODE: Final = re.compile(r"\s*(?:<{7}|={7}|>{7}|```|~~~|[{}()\[\];,\s]*$)")


def dropped(old: ParsedSource, new: ParsedSource, mentions: Mentions) -> str | None:
    """Return the failing statement that is deleted, on one line; None if there is none."""
    hidden = _hidden_text(old, new)
    if old.errors:
        return _dropped_line(old, new, mentions, hidden)
    then, now = (
        Counter(words for words, _ in _statements(old)),
        Counter(words for words, _ in _statements(new)),
    )
    lost, gained = then - now, now - then
    working = sum(1 for words, node in _statements(new) if words in gained and does_work(node))
    gone = sum(1 for words, node in _statements(old) if words in lost and does_work(node))
    blocks = [
        (at.start.index, at.end.index)
        for kind in BLOCKS
        for at in (block.range() for block in old.find(kind))
    ]
    for words, node in _statements(old):
        at = node.range()
        if (
            words not in lost
            or now[words]
            or not _failed(node, blocks, mentions)
            or any(word in node.kind() for word in _NOT_WORK)
        ):
            continue
        if mentions.is_superfluous(at.start.index, at.end.index):
            continue
        taken_up = _taken_up(words, gained)
        rewritten = working >= gone and not _is_in(words, hidden)
        if taken_up < _KEPT_SHARE and not rewritten:
            return _one_line(node.text())
    return None


def _statements(reading: ParsedSource) -> Iterator[tuple[_Words, SgNode]]:
    for kind in sorted(BLOCKS):
        for block in reading.find(kind):
            for child in block.named_children():
                if (
                    "comment" in child.kind()
                    or child.kind() in BLOCKS
                    or reading.is_dead(child.range().start.index)
                ):
                    continue
                words = reading.words_in(child, outside=HOLDERS)
                yield tuple(word.text for word in words if word.text != ";"), child


def forgiven_words(old: ParsedSource, mentions: Mentions) -> int:
    """Count the words of the statements and definitions that an error calls superfluous."""
    found: dict[int, tuple[int, SgNode]] = {}
    for kind in sorted(HOLDERS):
        for holder in old.find(kind):
            for child in holder.named_children():
                at = child.range()
                for place in mentions.superfluous:
                    size = at.end.index - at.start.index
                    if (
                        at.start.index <= place < at.end.index
                        and size < found.get(place, (size + 1, child))[0]
                    ):
                        found[place] = (size, child)
    nodes = {node.range().start.index: node for _, node in found.values()}
    return sum(sum(1 for _ in old.words_in(node)) for node in nodes.values())


def _failed(node: SgNode, blocks: list[tuple[int, int]], mentions: Mentions) -> bool:
    """Return whether an error points to this statement itself, and not to one inside it."""
    at = node.range()
    # A Python block of one statement has the same span as the statement.
    own = (at.start.index, at.end.index)
    inner = [
        block for block in blocks if own[0] <= block[0] and block[1] <= own[1] and block != own
    ]
    return any(
        at.start.index <= place < at.end.index
        and not any(start <= place < end for start, end in inner)
        for place in mentions.places
    )


def _taken_up(words: _Words, gained: Counter[_Words]) -> float:
    """Return the share of the words of a statement that are in the new statements."""
    wanted = Counter(part for word in words for part in _parts(word) if re.match(r"[\w\"']", part))
    there = Counter(part for each in gained for word in each for part in _parts(word))
    return (wanted & there).total() / wanted.total() if wanted else 1.0


def _parts(word: str) -> list[str]:
    """Return the words of a directive, or any other word as it is.

    `<map>` is one leaf, but not after `#inlude`.
    """
    return re.findall(r"\w+", word) if re.match(r"<\w|#\s*\w", word) else [word]


def _hidden_text(old: ParsedSource, new: ParsedSource) -> str:
    """Return the new text in comments and strings, without spaces: it may be the deleted code."""
    had = set(_asides(old))
    return "\n".join("".join(each.split()) for each in _asides(new) if each not in had)


def _asides(reading: ParsedSource) -> Iterator[str]:
    yield from reading.comments()
    yield from (
        word.text for word in reading.live_words if re.match(r"[A-Za-z]{0,3}#*[\"'`]", word.text)
    )


def _is_in(words: _Words, hidden: str) -> bool:
    return len(words) >= _SHORT and "".join("".join(words).split()) in hidden


def _dropped_line(
    old: ParsedSource, new: ParsedSource, mentions: Mentions, hidden: str
) -> str | None:
    """Return a line with an error that is deleted without a replacement.

    Lines are compared because the old text does not parse, so its tree is not reliable.
    """
    then, now = old.text.split("\n"), new.text.split("\n")
    kept = Counter(line.strip() for line in now)
    lost = Counter(line.strip() for line in then) - kept
    comments = {line for text in new.comments() for line in map(str.strip, text.split("\n"))}
    gained = [
        line
        for line in (kept - Counter(line.strip() for line in then))
        if line and line not in comments
    ]
    old_comments = {line for text in old.comments() for line in map(str.strip, text.split("\n"))}
    for place in mentions.places:
        at = old.text.count("\n", 0, place)
        for near in (at, at - 1):
            line = then[near].strip() if 0 <= near < len(then) else ""
            if (
                line not in lost
                or line in old_comments
                or kept[line]
                or not _CODE.search(line)
                or _NO_CODE.match(line)
            ):
                continue
            code = "".join(line.rstrip(";").split())
            is_hidden = len(code) > _SHORT and code in hidden
            if is_hidden or (
                not gained
                and not any(_NO_CODE.match(each) and each for each in lost if "<<<" in each)
            ):
                return _one_line(line)
    return None


def _one_line(text: str) -> str:
    first, _, rest = text.strip().partition("\n")
    return f"`{first[:80]}`" + (" …" if rest else "")
