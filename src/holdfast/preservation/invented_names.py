"""Missing names defined without meaning: `y = None` before `y` is read, or an empty function.

An import, a definition that does something or a meaningful value is a fix. An empty value (`None`,
`0`, `""`, no value) is a fix only where the old code itself sets the name near the error: `total +=
x` needs `total = 0`. An empty list or table is also a fix where the old code uses its contents:
`found.append(x)`.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from holdfast.preservation.function_bodies import BodyEffect, effect_of
from holdfast.syntax.node_kinds import DECLARED_FUNCTIONS
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from holdfast.preservation.diagnostic_mentions import Mentions
    from holdfast.syntax.source import ParsedSource

_NOTHING: Final = re.compile(
    r"|None|null|nil|NULL|nullptr|undefined|void 0|-?0+(?:\.0*)?[uUlLfFdD]*|"
    r"-?0(?:\.0)?(?:_?[iuf](?:\d+|size))|"
    r"[Ff]alse|[a-zA-Z]?(?:\"\"|'')|``|'\\0'|\.\.\.|Ellipsis|\(\)|object\(\)|Symbol\(\)|"
    r"(?:[\w:]+::)?default\(\)|String::(?:new|default)\(\)|(?:std::)?ptr::null\w*\(\)|"
    r"(?:todo|unimplemented|unreachable)!\(\)"
)
_EMPTY: Final = re.compile(
    r"\[\]|\{\s*0?\s*\}|(?:list|dict|set|tuple)\(\)|vec!\[\]|\w+::new\(\)|"
    r"(?:\[\])?(?:map\[\w+\])?[\w.]*\{\}|"
    r"new (?:Map|Set|Array|Object)(?:<[^()]*>)?\(\)|\((?:struct )?\w+\)\s*\{\s*0?\s*\}|"
    r"make\([^()]*\)"
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
_IDLE: Final = frozenset({BodyEffect.NOTHING, BodyEffect.RETURN, BodyEffect.RAISE})
_MEANS_NOTHING: Final = re.compile(r"main|(?:false|null|nil|none|no_?op)", re.IGNORECASE)
"""Names for nothing, and the one function that a program must have, even if it does nothing."""
_STATES: Final = re.compile(r"va_list|jmp_buf|std::\w+")
"""Types of variables that are passed to a function in order to be set."""


@dataclass(frozen=True, slots=True)
class _Made:
    """A name defined without a value, or with an `empty` value that may be filled."""

    name: str
    empty: bool


def invented(old: ParsedSource, new: ParsedSource, mentions: Mentions) -> set[str]:
    """Return the missing names that the new text defines without meaning."""
    if not mentions.undefined:
        return set()
    names = {name for name in mentions.undefined if not _MEANS_NOTHING.fullmatch(name)}
    added = Counter(_made(new, names)) - Counter(_made(old, names))
    imported = {
        word.text for kind in _IMPORTS for node in new.find(kind) for word in new.words_in(node)
    }
    added = Counter({each: times for each, times in added.items() if each.name not in imported})
    return {each.name for each in added if not _is_wanted(each, old, mentions.undefined[each.name])}


# ------------------------------------------------------------- definitions without meaning


def _made(reading: ParsedSource, names: set[str]) -> Iterator[_Made]:
    for name, value, empty in _bindings(reading):
        if name not in names:
            continue
        text = _bare_text(value)
        if _NOTHING.fullmatch(text):
            yield _Made(name, empty=empty)
        elif _EMPTY.fullmatch(text):
            yield _Made(name, empty=True)
    yield from (_Made(name, empty=False) for name in _idle(reading) if name in names)


def _bindings(reading: ParsedSource) -> Iterator[tuple[str, SgNode | None, bool]]:
    """Yield names with their values, and whether a name without a value may be filled.

    It may in Go and C++.
    """
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
            # A variable that Go declares without a value is ready to use.
            ready = kind == "var_spec" and value is None
            for name in re.findall(r"\w+", _named(named)):
                yield name, value, ready
    if reading.language in {"c", "cpp"}:
        yield from _declared(reading)


def _named(node: SgNode | None) -> str:
    text = node.text() if node is not None else ""
    text = re.sub(r"^(?:globalThis|window|global|self|mut)[.\s]+", "", text)
    # Only whole names: setting `lin.price` does not define `lin`.
    return text if re.fullmatch(r"[\w\s,*&()\[\]]*", text) else ""


def _declared(reading: ParsedSource) -> Iterator[tuple[str, SgNode | None, bool]]:
    """Yield what C declares without a value, except for `extern`, which the linker checks."""
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
    """Return whether a function gets the declared name: `getline(std::cin, s)`, `va_start(ap, n)`.

    A method does not count.
    """
    names = "|".join(each.text() for each in declaration.field_children("declarator"))
    passed = rf"(?<![.\w>])[\w:]+\([^()\n]*\b(?:{names})\b"
    return (
        re.fullmatch(r"[\w|]+", names) is not None and re.search(passed, reading.text) is not None
    )


def _idle(reading: ParsedSource) -> Iterator[str]:
    """Yield the names of functions and classes that do nothing."""
    for kind in DECLARED_FUNCTIONS:
        for node in reading.find(kind):
            body, named = node.field("body"), node.field("name") or node.field("declarator")
            outer = node.parent()
            if named is None and outer is not None and outer.kind() == "variable_declarator":
                named = outer.field("name")
            if body is None or named is None:
                continue
            effect = effect_of(body, reading)
            if effect in _IDLE or (effect is BodyEffect.CONSTANT and _returns_nothing(body)):
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


def _returns_nothing(body: SgNode) -> bool:
    value = re.sub(r"^\{?\s*(?:return\b)?\s*|[\s;]*\}?$", "", body.text())
    return _NOTHING.fullmatch(value) is not None or _EMPTY.fullmatch(value) is not None


def _bare_text(value: SgNode | None) -> str:
    """Return the text of a value without casts and parentheses."""
    while value is not None and value.kind() in {*_WRAPS, "cast_expression"}:
        inner = value.named_children()
        at = -1 if value.kind() in {"cast_expression", "type_assertion"} else 0
        value = value.field("value") or (inner[at] if inner else None)
    return " ".join(value.text().split()) if value is not None else ""


# ------------------------------------------------------------------ uses in the old code


def _is_wanted(made: _Made, old: ParsedSource, places: tuple[int, ...]) -> bool:
    """Return whether the old code sets the name near the error, or uses the contents of it."""
    return any(_is_set(made.name, old, *_around(old, place)) for place in places) or (
        made.empty
        and any(_is_worked_on(made.name, old.text[slice(*_around(old, place))]) for place in places)
    )


def _around(old: ParsedSource, place: int) -> tuple[int, int]:
    """Return the span of the outermost function around a place; outside of all, the whole text."""
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
    # Passed in order to be set: `scanf("%d", &n)`, `std::cin >> n`, `read_line(&mut n)`.
    handed = rf"&\s*(?:mut\s+)?{re.escape(name)}\b" + rf"|>>\s*{re.escape(name)}\b"
    return old.language != "python" and re.search(handed, old.text[start:end]) is not None


def _is_worked_on(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name)}\s*(?:\.|->|\[|<<)", text) is not None
