"""How a whole text is mangled between the model and us: escapes, entities, line numbers, wrappers.

Each takes old and new, both as the model meant them, and gives them as they arrive; None where it does not fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Final, TypeAlias

Pair: TypeAlias = tuple[str, str]
Mangling: TypeAlias = Callable[[str, str, Random, int], Pair | None]
"""(old, new, rng, first line number) -> old and new as they arrive."""

_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_QUOTED_ENTITIES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
)
_ENTITY: Final = re.compile(r"&#?\w+;")
_WRAPPERS: Final = (
    ("<tool_call>\n", "\n</tool_call>"),
    ("", "\n</parameter>\n</tool_call>"),
    ("<tool_call>\n", "\n</tool_call>\n"),
)


def escaped_newlines(old: str, new: str, rng: Random, start: int) -> Pair | None:
    """Newlines arrive as a backslash and an n, tabs and quotes likewise."""
    del rng, start
    if "\\" in old + new or "\n" not in old.rstrip("\n"):
        return None
    return _json_escaped(old), _json_escaped(new)


def escaped_quotes(old: str, new: str, rng: Random, start: int) -> Pair | None:
    """Quotes arrive with a backslash before them."""
    del rng, start
    if "\\" in old + new or '"' not in old:
        return None
    return old.replace('"', '\\"'), new.replace('"', '\\"')


def html_entities(old: str, new: str, rng: Random, start: int) -> Pair | None:
    """`<`, `>` and `&` arrive as entities."""
    del start
    if _ENTITY.search(old + new) or not re.search("[<>&]", old):
        return None
    table = rng.choice((_ENTITIES, _QUOTED_ENTITIES))
    return old.translate(table), new.translate(table)


def numbered(old: str, new: str, rng: Random, start: int) -> Pair | None:
    """Each line begins with its number, copied from a listing."""
    style = rng.choice(_NUMBER_STYLES)
    return _with_numbers(old, style, start), _with_numbers(new, style, start)


def numbered_old(old: str, new: str, rng: Random, start: int) -> Pair | None:
    """Each line of old begins with its number, the new ones do not."""
    return _with_numbers(old, rng.choice(_NUMBER_STYLES), start), new


def fenced(old: str, new: str, rng: Random, start: int) -> Pair | None:
    """Old and new stand in Markdown fences."""
    del start
    if "```" in old + new:
        return None
    opening, end = rng.choice(("```\n", "```python\n", "```ts\n")), rng.choice(("\n```", "\n```\n"))
    return opening + old.rstrip("\n") + end, opening + new.rstrip("\n") + end


def wrapped(old: str, new: str, rng: Random, start: int) -> Pair | None:
    """Markup of the protocol is left around old and new."""
    del start
    old, new = old.rstrip("\n"), new.rstrip("\n")
    if "<tool_call>" in old or "<<<<<<<" in old or "=======" in old + new:
        return None
    if rng.random() < 0.3:
        end = rng.choice(("", "\n"))
        return f"<<<<<<< SEARCH\n{old}\n======={end}", f"{new}\n>>>>>>> REPLACE{end}"
    head, tail = rng.choice(_WRAPPERS)
    return head + old + tail, head + new + tail


def crlf(old: str, new: str, rng: Random, start: int) -> Pair | None:
    """The model's lines end in CR LF."""
    del rng, start
    return old.replace("\n", "\r\n"), new.replace("\n", "\r\n")


def then(first: Mangling, second: Mangling) -> Mangling:
    """One mangling, then another."""

    def mangling(old: str, new: str, rng: Random, start: int) -> Pair | None:
        once = first(old, new, rng, start)
        return second(*once, rng, start) if once else None

    return mangling


_NUMBER_STYLES: Final = ("{:4d}| ", "{:4d} | ", "{}: ", "{:6d}\t", "L{}: ", "{:6d}\u2192")


def _with_numbers(text: str, style: str, start: int) -> str:
    end = "\n" if text.endswith("\n") else ""
    lines = text.removesuffix("\n").split("\n")
    return "\n".join(style.format(start + at) + line for at, line in enumerate(lines)) + end


def _json_escaped(text: str) -> str:
    return text.replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
