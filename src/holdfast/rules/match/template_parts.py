"""New text as parts: constants, and holes for text of the message or of the old code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.rules.rule import FixEdit, Hole, TextPart
from holdfast.syntax.tokens import shape_of, tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

IMPORT_KINDS = frozenset(
    {"import_from_statement", "import_statement", "use_declaration", "import_declaration"}
)


def parts_of(
    new: str, target: str, args: Sequence[str], pieces: Mapping[int, str] | None = None
) -> tuple[TextPart, ...]:
    """Split new text into parts; `pieces` are the texts of matched pieces by number."""
    # A number in a message (`takes 1 argument`) is in the code by chance only.
    sources = [
        (text, Hole("arg", number))
        for number, text in enumerate(args)
        if shape_of(text) != "number"
    ]
    sources += [
        (tail_of(text), Hole("tail", number))
        for number, text in enumerate(args)
        if shape_of(text) == "path"
    ]
    sources += [(text, Hole("piece", number)) for number, text in (pieces or {}).items()]
    sources.sort(key=lambda source: -len(source[0]))
    tokens = tokenize(new, target)
    ends = {token.end for token in tokens}
    parts: list[TextPart] = []
    done = 0
    for token in tokens:
        if token.start < done:
            continue
        hole = next(
            (
                (hole, token.start + len(text))
                for text, hole in sources
                if text and new.startswith(text, token.start) and token.start + len(text) in ends
            ),
            None,
        )
        if hole is not None:
            parts += [new[done : token.start], hole[0]]
            done = hole[1]
    parts.append(new[done:])
    return tuple(part for part in parts if part != "")


def indented(parts: Sequence[TextPart], indent: str) -> tuple[TextPart, ...]:
    """Replace the indentation of each new line by that of the line where the text goes."""
    made: list[TextPart] = []
    for part in parts:
        lines = part.split("\n") if isinstance(part, str) else []
        if len(lines) < 2 or not all(line.startswith(indent) or not line for line in lines[1:]):
            made.append(part)
            continue
        made.append(lines[0])
        for line in lines[1:]:
            made += ["\n", Hole("indent"), line[len(indent) :]] if line else ["\n"]
    return tuple(part for part in made if part != "")


def tail_of(path: str) -> str:
    """Return the last name of a path.

    >>> tail_of("java.util.Map"), tail_of("std::cout"), tail_of("x")
    ('Map', 'cout', 'x')
    """
    return re.split(r"::|\.", path)[-1]


def join_constants(parts: Iterable[TextPart]) -> str:
    """Return the constant text of a fix, with a blank for each hole."""
    return " ".join(part for part in parts if isinstance(part, str))


def args_used(fix: Iterable[FixEdit]) -> set[int]:
    """Return the numbers of the arguments that the new text contains."""
    holes = (part for edit in fix for part in edit.parts if isinstance(part, Hole))
    return {hole.number for hole in holes if hole.of in {"arg", "tail"}}
