"""Another reading of a missing name: the program itself may have what was meant.

A rule for a missing name imports it, or writes something in its place. That is wrong if the name is
a slip, or belongs to something that the program declares.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from holdfast.rules.match.context import owners_at
from holdfast.rules.match.node_classes import class_of_name
from holdfast.syntax.tokens import tokenize
from holdfast.syntax.tree import node_text
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.syntax.source import ParsedSource
    from holdfast.vocab.diagnostics import Diagnostic

Reading: TypeAlias = Literal["declared", "sibling", "similar", "module", "member", "told", "value"]

_UNDECLARED: Final = (
    r"\{0\} (?:undeclared|was not declared in this scope).*|.*of function \{0\}.*"
    r"|unknown type name \{0\}.*|\{0\} does not name a type.*"
)
_MISSING: Final = {
    "ruff": "F821",
    "mypy": "name-defined",
    "pyright": "reportUndefinedVariable",
    "tsc": "TS2304|TS2552|TS2503",
    "rustc": "E0425|E0412|E0433",
    "javac": r"compiler\.err\.cant\.resolve.*",
    "gcc": _UNDECLARED,
    "g++": _UNDECLARED,
}
"""The diagnostics of a missing name: by their code, for a tool without codes by their template."""
_WITHOUT_CODES: Final = frozenset({"gcc", "g++"})
_TYPE: Final = r"\b(?:struct|class|union|enum|interface|record|trait|type)\s+NAME\b"
_MEMBER: Final = r"(?:(?!return\b)[\w<>\[\]]+\s+)*[*&]*NAME\??\s*[;:=]"
_READINGS: Final[tuple[tuple[Reading, str], ...]] = (
    ("declared", rf"{_TYPE}|\b(?:const|static)\s+NAME\s*:|\benum\b[^{{}};]*\{{[^}}]*\bNAME\b"),
    ("declared", rf"\b(?:struct|class|union|interface)\b[^{{}};]*\{{[^{{}}]*?[;{{\n]\s*{_MEMBER}"),
    ("declared", r"\b(?:self|this)(?:\.|->)NAME\b"),
    # It differs from a type of the program only in its case.
    ("similar", rf"(?i:{_TYPE}|\}}\s*NAME\s*;)"),
    ("sibling", r"(?:\benum\b[^{}]*\{[^}]*|#\s*define\s+|\bconst\s+[\w ]*)\bPREFIX\w"),
    ("sibling", r"\b\w+_NAME\s*\([^;()]*\)[^;(){}]*[{:]"),
    # For integers, or for real numbers only.
    ("similar", r"\A(?=[\s\S]*\b(?:double|float)\b)[\s\S]*\bNAME(?<=\babs)\("),
    ("similar", r"\A(?=[\s\S]*\bcomplex\b)[\s\S]*\bNAME(?<=\bsqrt)\("),
    ("told", r"^.*\w.*(?://|/\*|#).*\bNAME\b"),
)
"""What in a program, other than a use of it, says what a missing name is.

`told`: a comment beside code speaks of it. `PREFIX` is the first word of a constant.
"""
_PREFIX: Final = lazy_pattern(r"[A-Z][A-Z\d]*_(?=[A-Z\d_]+$)")
_NEVER: Final = "(?!)"
_ALIKE: Final = 0.75
_SHORTEST: Final = 3
_USED_AS_MODULE: Final = (".", "(", "[")


def other_reading(
    source: ParsedSource, diagnostic: Diagnostic, *, imports: Sequence[str] = ()
) -> Reading | None:
    """Return how else a missing name may be read than by `imports`; None if it cannot."""
    name = _missing_name(diagnostic)
    place = source.place_of(diagnostic)
    if not name or place is None:
        return None

    prefix = "".join(_PREFIX.findall(name)) or _NEVER
    for reading, pattern in _READINGS:
        wanted = pattern.replace("NAME", name).replace("PREFIX", prefix)
        if re.search(wanted, source.text, re.MULTILINE):
            return reading

    function = "".join(map(node_text, owners_at(source, place)[-1:]))
    tokens = tokenize(function, source.language)
    if _is_similar(name, {token.text for token in tokens if token.kind == "name"}):
        return "similar"

    # Something else has it: `moment.time()`.
    if re.search(rf"(?<!\b{name})\.{name}\(", function):
        return "member"

    if source.language != "python":
        return None

    return _python_reading(name, source, place, is_module=f"import {name}" in imports)


def _python_reading(
    name: str, source: ParsedSource, place: int, *, is_module: bool
) -> Reading | None:
    """Return how a name is used otherwise than its import says."""
    following = source.text[place + len(name) :].lstrip(" \t")
    if is_module:
        # It is neither called nor indexed: something in it is used.
        return None if following.startswith(".") else "value"

    if source.has_words(f"{name}.{name}"):
        return "module"

    is_decorator = source.text[:place].rstrip().endswith("@")
    if is_decorator or following.startswith(_USED_AS_MODULE):
        return None

    if class_of_name(name) == "variable":
        return "value"

    return None


def _missing_name(diagnostic: Diagnostic) -> str:
    key = diagnostic.template if diagnostic.tool in _WITHOUT_CODES else diagnostic.code
    if re.fullmatch(_MISSING.get(diagnostic.tool, _NEVER), key) is None:
        return ""

    return "".join(filter(str.isidentifier, diagnostic.args[:1]))


def _is_similar(name: str, others: set[str]) -> bool:
    """Return whether a name of the same kind may have been meant: `sock` for `socket`."""
    if len(name) < _SHORTEST:
        return False

    kind = class_of_name(name)
    same_kind = [each for each in others - {name} if class_of_name(each) == kind]
    return bool(get_close_matches(name, same_kind, cutoff=_ALIKE))
