"""Code written to silence a checker.

Examples are `Any`, `as any`, `unsafe`, `(void)x`, an empty `catch`, a raw type.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from holdfast.preservation.function_bodies import does_nothing, is_discarded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ast_grep_py import SgNode

    from holdfast.syntax.source import ParsedSource

_BROAD: Final = frozenset(
    {"", "Exception", "BaseException", "NameError", "AttributeError", "TypeError", "SyntaxError"}
)
_SKIPPED: Final = re.compile(
    r"(?:pytest\.mark\.(?:skip|xfail)\w*|unittest\.(?:skip\w*|expectedFailure))(?:\(.*)?", re.DOTALL
)
_SKIPPED_SCRIPT: Final = re.compile(r"(?:describe|it|test)\.(?:skip|todo)|xit|xdescribe|xtest")
_SILENT_ANNOTATIONS: Final = re.compile(
    r"SuppressWarnings|SuppressFBWarnings|SuppressLint|Disabled|Ignore|SneakyThrows|Generated"
)
_SILENT_ATTRIBUTES: Final = re.compile(
    r"\b(?:allow|expect)\s*\(|\bignore\b|\bshould_panic\b|\bno_implicit_prelude\b|rustfmt::skip"
)
_BYTES: Final = re.compile(r"\b(?:char|byte|uint8_t|uintptr_t|intptr_t|void)\b")


def silenced_in(reading: ParsedSource) -> Iterator[str]:
    """Yield a word to show for each place of the code where a checker is silenced."""
    yield from _empty_handlers(reading)
    match reading.language:
        case "python":
            yield from _python(reading)
        case "javascript" | "typescript" | "tsx":
            yield from _script(reading)
        case "c" | "cpp":
            yield from _c(reading)
        case "rust":
            yield from _rust(reading)
        case "java":
            yield from _java(reading)
        case "go":
            yield from _go(reading)


def _empty_handlers(reading: ParsedSource) -> Iterator[str]:
    """Yield the handlers that swallow an error.

    In Python a handler for a specific error may do nothing.
    """
    for node in reading.find("catch_clause"):
        body = node.field("body")
        if body is not None and does_nothing(body, reading):
            yield "an empty catch"
    for node in reading.find("except_clause"):
        parts = [part for part in node.named_children() if "comment" not in part.kind()]
        if not parts or parts[-1].kind() != "block" or not does_nothing(parts[-1], reading):
            continue
        caught = (
            re.findall(r"\w+", parts[0].text().partition(" as ")[0]) if len(parts) > 1 else [""]
        )
        if _BROAD.intersection(caught):
            yield "an empty except"


# --------------------------------------------------------------------------------- Python


def _python(reading: ParsedSource) -> Iterator[str]:
    yield from _any_types(reading)
    yield from _unchecked(reading)
    for node in reading.find("call"):
        called, arguments = node.field("function"), node.field("arguments")
        name = called.text() if called is not None else ""
        first = next(iter(arguments.named_children()), None) if arguments is not None else None
        first_text = first.text().strip("\"'") if first is not None else ""
        if name.rpartition(".")[2] == "cast" and first_text.rpartition(".")[2] == "Any":
            yield "cast(Any"
        if (
            name.rpartition(".")[2] == "suppress"
            and arguments is not None
            and _BROAD.intersection(re.findall(r"\w+", arguments.text()))
        ):
            yield "suppress(Exception)"
        if (
            name
            in {
                "warnings.filterwarnings",
                "warnings.simplefilter",
                "filterwarnings",
                "simplefilter",
            }
            and first_text == "ignore"
        ):
            yield name
    for node in reading.find("decorator"):
        text = node.text().lstrip("@").strip()
        if text.rpartition(".")[2] in {
            "no_type_check",
            "no_type_check_decorator",
        } or _SKIPPED.fullmatch(text):
            yield f"@{text.partition('(')[0]}"


def _any_types(reading: ParsedSource) -> Iterator[str]:
    """Yield each use of `typing.Any`, including aliases.

    Lower-case `any` in an annotation is treated as `Any`.
    """
    names = {"Any", "any", "Incomplete"}
    for node in reading.find("aliased_import"):
        named, alias = node.field("name"), node.field("alias")
        if named is not None and alias is not None and named.text() == "Any":
            names.add(alias.text())
    for node in (*reading.find("assignment"), *reading.find("type_alias_statement")):
        left, right = node.field("left"), node.field("right")
        if left is not None and right is not None and re.fullmatch(r"(?:\w+\.)?Any", right.text()):
            names.add(left.text())
    for node in reading.find("type"):
        if not _is_inside(node, "type"):
            parts = (
                part for word in reading.words_in(node) for part in re.findall(r"\w+", word.text)
            )
            yield from ("Any" for part in parts if part in names)


def _unchecked(reading: ParsedSource) -> Iterator[str]:
    """Yield the branches that no checker reads.

    Defining there the names that are imported for types only is right.
    """
    for node in reading.find("if_statement"):
        condition = node.field("condition")
        test = condition.text().strip("() ") if condition is not None else ""
        if re.fullmatch(r"not\s+\(?(?:\w+\.)?TYPE_CHECKING\)?", test):
            yield "if not TYPE_CHECKING"
        if test.rpartition(".")[2] == "TYPE_CHECKING":
            blocks = (other.field("body") for other in node.field_children("alternative"))
            inner = [
                part for block in blocks if block is not None for part in block.named_children()
            ]
            if any(not _only_names(part) for part in inner):
                yield "if TYPE_CHECKING … else"


def _only_names(statement: SgNode) -> bool:
    inner = statement.named_children()
    return "import" in statement.kind() or (
        statement.kind() == "expression_statement"
        and len(inner) == 1
        and inner[0].kind() == "assignment"
    )


def _is_inside(node: SgNode, kind: str) -> bool:
    return any(outer.kind() == kind for outer in node.ancestors())


# ------------------------------------------------------------- JavaScript and TypeScript


def _script(reading: ParsedSource) -> Iterator[str]:
    yield from ("any" for node in reading.find("predefined_type") if node.text() == "any")
    yield from ("declare" for _ in reading.find("ambient_declaration"))
    for node in reading.find("as_expression"):
        inner = next(iter(node.named_children()), None)
        while inner is not None and inner.kind() == "parenthesized_expression":
            inner = next(iter(inner.named_children()), None)
        if (
            inner is not None
            and inner.kind() == "as_expression"
            and re.search(r"\b(?:unknown|never)$", inner.text())
        ):
            yield "as unknown as"
    for node in (*reading.find("as_expression"), *reading.find("type_assertion")):
        if any(part.text() in {"never", "<never>"} for part in node.children()):
            yield "as never"
    for node in reading.find("type_assertion"):
        if re.search(r"<\s*unknown\s*>|\bas\s+unknown\b", node.text()):
            yield "as unknown as"
    for node in reading.find("unary_expression"):
        outer = node.parent()
        if outer is not None and outer.kind() == "expression_statement" and is_discarded(node):
            yield "void"
    for node in reading.find("call_expression"):
        called = node.field("function")
        if called is not None and _SKIPPED_SCRIPT.fullmatch(called.text()):
            yield called.text()


# ------------------------------------------------------------------------------ C and C++


def _c(reading: ParsedSource) -> Iterator[str]:
    for node in reading.find("preproc_call"):
        directive = " ".join(node.text().split())
        if not re.match(r"# ?(?:pragma|line)\b", directive):
            continue
        if directive.endswith("once"):
            yield "#pragma once"
        elif "pragma" in directive:
            yield "#pragma"
        else:
            yield "#line"
    yield from ("_Pragma" for word in reading.live_words if word.text == "_Pragma")
    yield from (
        "__attribute__"
        for word in reading.live_words
        if word.text in {"__attribute__", "__attribute"}
    )
    for node in reading.find("attribute_declaration"):
        if re.search(r"maybe_unused|gnu::|clang::|unused|deprecated", node.text()):
            yield f"[[{re.sub(r'[^a-z:_]', '', node.text())}]]"
    for node in reading.find("expression_statement"):
        inner = node.named_children()
        if len(inner) == 1 and inner[0].kind() == "cast_expression" and is_discarded(inner[0]):
            yield "(void)"
    yield from _casts(reading)


def _casts(reading: ParsedSource) -> Iterator[str]:
    """Yield the casts from any pointer to any other.

    Casts for reading bytes or for printing an address are right.
    """
    for node in reading.find("cast_expression"):
        to, outer = node.field("type"), node.parent()
        is_void = to is not None and re.fullmatch(r"(?:const\s+)?void\s*\*", to.text()) is not None
        if (
            is_void
            and outer is not None
            and outer.kind() in {"cast_expression", "init_declarator", "return_statement"}
        ):
            yield "a cast through void *"
    for node in reading.find("template_function"):
        name, arguments = node.field("name"), node.field("arguments")
        cast = name.text() if name is not None else ""
        if cast == "const_cast" or (
            cast == "reinterpret_cast"
            and arguments is not None
            and not _BYTES.search(arguments.text())
        ):
            yield cast


# ----------------------------------------------------------------------------------- Rust


def _rust(reading: ParsedSource) -> Iterator[str]:
    for kind in ("attribute_item", "inner_attribute_item"):
        for node in reading.find(kind):
            found = _SILENT_ATTRIBUTES.search(node.text())
            if found is not None:
                yield f"#[{found.group().rstrip('( ')}]"
    for word in reading.live_words:
        if word.text == "unsafe" or word.text.startswith("transmute"):
            yield word.text


# ----------------------------------------------------------------------------------- Java


def _java(reading: ParsedSource) -> Iterator[str]:
    for kind in ("annotation", "marker_annotation"):
        for node in reading.find(kind):
            name = node.field("name")
            last = name.text().rpartition(".")[2] if name is not None else ""
            if _SILENT_ANNOTATIONS.fullmatch(last):
                yield f"@{last}"


def raw_types_added(old: ParsedSource, new: ParsedSource) -> list[str]:
    """Return the Java types with fewer type arguments than before and more raw uses."""
    if old.language != "java":
        return []
    had, has = _generic(old), _generic(new)
    was, bare = _bare(old), _bare(new)
    return sorted(name for name in had if has[name] < had[name] and bare[name] > was[name])


def _generic(reading: ParsedSource) -> Counter[str]:
    firsts = (next(iter(node.named_children()), None) for node in reading.find("generic_type"))
    return Counter(first.text() for first in firsts if first is not None)


def _bare(reading: ParsedSource) -> Counter[str]:
    return Counter(
        node.text()
        for node in reading.find("type_identifier")
        if (outer := node.parent()) is not None and outer.kind() != "generic_type"
    )


# ------------------------------------------------------------------------------------- Go


def _go(reading: ParsedSource) -> Iterator[str]:
    yield from (
        "unsafe"
        for node in reading.find("selector_expression")
        if node.text().startswith("unsafe.")
    )
    for node in reading.find("qualified_type"):
        if node.text().startswith("unsafe."):
            yield "unsafe"
    for node in reading.find("assignment_statement"):
        left, right = node.field("left"), node.field("right")
        if left is not None and right is not None and re.fullmatch(r"_(?:\s*,\s*_)*", left.text()):
            plain = all(
                part.kind() in {"identifier", "selector_expression"}
                for part in right.named_children()
            )
            yield from ["_ ="] if plain else []
    for node in reading.find("var_spec"):
        names = [name.text() for name in node.field_children("name")]
        # `var _ Shape = Square{}` makes the compiler check more, not less.
        if names == ["_"] and node.field("type") is None:
            yield "var _ ="
    yield from ("import _" for node in reading.find("import_spec") if node.text().startswith("_"))
    for kind in ("parameter_declaration", "var_spec", "function_declaration", "method_declaration"):
        for node in reading.find(kind):
            kept = node.field("type") or node.field("result")
            if kept is not None and re.fullmatch(r"any|interface\s*\{\s*\}", kept.text()):
                yield "any"
