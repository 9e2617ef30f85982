"""Code written to silence a checker.

Examples are `as any`, `unsafe`, `(void)x`, an empty `catch`, a raw type.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final, TypeAlias

from holdfast.syntax.tree import parent_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.syntax.source import ParsedSource

Silencer: TypeAlias = tuple[str, str, str]
"""The kind of a node, how its text begins, and the words for it; "": the group of the pattern."""

_BROAD_NAMES: Final = "Exception|BaseException|NameError|AttributeError|TypeError|SyntaxError"
_COMMENTED: Final = r"(?:[^/#]|/(?![/*])|//[^\n]*+|/\*(?>.*?\*/)|#[^\n]*+)*?"
"""Any code, with its comments as a whole."""
_WORK: Final = r"(?:\w\s*!?\(|\b(?:return|raise|throw|assert|break|continue|new)\b)"
_NO_WORK: Final = f"(?!{_COMMENTED}{_WORK})"
"""What calls and returns nothing, and does not go on elsewhere."""
_ONLY_NAMES: Final = r"(?:\s*(?:import|from)\s[^\n]*|\s*\w+\s*=[^\n]*)*\s*$"
"""Names that are imported or set: below `else` of `if TYPE_CHECKING` this is right."""
_EMPTY_CATCH: Final = ("catch_clause", rf"catch[^{{]*\{{{_NO_WORK}", "an empty catch")
_VOID_POINTER: Final = r"\((?:const\s+)?void\s*\*\)"
_BYTES: Final = r"\b(?:char|byte|uint8_t|uintptr_t|intptr_t|void)\b"

_PYTHON: Final[tuple[Silencer, ...]] = (
    ("decorator", r"@(?:[\w.]*\.)?(no_type_check\w*)", ""),
    ("decorator", r"@(pytest\.mark\.(?:skip|xfail)\w*)", ""),
    ("decorator", r"@(unittest\.(?:skip\w*|expectedFailure))", ""),
    ("call", r"(?:\w+\.)*cast\(\s*['\"]?(?:\w+\.)*Any\b", "cast(Any"),
    ("call", rf"(?:\w+\.)*suppress\([^)]*\b(?:{_BROAD_NAMES})\b", "suppress(Exception)"),
    ("call", r"((?:warnings\.)?(?:filterwarnings|simplefilter))\(\s*['\"]ignore", ""),
    (
        "except_clause",
        rf"except\s*(?::|[^:]*\b(?:{_BROAD_NAMES})\b[^:]*:){_NO_WORK}",
        "an empty except",
    ),
    (
        "if_statement",
        rf"if\s+(?:\w+\.)?TYPE_CHECKING:.*\n\s*else:(?!{_ONLY_NAMES})",
        "if TYPE_CHECKING … else",
    ),
    ("if_statement", r"if\s*\(?\s*not\s+\(?(?:\w+\.)?TYPE_CHECKING\b", "if not TYPE_CHECKING"),
)
_SCRIPT: Final[tuple[Silencer, ...]] = (
    _EMPTY_CATCH,
    ("ambient_declaration", r"declare\b", "declare"),
    ("as_expression", r".*\bas\s+(?:unknown|never)\b", "as unknown as"),
    ("type_assertion", r"<\s*(?:unknown|never)\s*>", "as unknown as"),
    ("expression_statement", r"void\s+[A-Za-z_]\w*;?$", "void"),
    ("call_expression", r"((?:describe|it|test)\.(?:skip|todo)|xit|xdescribe|xtest)\(", ""),
)
_C: Final[tuple[Silencer, ...]] = (
    _EMPTY_CATCH,
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
    _EMPTY_CATCH,
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


# ------------------------------------------------------------------------------- raw types


def raw_types_added(old: ParsedSource, new: ParsedSource) -> list[str]:
    """Return the types with fewer type arguments than before and more uses without any."""
    had, was_bare = _type_uses(old)
    has, is_bare = _type_uses(new)
    return sorted((had - has).keys() & (is_bare - was_bare).keys())


def _type_uses(reading: ParsedSource) -> tuple[Counter[str], Counter[str]]:
    """Count the uses of each type with type arguments, and without."""
    generic: Counter[str] = Counter()
    for node in reading.find("generic_type"):
        name = node.children()[0]
        generic[name.text()] += 1

    bare: Counter[str] = Counter()
    for node in (*reading.find("type_identifier"), *reading.find("type")):
        if parent_kind(node) != "generic_type":
            bare[node.text()] += 1

    return generic, bare
