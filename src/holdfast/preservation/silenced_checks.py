"""Code written to silence a checker.

Examples are `as any`, `unsafe`, `(void)x`, an empty `catch`, a raw type.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, TypeAlias

from holdfast.preservation.fact_tables import CALLEES, STOPS
from holdfast.syntax.tree import all_nodes, field_text, first_field, parent_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource

Silencer: TypeAlias = tuple[str, str, str]
"""The kind of a node, how its text begins, and the words for it; "": the group of the pattern."""

_BROAD_NAMES: Final = "Exception|BaseException|NameError|AttributeError|TypeError|SyntaxError"
_BROAD: Final = re.compile(rf"except\s*(?::|[^:]*\b(?:{_BROAD_NAMES})\b)")
_WORK: Final = frozenset({*CALLEES, *STOPS, "break", "continue"})
"""The nodes that do something, or go on elsewhere."""
_VOID_POINTER: Final = r"\((?:const\s+)?void\s*\*\)"
_BYTES: Final = r"\b(?:char|byte|uint8_t|uintptr_t|intptr_t|void)\b"

_PYTHON: Final[tuple[Silencer, ...]] = (
    ("decorator", r"@(?:[\w.]*\.)?(no_type_check\w*)", ""),
    ("decorator", r"@(pytest\.mark\.(?:skip|xfail)\w*)", ""),
    ("decorator", r"@(unittest\.(?:skip\w*|expectedFailure))", ""),
    ("call", r"(?:\w+\.)*cast\(\s*['\"]?(?:\w+\.)*Any\b", "cast(Any"),
    ("call", rf"(?:\w+\.)*suppress\([^)]*\b(?:{_BROAD_NAMES})\b", "suppress(Exception)"),
    ("call", r"((?:warnings\.)?(?:filterwarnings|simplefilter))\(\s*['\"]ignore", ""),
    ("if_statement", r"if\s*\(?\s*not\s+\(?(?:\w+\.)?TYPE_CHECKING\b", "if not TYPE_CHECKING"),
)
_SCRIPT: Final[tuple[Silencer, ...]] = (
    ("ambient_declaration", r"declare\b", "declare"),
    ("as_expression", r".*\bas\s+(?:unknown|never)\b", "as unknown as"),
    ("type_assertion", r"<\s*(?:unknown|never)\s*>", "as unknown as"),
    ("expression_statement", r"void\s+[A-Za-z_]\w*;?$", "void"),
    ("call_expression", r"((?:describe|it|test)\.(?:skip|todo)|xit|xdescribe|xtest)\(", ""),
)
_C: Final[tuple[Silencer, ...]] = (
    ("preproc_call", r"#\s*pragma\s+once", "#pragma once"),
    ("preproc_call", r"#\s*pragma\b(?!\s+once)", "#pragma"),
    ("preproc_call", r"#\s*line\b", "#line"),
    ("attribute_declaration", r".*(maybe_unused|gnu::|clang::|unused|deprecated)", ""),
    ("expression_statement", r"\(void\)\s*&?[A-Za-z_]\w*;", "(void)"),
    ("cast_expression", rf"\([^()]*\)\s*{_VOID_POINTER}", "a cast through void *"),
    ("init_declarator", rf"[^=]*=\s*{_VOID_POINTER}", "a cast through void *"),
    ("return_statement", rf"return\s*{_VOID_POINTER}", "a cast through void *"),
    ("template_function", r"(const_cast)\b", ""),
    # Casts for reading bytes or for printing an address are right.
    ("template_function", rf"(reinterpret_cast)<(?!.*{_BYTES})", ""),
    ("_Pragma", r"", "_Pragma"),
    ("__attribute__", r"", "__attribute__"),
    ("__attribute", r"", "__attribute__"),
)
_ATTRIBUTE: Final = (
    r".*(\b(?:allow|expect)\b(?=\s*\()|\bignore\b|\bshould_panic\b"
    r"|\bno_implicit_prelude\b|rustfmt::skip)"
)
_RUST: Final[tuple[Silencer, ...]] = (
    ("attribute_item", _ATTRIBUTE, ""),
    ("inner_attribute_item", _ATTRIBUTE, ""),
    ("unsafe", r"", "unsafe"),
    ("identifier", r"(transmute\w*)$", ""),
)
_ANNOTATION: Final = (
    r"@(?:[\w.]+\.)?"
    r"(SuppressWarnings|SuppressFBWarnings|SuppressLint|Disabled|Ignore|SneakyThrows|Generated)\b"
)
_JAVA: Final[tuple[Silencer, ...]] = (
    ("annotation", _ANNOTATION, ""),
    ("marker_annotation", _ANNOTATION, ""),
)
_GO: Final[tuple[Silencer, ...]] = (
    ("selector_expression", r"unsafe\.", "unsafe"),
    ("qualified_type", r"unsafe\.", "unsafe"),
    ("assignment_statement", r"_(?:\s*,\s*_)*\s*=\s*[\w.]+(?:\s*,\s*[\w.]+)*$", "_ ="),
    # `var _ Shape = Square{}` makes the compiler check more, not less.
    ("var_spec", r"_\s*=", "var _ ="),
    ("import_spec", r"_\s", "import _"),
    ("interface_type", r"interface\s*\{\s*\}$", "any"),
)
SILENCERS: Final[dict[str, tuple[Silencer, ...]]] = {
    "python": _PYTHON,
    "javascript": _SCRIPT,
    "typescript": _SCRIPT,
    "tsx": _SCRIPT,
    "c": _C,
    "cpp": _C,
    "rust": _RUST,
    "java": _JAVA,
    "go": _GO,
}


def silenced_in(reading: ParsedSource) -> Iterator[str]:
    """Yield a word to show for each place of the code where a checker is silenced."""
    for kind, pattern, words in SILENCERS[reading.language]:
        begins = re.compile(pattern, re.DOTALL)
        for node in reading.find(kind):
            found = begins.match(node.text())
            if found is not None:
                yield words or f"@{found.group(1)}"

    yield from _empty_handlers(reading)
    if reading.language == "python":
        yield from _unchecked(reading)


def _empty_handlers(reading: ParsedSource) -> Iterator[str]:
    """Yield the handlers that swallow an error.

    In Python a handler for a specific error may do nothing.
    """
    for node in reading.find("catch_clause"):
        body = node.field("body")
        if body is not None and not _does_work(body):
            yield "an empty catch"

    for node in reading.find("except_clause"):
        block = node.find(kind="block")
        if block is None:
            continue

        if _does_work(block):
            continue

        if _BROAD.match(node.text()):
            yield "an empty except"


def _does_work(block: SgNode) -> bool:
    """Return whether a block calls or returns something, or goes on elsewhere."""
    return not _WORK.isdisjoint(node.kind() for node in all_nodes(block))


def _unchecked(reading: ParsedSource) -> Iterator[str]:
    """Yield the code that type checkers do not read: below `else` of `if TYPE_CHECKING`.

    Defining there the names that are imported for types only is right.
    """
    for node in reading.find("if_statement"):
        body = first_field(node.field("alternative"), "body")
        if body is None:
            continue

        if not field_text(node, "condition").endswith("TYPE_CHECKING"):
            continue

        if not all(map(_only_names, body.named_children())):
            yield "if TYPE_CHECKING … else"


def _only_names(statement: SgNode) -> bool:
    """Return whether a statement only imports or sets a name."""
    inner = [child.kind() for child in statement.named_children()]
    if "import" in statement.kind():
        return True

    return inner == ["assignment"]


# ------------------------------------------------------------------------------- raw types

_WITH_RAW_TYPES: Final = frozenset({"java", "python"})
"""Languages in which a generic type may be used without its arguments, and is then not checked."""


def raw_types_added(old: ParsedSource, new: ParsedSource) -> list[str]:
    """Return the types with fewer type arguments than before and more uses without any."""
    if old.language not in _WITH_RAW_TYPES:
        return []

    had, was_bare = _type_uses(old)
    has, is_bare = _type_uses(new)
    return sorted((had - has).keys() & (is_bare - was_bare).keys())


def _type_uses(reading: ParsedSource) -> tuple[Counter[str], Counter[str]]:
    """Count the uses of each type with type arguments, and without."""
    generic: Counter[str] = Counter()
    for node in reading.find("generic_type"):
        generic[node.children()[0].text()] += 1

    bare: Counter[str] = Counter()
    for kind in ("type_identifier", "type"):
        for node in reading.find(kind):
            bare[node.text()] += parent_kind(node) != "generic_type"

    return generic, bare
