"""Detect a call as an object whose keys are not ours: `{"nom": "read_file", …}`."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from holdfast.landing.formats.field_names import spell
from holdfast.loop.parse_reply.text_calls.block_openers import KEYED
from holdfast.loop.parse_reply.text_calls.whole_message import cut_leftovers
from holdfast.syntax.json_text import Cut, Read, read_json_text
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.vocab.tool_calls import ToolSpec

_OPENING_FENCE = lazy_pattern(r"[`~]{3,}[^\n]*\n")
_BLOCK = lazy_pattern(r"(?:\A|\n)(?=[`~]{3,}[^\n`]*\n\s*[\[{]|[\[{])")
_YAML = lazy_pattern(
    rf"(?:-[ \t]+)?{KEYED}[ \t]*\r?\n[ \t]*[^\s:][^\n:]{{0,40}}:[ \t]*\r?\n[ \t]+\S"
)
"""A name behind a key, then a key with a block below it."""
_MOST: Final = 16
"""The most places to read: each may cost a search over the rest of the text."""


def is_foreign_call(text: str, specs: Sequence[ToolSpec]) -> bool:
    """Return whether a text is, or ends with, an object that names one of the tools.

    Nothing is run of it: which of its fields is which argument would be a guess.
    """
    body = cut_leftovers(text.strip())
    names = {spell(spec.name): spec.name for spec in specs}
    yaml = _YAML.match(_unfence(body))
    if yaml is not None and _names_one({"": yaml.group("keyed")}, names, is_alone=True):
        return True

    for block in islice(_BLOCK.finditer(body), _MOST):
        value = _read_block(body[block.end() :])
        is_alone = block.end() == 0
        for fields in _objects(value):
            if _names_one(fields, names, is_alone=is_alone):
                return True
        if value is not None:
            return False

    return False


def _read_block(block: str) -> Any:
    """Return the JSON value of a block with nothing behind it, whole or cut; else None."""
    match read_json_text(_unfence(block)):
        case Read(value) | Cut(value):
            return value
    return None


def _unfence(block: str) -> str:
    opening = _OPENING_FENCE.match(block)
    if opening is None:
        return block
    return block[opening.end() :].rstrip("`~ \t\r\n")


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects in a value, the outer ones first."""
    inner: list[Any] = []
    if isinstance(value, list):
        inner = value
    if isinstance(value, dict):
        yield value
        inner = list(value.values())

    for item in inner:
        yield from _objects(item)


def _names_one(fields: dict[str, Any], names: dict[str, str], *, is_alone: bool) -> bool:
    """Return whether an object names one tool, and has something that may be its arguments.

    An object that is all of the reply may have the arguments beside the name. The name of a tool
    that is an ordinary word (`search`) needs an object beside it, and nothing else.
    """
    texts = filter(_is_text, [*fields, *fields.values()])
    named = [names[spelling] for spelling in map(spell, texts) if spelling in names]
    if len(named) != 1:
        return False

    has_arguments = any(isinstance(value, dict) for value in fields.values())
    if named[0].isalpha():
        return has_arguments and len(fields) == 2

    return has_arguments or is_alone


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
