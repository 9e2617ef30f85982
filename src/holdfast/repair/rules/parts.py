"""New text as parts: what comes from the message or from the old code is a hole, the rest stays as it is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from holdfast.repair.rules.rule import AddImport, FixEdit, Hole, Part, Pattern, Piece, TokenEdit
from holdfast.repair.rules.tokens import COMMON, is_invented, shape_of, tokenize
from holdfast.vocab.diagnostics import Diagnostic

IMPORT_KINDS = frozenset({"import_from_statement", "import_statement", "use_declaration", "import_declaration"})


def parts_of(new: str, target: str, args: Sequence[str], pieces: Mapping[int, str] | None = None) -> tuple[Part, ...]:
    """Cut new text into parts; `pieces` are the texts of pieces that it may take over, by number."""
    # A number in a message (`takes 1 argument`) is a number in the code by chance only.
    sources = [(text, Hole("arg", number)) for number, text in enumerate(args) if shape_of(text) != "number"]
    sources += [(tail_of(text), Hole("tail", number)) for number, text in enumerate(args) if shape_of(text) == "path"]
    sources += [(text, Hole("piece", number)) for number, text in (pieces or {}).items()]
    sources.sort(key=lambda source: -len(source[0]))
    tokens = tokenize(new, target)
    ends = {token.end for token in tokens}
    parts: list[Part] = []
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


def tail_of(path: str) -> str:
    """Give the last name of a path.

    >>> tail_of("java.util.Map"), tail_of("std::cout"), tail_of("x")
    ('Map', 'cout', 'x')
    """
    return re.split(r"::|\.", path)[-1]


def join_constants(parts: Iterable[Part]) -> str:
    """Give what a fix brings of its own, with a blank for each hole."""
    return " ".join(part for part in parts if isinstance(part, str))


def invents(parts: Iterable[Part], target: str) -> bool:
    """Whether the new text says something that neither the message nor the old code has said."""
    return any(is_invented(token) for token in tokenize(join_constants(parts), target))


def constants_of(
    fix: Sequence[FixEdit], pattern: Pattern, diagnostic: Diagnostic, before: str, target: str
) -> dict[int, tuple[str, ...]]:
    """Give the arguments that a rule holds to the values it has seen, because its fix may depend on them.

    An import is right for the very name only. A name that is replaced by an invented one is held (`pritn` → `print`).
    One that the fix or the pattern uses is free. Any other is held if it is a common word (`String`, `int`) or the fix
    invents something; else it is a name of that one program.
    """
    args, template = diagnostic.args, diagnostic.template
    used = args_used(fix)
    kept, removed = _tied(fix, pattern)
    invented = any(invents(edit.parts, target) for edit in fix)
    imports = (bool(used) and _is_import(pattern)) or any(isinstance(edit, AddImport) for edit in fix)
    swap = bool(used) and all(all(isinstance(part, Hole) for part in edit.parts) for edit in fix)
    words = set(re.findall(r"\w+", before))
    held: dict[int, tuple[str, ...]] = {}
    for number, value in enumerate(args):
        if imports:
            free = number not in used | kept and value in words and value not in COMMON
        elif number in used or (number in removed and not invented):
            free = True
        elif number in kept and number not in removed:
            free = shape_of(value) != "operator"
        elif shape_of(value) == "number":
            # Which line or argument it is, not how many there are.
            free = re.search(rf"\b(?:line|argument)(?:\(s\))? \{{{number}\}}", template, re.IGNORECASE) is not None
        elif _is_place(template, number):
            free = number not in removed
        else:
            local = value in words and value not in COMMON
            free = number not in removed and not invented and (swap or local)
        if not free:
            held[number] = (value,)
    return _related(held)


_PLACE_BEFORE = re.compile(
    r"(?:^Argument \{\d+\} to|compiler\.misc\.location: kindname\.class,"
    r"|kindname\.variable, \{\d+\}, kindname\.method,) $"
)


def _is_place(template: str, number: int) -> bool:
    """Whether an argument only says where it is: the function that is called, the class or method around it."""
    return _PLACE_BEFORE.search(template.partition(f"{{{number}}}")[0]) is not None


def _related(held: dict[int, tuple[str, ...]]) -> dict[int, tuple[str, ...]]:
    """Say one held argument by another where it is that one and a sign more (`&String` and `String`: `&{1}`)."""
    for number, (value,) in sorted(held.items()):
        for other, (part,) in sorted(held.items()):
            if shape_of(part) in {"name", "path"} and value in {f"&{part}", f"&mut {part}", f"{part} | None"}:
                rest = {each: values for each, values in held.items() if each not in {number, other}}
                return {**rest, number: (value.replace(part, f"{{{other}}}"),)}
    return held


def holds(values: Sequence[str], number: int, args: Sequence[str]) -> bool:
    """Whether an argument is one of the values that a rule holds it to."""
    if number >= len(args):
        return False
    said = {re.sub(r"\{(\d+)\}", lambda hole: _arg(args, int(hole[1])), value) for value in values if "{" in value}
    return args[number] in values or args[number] in said


def _arg(args: Sequence[str], number: int) -> str:
    return args[number] if number < len(args) else ""


def args_used(fix: Iterable[FixEdit]) -> set[int]:
    """Give the numbers of the arguments that the new text holds."""
    holes = (part for edit in fix for part in edit.parts if isinstance(part, Hole))
    return {hole.number for hole in holes if hole.of in {"arg", "tail"}}


def _is_import(pattern: Pattern) -> bool:
    return pattern.tree is not None and not IMPORT_KINDS.isdisjoint(pattern.tree.kinds)


def _tied(fix: Sequence[FixEdit], pattern: Pattern) -> tuple[set[int], set[int]]:
    """Give the arguments that the pattern holds, and those of them that the fix takes away."""
    kept: set[int] = set()
    removed: set[int] = set()
    if pattern.tree is not None:
        kept |= _args_in(pattern.tree)
    for edit in fix:
        if isinstance(edit, TokenEdit):
            removed |= {piece.arg for piece in edit.removed if piece.arg is not None}
            kept |= {piece.arg for piece in (edit.before, edit.after) if piece.arg is not None}
    return kept | removed, removed | _replaced(fix, pattern)


def _replaced(fix: Sequence[FixEdit], pattern: Pattern) -> set[int]:
    """Give the arguments of a tree whose piece a splice replaces."""
    numbered = dict(enumerate(_preorder(pattern.tree))) if pattern.tree is not None else {}
    found: set[int] = set()
    for edit in fix:
        start, end = getattr(edit, "start", None), getattr(edit, "end", None)
        if start is None or end is None or start[1] in {"end", "gap_after"} or end[1] in {"start", "gap_before"}:
            continue
        last = end[0] + sum(1 for _ in _preorder(numbered[end[0]])) - 1
        for number in range(start[0], last + 1):
            piece = numbered[number]
            if piece.arg is not None:
                found.add(piece.arg)
    return found


def _preorder(piece: Piece) -> Iterable[Piece]:
    yield piece
    for child in piece.children or ():
        yield from _preorder(child)


def _args_in(piece: Piece) -> set[int]:
    return {each.arg for each in _preorder(piece) if each.arg is not None}
