"""A name that was missing, made up: `y = None` before the line that reads `y`, or a function that does nothing.

The line that is drawn: an import, a definition that does something or a value that says something is a fix. Nothing at
all (`None`, `0`, `""`, no value) is one only where the old code itself sets the name, near the error: `total += x`
wants its `total = 0`. An empty list or table is one also where the old code works on it: `found.append(x)`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from holdfast.preservation.function_bodies import Deed, deed_of
from holdfast.syntax.node_kinds import DECLARED_FUNCTIONS

if TYPE_CHECKING:
    from ast_grep_py import SgNode

    from holdfast.preservation.diagnostic_mentions import Spoken
    from holdfast.syntax.source import ParsedSource

_NOTHING: Final = re.compile(
    r"|None|null|nil|NULL|nullptr|undefined|void 0|-?0+(?:\.0*)?[uUlLfFdD]*|-?0(?:\.0)?(?:_?[iuf](?:\d+|size))|"
    r"[Ff]alse|[a-zA-Z]?(?:\"\"|'')|``|'\\0'|\.\.\.|Ellipsis|\(\)|object\(\)|Symbol\(\)|"
    r"(?:[\w:]+::)?default\(\)|String::(?:new|default)\(\)|(?:std::)?ptr::null\w*\(\)|"
    r"(?:todo|unimplemented|unreachable)!\(\)"
)
_EMPTY: Final = re.compile(
    r"\[\]|\{\s*0?\s*\}|(?:list|dict|set|tuple)\(\)|vec!\[\]|\w+::new\(\)|(?:\[\])?(?:map\[\w+\])?[\w.]*\{\}|"
    r"new (?:Map|Set|Array|Object)(?:<[^()]*>)?\(\)|\((?:struct )?\w+\)\s*\{\s*0?\s*\}|make\([^()]*\)"
)
_WRAPS: Final = frozenset(
    {
        "as_expression",
        "satisfies_expression",
        "non_null_expression",
        "type_assertion",
        "type_cast_expression",
        "parenthesized_expression",
    }
)
_SETS: Final = (
    "assignment",
    "augmented_assignment",
    "named_expression",
    "assignment_expression",
    "augmented_assignment_expression",
    "compound_assignment_expr",
    "update_expression",
    "assignment_statement",
    "inc_statement",
    "dec_statement",
    "for_in_statement",
    "global_statement",
    "nonlocal_statement",
    "short_var_declaration",
)
_IMPORTS: Final = (
    "import_statement",
    "import_from_statement",
    "import_declaration",
    "use_declaration",
)
_IDLE: Final = frozenset({Deed.NOTHING, Deed.RETURN, Deed.RAISE})
_MEANS_NOTHING: Final = re.compile(r"main|(?:false|null|nil|none|no_?op)", re.IGNORECASE)
"""Names for nothing, and the one function that a program must have, even if it does nothing."""
_STATES: Final = re.compile(r"va_list|jmp_buf|std::\w+")
"""What a function is given by its name, to be set."""


@dataclass(frozen=True, slots=True)
class _Made:
    """A name that is given nothing, or something `empty` that may be filled."""

    name: str
    empty: bool


def invented(old: ParsedSource, new: ParsedSource, spoken: Spoken) -> set[str]:
    """Name what the compiler missed and the new text makes up."""
    if not spoken.undefined:
        return set()
    names = {name for name in spoken.undefined if not _MEANS_NOTHING.fullmatch(name)}
    added = Counter(_made(new, names)) - Counter(_made(old, names))
    imported = {
        word.text for kind in _IMPORTS for node in new.find(kind) for word in new.words_in(node)
    }
    added = Counter({each: times for each, times in added.items() if each.name not in imported})
    return {each.name for each in added if not _is_wanted(each, old, spoken.undefined[each.name])}


# ------------------------------------------------------------------------------------------------------ what is made up


def _made(reading: ParsedSource, names: set[str]) -> Iterator[_Made]:
    for name, value, empty in _bindings(reading):
        if name not in names:
            continue
        said = _bare_text(value)
        if _NOTHING.fullmatch(said):
            yield _Made(name, empty=empty)
        elif _EMPTY.fullmatch(said):
            yield _Made(name, empty=True)
    yield from (_Made(name, empty=False) for name in _idle(reading) if name in names)


def _bindings(reading: ParsedSource) -> Iterator[tuple[str, SgNode | None, bool]]:
    """Give names with their values, and whether what has none may be filled, which is so in Go and C++."""
    for kind, left, right in (
        ("assignment", "left", "right"),
        ("variable_declarator", "name", "value"),
        ("assignment_expression", "left", "right"),
        ("let_declaration", "pattern", "value"),
        ("const_item", "name", "value"),
        ("static_item", "name", "value"),
        ("short_var_declaration", "left", "right"),
        ("var_spec", "name", "value"),
        ("const_spec", "name", "value"),
        ("init_declarator", "declarator", "value"),
        ("preproc_def", "name", "value"),
    ):
        for node in reading.find(kind):
            named, value = node.field(left), node.field(right)
            # What Go declares without a value is ready to use.
            ready = kind == "var_spec" and value is None
            for name in re.findall(r"\w+", _named(named)):
                yield name, value, ready
    if reading.language in {"c", "cpp"}:
        yield from _declared(reading)


def _named(node: SgNode | None) -> str:
    text = node.text() if node is not None else ""
    text = re.sub(r"^(?:globalThis|window|global|self|mut)[.\s]+", "", text)
    # Names alone: to set `lin.price` makes up no `lin`.
    return text if re.fullmatch(r"[\w\s,*&()\[\]]*", text) else ""


def _declared(reading: ParsedSource) -> Iterator[tuple[str, SgNode | None, bool]]:
    """Give what C declares without a value; what is `extern` is somewhere, and the linker looks."""
    for node in reading.find("declaration"):
        if any(child.text() == "extern" for child in node.children()):
            continue
        kept = node.field("type")
        if kept is not None and _STATES.fullmatch(kept.text()) and _is_passed(node, reading):
            continue
        for each in node.field_children("declarator"):
            # An array is there to be filled.
            if each.kind() in {"identifier", "pointer_declarator"} and "(" not in each.text():
                yield from (
                    (name, None, reading.language == "cpp")
                    for name in re.findall(r"[A-Za-z_]\w*", each.text())[:1]
                )


def _is_passed(declaration: SgNode, reading: ParsedSource) -> bool:
    """Whether a function that is no method gets what is declared here: `getline(std::cin, s)`, `va_start(ap, n)`."""
    names = "|".join(each.text() for each in declaration.field_children("declarator"))
    passed = rf"(?<![.\w>])[\w:]+\([^()\n]*\b(?:{names})\b"
    return (
        re.fullmatch(r"[\w|]+", names) is not None and re.search(passed, reading.text) is not None
    )


def _idle(reading: ParsedSource) -> Iterator[str]:
    """Name the functions and classes that do nothing."""
    for kind in DECLARED_FUNCTIONS:
        for node in reading.find(kind):
            body, named = node.field("body"), node.field("name") or node.field("declarator")
            outer = node.parent()
            if named is None and outer is not None and outer.kind() == "variable_declarator":
                named = outer.field("name")
            if body is None or named is None:
                continue
            deed = deed_of(body, reading)
            if deed in _IDLE or (deed is Deed.CONSTANT and _gives_nothing(body)):
                yield from re.findall(r"[A-Za-z_]\w*", named.text())[:1]
    for node in reading.find("lambda"):
        outer, body = node.parent(), node.field("body")
        named = outer.field("left") if outer is not None and outer.kind() == "assignment" else None
        if named is not None and _NOTHING.fullmatch(_bare_text(body)):
            yield named.text()
    for node in reading.find("class_definition"):
        body, named = node.field("body"), node.field("name")
        if named is not None and body is not None and node.field("superclasses") is None:
            yield from [named.text()] if re.fullmatch(r"pass|\.\.\.", body.text().strip()) else []


def _gives_nothing(body: SgNode) -> bool:
    given = re.sub(r"^\{?\s*(?:return\b)?\s*|[\s;]*\}?$", "", body.text())
    return _NOTHING.fullmatch(given) is not None or _EMPTY.fullmatch(given) is not None


def _bare_text(value: SgNode | None) -> str:
    """Give a value without its casts and brackets."""
    while value is not None and value.kind() in {*_WRAPS, "cast_expression"}:
        inner = value.named_children()
        at = -1 if value.kind() in {"cast_expression", "type_assertion"} else 0
        value = value.field("value") or (inner[at] if inner else None)
    return " ".join(value.text().split()) if value is not None else ""


# ------------------------------------------------------------------------------------------- what the old code asks for


def _is_wanted(made: _Made, old: ParsedSource, places: tuple[int, ...]) -> bool:
    """Whether the old code sets the name near the error, or works on what may be filled."""
    return any(_is_set(made.name, old, *_around(old, place)) for place in places) or (
        made.empty
        and any(_is_worked_on(made.name, old.text[slice(*_around(old, place))]) for place in places)
    )


def _around(old: ParsedSource, place: int) -> tuple[int, int]:
    """Give the outermost function about a place; outside of all, the whole text."""
    spans = [at for kind in DECLARED_FUNCTIONS for at in (node.range() for node in old.find(kind))]
    about = [
        (at.start.index, at.end.index) for at in spans if at.start.index <= place < at.end.index
    ]
    return min(about, key=lambda span: span[0]) if about else (0, len(old.text))


def _is_set(name: str, old: ParsedSource, start: int, end: int) -> bool:
    for kind in _SETS:
        for node in old.find(kind):
            if not start <= node.range().start.index < end:
                continue
            first: SgNode | None = next(iter(node.named_children()), None)
            left = node if kind.endswith("al_statement") else node.field("left") or first
            if left is not None and name in re.findall(r"\w+", left.text()):
                return True
    loops = (left for node in old.find("for_statement") if (left := node.field("left")) is not None)
    if any(
        name in re.findall(r"\w+", left.text())
        for left in loops
        if start <= left.range().start.index < end
    ):
        return True
    # Handed out to be set: `scanf("%d", &n)`, `std::cin >> n`, `read_line(&mut n)`.
    handed = rf"&\s*(?:mut\s+)?{re.escape(name)}\b" + rf"|>>\s*{re.escape(name)}\b"
    return old.language != "python" and re.search(handed, old.text[start:end]) is not None


def _is_worked_on(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}\s*(?:\.|->|\[|<<)", text) is not None
