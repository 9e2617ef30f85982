"""`rustc --error-format=json`, directly or through cargo; columns are characters."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.repair.diagnostics.columns import NO_SOURCES, SourceLines
from holdfast.repair.diagnostics.lenient_json import (
    Fields,
    count_of,
    fields_of,
    list_of,
    read_lines,
    text_of,
)
from holdfast.repair.diagnostics.message_template import split_message
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Area, Diagnostic, FixIt, Related, Severity, TextEdit
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

# Not "error: internal compiler error": it is not about the code.
_SEVERITIES: dict[str, Severity] = {
    "error": "error",
    "warning": "warning",
    "note": "note",
    "help": "note",
}
_SUMMARY = lazy_pattern(r"aborting due to |could not compile |.* warnings? emitted\Z", re.DOTALL)
_DEEPEST = 50
_SEPARATORS = frozenset({";", ",", ":", "::", "&", "*"})
_CERTAIN = lazy_pattern(r"\s*(?:[;,:&*\s]+|(?:pub\s+)?use\s[\w:{}, ]+;|dyn)\s*")


def parse(
    output: str, *, version: str, sources: SourceLines = NO_SOURCES
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of rustc with its suggestions; () for any other output."""
    found = []
    for line in read_lines(plain_lines(output)):
        fields = line
        # cargo wraps the message of rustc.
        if "reason" in line:
            fields = fields_of(line, "message")
        diagnostic = _diagnostic(fields, version, sources)
        if diagnostic is not None:
            found.append(diagnostic)

    # cargo compiles a file for the program and again for its tests, and prints everything twice.
    return tuple(dict.fromkeys(found))


def _diagnostic(fields: Fields, version: str, sources: SourceLines) -> Diagnostic | None:
    message = text_of(fields, "message")
    severity = _SEVERITIES.get(text_of(fields, "level"))
    spans = list_of(fields, "spans")
    if not message or severity is None:
        return None
    if not spans and _SUMMARY.match(message):
        return None

    primary = _primary_span(spans)
    place = _at_the_call(primary)
    template, args = split_message(message, "backtick")
    label = text_of(primary, "label")
    if not args and label:
        # "mismatched types" alone covers a thousand complaints: the label names the types.
        message = f"{message}: {label}"
        template, args = split_message(message, "backtick")

    return Diagnostic(
        tool="rustc",
        tool_version=version,
        code=text_of(fields_of(fields, "code"), "code"),
        severity=severity,
        message=message,
        template=template,
        args=args,
        path=text_of(place, "file_name"),
        area=_area(place, sources),
        fixits=tuple(_fixits(fields, sources)),
        related=tuple(_related(fields, primary, sources)),
    )


# ------------------------------------------------------------------------------------------- places


def _primary_span(spans: list[Fields]) -> Fields:
    """Return the first primary span; an empty one if there is none."""
    for span in spans:
        if span.get("is_primary") is True:
            return span
    return {}


def _at_the_call(span: Fields) -> Fields:
    """Return the span in the project: for a macro of the standard library, that of the call."""
    for _ in range(_DEEPEST):
        outer = fields_of(fields_of(span, "expansion"), "span")
        if not _is_foreign(span) or not outer:
            return span
        span = outer
    return span


def _is_foreign(span: Fields) -> bool:
    name = text_of(span, "file_name")
    return name.startswith(("<", "/rustc/")) or "/lib/rustlib/src/" in name


def _area(span: Fields, sources: SourceLines) -> Area | None:
    begin = count_of(span, "line_start"), count_of(span, "column_start")
    end = count_of(span, "line_end"), count_of(span, "column_end")
    return sources.area(text_of(span, "file_name"), begin, end, "characters")


def _related(fields: Fields, primary: Fields, sources: SourceLines) -> Iterator[Related]:
    """Yield the labels, the call of the macro, and the notes and helps."""
    for span in list_of(fields, "spans"):
        at = _at_the_call(span)
        label = text_of(span, "label")
        if label:
            yield _related_at(at, label, sources)
        if span is primary:
            yield from _macro_call(fields_of(at, "expansion"), sources)

    for child in list_of(fields, "children"):
        message = text_of(child, "message")
        if message:
            spans = list_of(child, "spans")
            first: Fields = next(iter(spans), {})
            yield _related_at(_at_the_call(first), message, sources)


def _macro_call(expansion: Fields, sources: SourceLines) -> Iterator[Related]:
    """Yield the call of the macro that was expanded, if it is in the project."""
    call = fields_of(expansion, "span")
    if call and not _is_foreign(call):
        name = text_of(expansion, "macro_decl_name")
        yield _related_at(call, f"in this call of the macro `{name}`", sources)


def _related_at(span: Fields, message: str, sources: SourceLines) -> Related:
    return Related(message, text_of(span, "file_name"), _area(span, sources))


# -------------------------------------------------------------------------------------- suggestions


def _fixits(fields: Fields, sources: SourceLines) -> Iterator[FixIt]:
    for part in (fields, *list_of(fields, "children")):
        spans = list_of(part, "spans")
        spans = [span for span in spans if isinstance(span.get("suggested_replacement"), str)]
        kinds = {text_of(span, "suggestion_applicability") for span in spans}
        if "HasPlaceholders" in kinds:
            # `todo!()` and `/* value */` are for a person to fill in; some of them compile.
            continue
        edits = _edits(spans, sources)
        message = text_of(part, "message")
        places = {(edit.path, edit.area.line, edit.area.column) for edit in edits}
        if len(places) < len(edits):
            # Several suggestions, one of which has to be chosen: none of them is safe.
            for edit in edits:
                yield FixIt(message, (edit,))
        elif edits:
            certain = kinds == {"MachineApplicable"} and all(map(_keeps_meaning, spans))
            yield FixIt(message, tuple(edits), safe=certain)


def _keeps_meaning(span: Fields) -> bool:
    """Return whether a suggestion adds or removes only separators, borrows, or an import.

    rustc is only certain that its suggestion compiles. A `mut`, a call, an operator or a `;` that
    goes may not be what was meant.
    """
    new = text_of(span, "suggested_replacement")
    lines = [text_of(line, "text") for line in list_of(span, "text")]
    if not new.strip() and lines and lines[0].startswith("use "):
        return True

    old = _replaced_text(span)
    if old is None:
        return False
    if not old.strip():
        return _CERTAIN.fullmatch(new) is not None
    return old in new and new.replace(old, "", 1) in _SEPARATORS


def _replaced_text(span: Fields) -> str | None:
    """Return the text in the source that a suggestion replaces; None if it has several lines."""
    lines = list_of(span, "text")
    if len(lines) != 1:
        return None
    first, last = count_of(lines[0], "highlight_start"), count_of(lines[0], "highlight_end")
    if first is None or last is None:
        return None
    return text_of(lines[0], "text")[first - 1 : last - 1]


def _edits(spans: list[Fields], sources: SourceLines) -> list[TextEdit]:
    """Return the edits of all spans; none if one of them is not usable."""
    edits = []
    for span in spans:
        area = _area(span, sources)
        if area is None or _is_foreign(span):
            return []
        # An edit within a macro's expansion would change the macro for all its calls.
        if fields_of(span, "expansion"):
            return []
        path = text_of(span, "file_name")
        edits.append(TextEdit(path, area, text_of(span, "suggested_replacement")))

    return edits
