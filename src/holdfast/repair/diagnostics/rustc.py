"""`rustc --error-format=json`, and the same as cargo hands it on; columns in characters."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.repair.diagnostics.lenient_json import (
    Fields,
    count_of,
    fields_of,
    list_of,
    read_lines,
    text_of,
)
from holdfast.repair.diagnostics.message_template import split
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Area, Diagnostic, FixIt, Related, Severity, TextEdit

_NOWHERE = SourceLines()
# "error: internal compiler error" is none of these: it says nothing of the code.
_SEVERITIES: dict[str, Severity] = {
    "error": "error",
    "warning": "warning",
    "note": "note",
    "help": "note",
}
_SUMMARIES = ("aborting due to ", "could not compile ")
_DEEPEST = 50


def parse(output: str, *, version: str, sources: SourceLines = _NOWHERE) -> tuple[Diagnostic, ...]:
    """Give what rustc found, with its suggestions; () if this is not its output."""
    found = []
    for line in read_lines(plain_lines(output)):
        fields = fields_of(line, "message") if "reason" in line else line
        each = _diagnostic(fields, version, sources)
        if each is not None:
            found.append(each)
    # cargo compiles a file once for the program and once for its tests, and says all twice.
    return tuple(dict.fromkeys(found))


def _diagnostic(fields: Fields, version: str, sources: SourceLines) -> Diagnostic | None:
    message, severity = text_of(fields, "message"), _SEVERITIES.get(text_of(fields, "level"))
    spans = list_of(fields, "spans")
    if not message or severity is None or (not spans and _is_summary(message)):
        return None
    first = next((span for span in spans if span.get("is_primary") is True), None)
    place = _at_the_call(first) if first is not None else {}
    template, args = split(message, "backtick")
    label = text_of(first, "label") if first is not None else ""
    if not args and label:
        # "mismatched types" alone is a thousand complaints: which types they are is said beside the place.
        message = f"{message}: {label}"
        template, args = split(message, "backtick")
    return Diagnostic(
        "rustc",
        version,
        text_of(fields_of(fields, "code"), "code"),
        severity,
        message,
        template,
        args,
        text_of(place, "file_name"),
        _area(place, sources),
        tuple(_fixits(fields, sources)),
        tuple(_related(fields, first, sources)),
    )


def _is_summary(message: str) -> bool:
    return message.startswith(_SUMMARIES) or message.endswith(
        (" warning emitted", " warnings emitted")
    )


# ------------------------------------------------------------------------------------------------------------- places


def _at_the_call(span: Fields) -> Fields:
    """Give the span in the project: from within a macro of the standard library, where that macro is called."""
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


def _related(fields: Fields, first: Fields | None, sources: SourceLines) -> Iterator[Related]:
    """Give the labels, the places where macros are called, and what notes and helps say."""
    for span in list_of(fields, "spans"):
        at = _at_the_call(span)
        label = text_of(span, "label")
        if label:
            yield Related(label, text_of(at, "file_name"), _area(at, sources))
        expansion = fields_of(at, "expansion")
        call = fields_of(expansion, "span")
        if span is first and call and not _is_foreign(call):
            name = text_of(expansion, "macro_decl_name")
            yield Related(
                f"in this call of the macro `{name}`",
                text_of(call, "file_name"),
                _area(call, sources),
            )
    for child in list_of(fields, "children"):
        at = next((_at_the_call(span) for span in list_of(child, "spans")), {})
        if text_of(child, "message"):
            yield Related(text_of(child, "message"), text_of(at, "file_name"), _area(at, sources))


# -------------------------------------------------------------------------------------------------------- suggestions


def _fixits(fields: Fields, sources: SourceLines) -> Iterator[FixIt]:
    for part in (fields, *list_of(fields, "children")):
        spans = [
            span
            for span in list_of(part, "spans")
            if isinstance(span.get("suggested_replacement"), str)
        ]
        edits = [edit for span in spans if (edit := _edit(span, sources)) is not None]
        if not edits or len(edits) < len(spans):
            continue
        kinds = {text_of(span, "suggestion_applicability") for span in spans}
        if "HasPlaceholders" in kinds:
            # `todo!()` and `/* value */` are for somebody to fill in; some of them compile.
            continue
        safe = kinds == {"MachineApplicable"}
        message = text_of(part, "message")
        if _are_alternatives(edits):
            # Several answers, of which somebody must choose one: none of them is safe.
            yield from (FixIt(message, (edit,)) for edit in edits)
        else:
            yield FixIt(message, tuple(edits), safe=safe)


def _edit(span: Fields, sources: SourceLines) -> TextEdit | None:
    area = _area(span, sources)
    path = text_of(span, "file_name")
    # What is suggested within a macro's expansion would change the macro for all its calls.
    if area is None or _is_foreign(span) or fields_of(span, "expansion"):
        return None
    return TextEdit(path, area, text_of(span, "suggested_replacement"))


def _are_alternatives(edits: list[TextEdit]) -> bool:
    places = [(edit.path, edit.area.line, edit.area.column) for edit in edits]
    return len(set(places)) < len(places)
