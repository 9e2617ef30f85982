"""What the diagnostics of a text report: the names in them, and the places that they point to.

The kind of a diagnostic is known by its tool and its code; for a tool without codes, by the template
of its message.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.vocab.diagnostics import Area, Diagnostic

_GCC: Final = (
    r"redefinition of .*|conflicting types for .*|redeclaration of .*|duplicate .*|stray .* in .*"
    r"|.* defined but not used|unused .*|#e\w+ without #if|extra tokens .*"
    r"|.* specified .* more than once|multiple .*|unterminated .*|.* without a previous .*"
    r"|.* not within .*"
)
_GCC_PARTS: Final = (
    r"too many arguments .*|.*return.* (?:void|value).*|void value .*|excess elements .*"
    r"|unknown type name .*"
)
SUPERFLUOUS: Final = {
    "ruff": r"F401|F811|F841|F601|F632|F502|F507|F523|F524|F702|F70\d|F822|B007|E70\d|RET\d+|UP\d+"
    r"|PIE\d+|SIM\d+",
    "mypy": r"no-redef|unreachable|redundant-\w+|unused-\w+|truthy-\w+",
    "pyright": r"reportRedeclaration|reportUnused\w+|reportUnnecessary\w+",
    "tsc": r"TS2300|TS2393|TS2451|TS6133|TS6192|TS6196|TS7027|TS2528|TS2440|TS8010",
    "rustc": r"E0428|E0124|E0415|E0416|E0429|E0430|E0252|E0449|unused_\w+"
    r"|dead_code|redundant_\w+|unreachable_\w+|E0201|E0592|E0569",
    "javac": r"compiler\.err\.(?:already\.defined.*|duplicate\..*|unreachable.*"
    r"|except\.never\.thrown.*|mod\.not\.allowed.*|repeated\.modifier"
    r"|else\.without\.if|orphaned.*|ret\.outside\.meth)",
    "go": r"declared and not used.*|.* declared (?:and|but) not used|.* ?imported .*and not used.*"
    r"|.* redeclared.*|duplicate .*"
    r"|label .* defined and not used|no new variables.*|unreachable code"
    r"|.*other declaration of.*",
    "gcc": _GCC,
    "g++": _GCC,
    "node": r".* has already been declared|Duplicate .*",
}
"""The diagnostics of something superfluous: to delete what they point at is a fix."""
SUPERFLUOUS_PARTS: Final = {
    "mypy": r"call-arg|func-returns-value",
    "pyright": r"reportCallIssue",
    "tsc": r"TS2554|TS2555|TS2353|TS2345",
    "rustc": r"E0061|E0107|E0560",
    "javac": r"compiler\.err\.(?:cant\.apply.*|cannot\.return.*|prob\.found\.req)",
    "go": r"too many (?:arguments|return values).*",
    "gcc": _GCC_PARTS,
    "g++": _GCC_PARTS,
}
"""The diagnostics of a part that may be too much: an argument, a value. The call itself stays."""
_C_ARGUMENTS: Final = r"too (?:few|many) arguments to .*"
ARGUMENTS: Final = {
    "mypy": r"call-arg",
    "pyright": r"reportCallIssue",
    "tsc": r"TS2554|TS2555",
    "rustc": r"E0061",
    "javac": r"compiler\.err\.cant\.apply.*",
    "go": r"(?:too many|not enough) arguments in call .*",
    "gcc": _C_ARGUMENTS,
    "g++": _C_ARGUMENTS,
}
"""The diagnostics of a function that gets too many or too few arguments."""
_C_ACCESS: Final = r".*(?:private|protected|static|linkage|extern).*"
VISIBILITY: Final = {
    "tsc": r"TS1(?:028|029|031|184|233)|TS2341|TS2395|TS2445|TS2484|TS2459",
    "rustc": r"E0364|E0365|E0446|E0449|E0603|E0616|E0624",
    "javac": r"compiler\.err\.(?:report\.access|not\.def\.public.*|mod\.not\.allowed.*"
    r"|override\.weaker\.access|illegal\.combination.*|class\.public.*|repeated\.modifier)",
    "gcc": _C_ACCESS,
    "g++": _C_ACCESS,
}
"""The diagnostics about the visibility of a name: to change it is a fix."""
_BY_CODE: Final = frozenset({"ruff", "mypy", "pyright", "tsc", "rustc", "javac"})
_OWN_COMMAND: Final = "command"
_QUOTED: Final = lazy_pattern(r"[`'\"‘“]([^`'\"’”\n]+)[`'\"’”]")
_MISSING: Final = lazy_pattern(r"\(missing (?:method )?(\w+)")
"""The method that a type of Go lacks: its messages quote nothing."""
_CALL: Final = lazy_pattern(r"(\w+)\s*\(")
_WORD: Final = lazy_pattern(r"[^\W\d]\w*")
_ANNOTATED: Final = lazy_pattern(r"\A@\w+\s+(?:[\w<>\[\],.]+\s+)*(\w+)\s*\(")
"""An annotation, and the method that has it."""


@dataclass(frozen=True, slots=True)
class Reports:
    """What the errors of a text are about.

    `names` are the names in the messages, `by_tools` those that a compiler or a checker reports and
    not the project's own command, and `superfluous_names` those of something superfluous.
    `superfluous` are the lines (1-based) where an error reports something superfluous, `lines`
    those of all errors; `parts` are those where a part of a statement may be too much. `pointed`
    are the words at the places of errors, and `called` the functions that are called in their
    lines; `near` are all words there. `miscalled` are the names in errors about
    the number of arguments. `about_visibility` means that one is about who may use a name.
    """

    names: frozenset[str]
    by_tools: frozenset[str]
    superfluous: frozenset[int]
    parts: frozenset[int]
    superfluous_names: frozenset[str]
    lines: frozenset[int]
    about_visibility: bool
    pointed: frozenset[str]
    called: frozenset[str]
    near: frozenset[str]
    miscalled: frozenset[str]


def reports_of(text: str, path: str, diagnostics: Sequence[Diagnostic]) -> Reports:
    """Return what the errors of the text of a file are about."""
    errors = errors_among(diagnostics)
    lines = text.split("\n")
    names: set[str] = set()
    by_tools: set[str] = set()
    superfluous: set[int] = set()
    superfluous_names: set[str] = set()
    parts: set[int] = set()
    all_lines: set[int] = set()
    pointed: set[str] = set()
    miscalled: set[str] = set()
    for each in errors:
        named = names_in(each)
        names |= named
        if each.tool != _OWN_COMMAND:
            by_tools |= named

        if each.path not in {"", path}:
            continue  # its lines are those of another file

        places, words = _lines_of(each), _pointed(each, lines)
        all_lines |= places
        pointed |= words
        names.update(_annotated(each, lines))
        if _is_kind(each, ARGUMENTS):
            miscalled |= named | words

        if _is_kind(each, SUPERFLUOUS):
            superfluous |= places
            superfluous_names |= named | words
        elif _is_kind(each, SUPERFLUOUS_PARTS):
            parts |= places

    return Reports(
        names=frozenset(names),
        by_tools=frozenset(by_tools),
        superfluous=frozenset(superfluous),
        parts=frozenset(parts),
        superfluous_names=frozenset(superfluous_names),
        lines=frozenset(all_lines),
        about_visibility=any(_is_kind(each, VISIBILITY) for each in errors),
        pointed=frozenset(pointed),
        called=frozenset(_found_in(lines, all_lines, _CALL)),
        near=frozenset(_found_in(lines, all_lines, _WORD)),
        miscalled=frozenset(miscalled),
    )


def errors_among(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the errors; all diagnostics if none is an error."""
    errors: list[Diagnostic] = []
    for each in diagnostics:
        is_error = each.severity == "error"
        if is_error:
            errors.append(each)

    return errors or list(diagnostics)


def names_in(diagnostic: Diagnostic) -> set[str]:
    """Return the names that a diagnostic is about: its arguments, and the words in quotes."""
    found: set[str] = set()
    messages = [diagnostic.message, *(each.message for each in diagnostic.related)]
    message = "\n".join(messages)
    for part in (*diagnostic.args, *_QUOTED.findall(message), *_MISSING.findall(message)):
        # The whole part, too: it may be an operator.
        found.add(part)
        found.update(_WORD.findall(part))

    return found


def _is_kind(diagnostic: Diagnostic, table: Mapping[str, str]) -> bool:
    """Return whether a table has a diagnostic, by its code, or by its template without codes."""
    pattern = table.get(diagnostic.tool)
    if pattern is None:
        return False

    key = diagnostic.code
    if diagnostic.tool not in _BY_CODE:
        key = diagnostic.template

    return re.fullmatch(pattern, key) is not None


def _pointed(diagnostic: Diagnostic, lines: Sequence[str]) -> set[str]:
    """Return the word to which a diagnostic points, and the one before: a parser fails late."""
    area = diagnostic.area
    if area is None:
        return set()

    if area.line > len(lines):
        return set()

    line, column = lines[area.line - 1], area.column - 1
    found = set(_WORD.findall(line[:column])[-1:])
    at = _WORD.match(line, column)
    if at is not None:
        found.add(at.group())

    return found


def _annotated(diagnostic: Diagnostic, lines: Sequence[str]) -> list[str]:
    """Return the method to whose annotation a diagnostic points: it is about the method."""
    area = diagnostic.area
    if area is None:
        return []

    at = "\n".join(lines[area.line - 1 :])[area.column - 1 :]
    return _ANNOTATED.findall(at)


def _found_in(lines: Sequence[str], numbers: set[int], pattern: re.Pattern[str]) -> set[str]:
    """Return what a pattern finds in the lines with these numbers."""
    found: set[str] = set()
    for number in numbers:
        if number <= len(lines):
            found.update(pattern.findall(lines[number - 1]))

    return found


def _lines_of(diagnostic: Diagnostic) -> set[int]:
    areas: list[Area | None] = [diagnostic.area]
    areas += [each.area for each in diagnostic.related if each.path == diagnostic.path]
    found: set[int] = set()
    for area in areas:
        if area is not None:
            found.update(range(area.line, max(area.line, area.end_line) + 1))

    return found
