"""What Python's own compiler says, as `adapters/toolchains/python_child.py` prints it: one object a line."""

from __future__ import annotations

import re

from holdfast.repair.diagnostics.json_text import Fields, count_of, read_lines, text_of
from holdfast.repair.diagnostics.plain import plain_lines
from holdfast.repair.diagnostics.sources import Sources, Unit
from holdfast.repair.diagnostics.template import split
from holdfast.vocab.diagnostics import Diagnostic, Severity

_NOWHERE = Sources()
_UNQUOTED = (re.compile(r"keyword argument repeated: (\w+)"),)


def parse(output: str, *, version: str, sources: Sources = _NOWHERE) -> tuple[Diagnostic, ...]:
    """Give the error that Python stops at, and its warnings; the code is the exception's name."""
    found = (_diagnostic(fields, version, sources) for fields in read_lines(plain_lines(output)))
    return tuple(each for each in found if each is not None)


def _diagnostic(fields: Fields, version: str, sources: Sources) -> Diagnostic | None:
    message, path, code = text_of(fields, "message"), text_of(fields, "path"), text_of(fields, "type")
    if not message or not path or not code:
        return None
    # What the parser finds is told in characters; what is found later, in the tree, in bytes.
    unit: Unit = "bytes" if text_of(fields, "unit") == "bytes" else "characters"
    begin = count_of(fields, "line"), count_of(fields, "column")
    # An end of 0 or -1 is none, and so is any for which there is no begin.
    end = count_of(fields, "end_line"), count_of(fields, "end_column")
    template, args = split(message, "double", _UNQUOTED)
    severity: Severity = "warning" if code.endswith("Warning") else "error"
    area = sources.area(path, begin, end, unit)
    return Diagnostic("python", version, code, severity, message, template, args, path, area)
