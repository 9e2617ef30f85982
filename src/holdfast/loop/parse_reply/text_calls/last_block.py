"""Read the calls in the last block of a text: a code fence or JSON after words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.loop.parse_reply.quoted_parts import fences
from holdfast.loop.parse_reply.text_calls.whole_message import cut_leftovers, read_body, read_whole
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.loop.parse_reply.text_calls.found_call import FoundCall

LABELLED_FENCE = lazy_pattern(r"^[ \t]*Action[ \t]*:[ \t]*(?=`{3})", re.MULTILINE)
"""Command-R opens the fence behind a word on the same line."""
_OBJECT = lazy_pattern(
    r"^(?:\[\s*)?\{(?=\s*[\"'“](?:name|tool|tool_name|function|type)[\"'”]\s*:)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class LastBlock:
    """The calls of the last block, and the text before it.

    `only` is False if an earlier block is a call too: they may be alternatives.
    """

    calls: tuple[FoundCall, ...]
    before: str
    only: bool


def read_last_block(text: str, known: Callable[[FoundCall], bool]) -> LastBlock | None:
    """Return the calls with which a text ends, if they are all of `known` tools; else None.

    Text that follows the block is the answer, and the block is an example in it.
    """
    whole = read_whole(text, known)
    if whole:
        return LastBlock(whole, "", only=True)

    body = cut_leftovers(text.rstrip())
    before, block = _divide(body)
    calls = read_body(block)
    if not calls or not all(map(known, calls)):
        return None

    earlier = (read_whole(before[start:end], known) for start, end in fences(before))
    return LastBlock(calls, before, only=not any(earlier))


def _divide(body: str) -> tuple[str, str]:
    """Return the text before the last block, and the block: a fence or JSON, else nothing."""
    end = 0
    for start, end in fences(body):
        if end >= len(body):
            return body[:start], body[start:]

    labelled = LABELLED_FENCE.search(body, end)
    if labelled is not None:
        return body[: labelled.start()], body[labelled.end() :]

    found = _OBJECT.search(body, end)
    if found is None:
        return body, ""
    return body[: found.start()], body[found.start() :]
