"""Diagnostics for other programs: a SARIF file, and annotations of GitHub."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import quote

from holdfast import __version__
from holdfast.cli.render.repair import name_outcome
from holdfast.cli.render.text import plain
from holdfast.usecases.repair.descriptions import describe_repair
from holdfast.usecases.repair.file_repair import FileRepair
from holdfast.vocab.diagnostics import Area, Diagnostic

_OURS = "holdfast"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ESCAPES = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))


def write_sarif(file: Path, repairs: Sequence[FileRepair]) -> None:
    """Write what still fails as SARIF 2.1.0; raise OSError."""
    file.write_text(json.dumps(sarif_of(repairs), indent=2) + "\n", encoding="utf-8")


def sarif_of(repairs: Sequence[FileRepair]) -> dict[str, Any]:
    """Return what still fails as a SARIF log; each tool that found something is a run."""
    found = what_fails(repairs)
    tools = sorted({diagnostic.tool for diagnostic in found}) or [_OURS]
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(tool, found) for tool in tools]}


def _run(tool: str, found: Sequence[Diagnostic]) -> dict[str, Any]:
    results = []
    codes = set()
    version = __version__
    for diagnostic in found:
        if diagnostic.tool == tool:
            results.append(_result(diagnostic))
            codes.add(_rule_id(diagnostic))
            version = diagnostic.tool_version

    driver: dict[str, Any] = {
        "name": tool,
        "rules": [{"id": code} for code in sorted(codes)],
    }
    if version:
        driver["version"] = version

    return {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }


def _result(diagnostic: Diagnostic) -> dict[str, Any]:
    uri = quote(diagnostic.path.encode("utf-8", "surrogateescape"))
    where: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if diagnostic.area is not None:
        where["region"] = _region(diagnostic.area)

    return {
        "ruleId": _rule_id(diagnostic),
        "level": diagnostic.severity,
        "message": {"text": _unicode(diagnostic.message)},
        "locations": [{"physicalLocation": where}],
    }


def _region(area: Area) -> dict[str, int]:
    """Return the region of an area; without an end if the tool reports only a point."""
    region = {"startLine": max(area.line, 1), "startColumn": max(area.column, 1)}
    if (area.end_line, area.end_column) > (area.line, area.column):
        region |= {"endLine": area.end_line, "endColumn": max(area.end_column, 1)}
    return region


@contextmanager
def stopped_commands(log: TextIO | None) -> Iterator[None]:
    """Keep GitHub from taking a line of its log for a workflow command; without a log, do nothing.

    A line of a file, or a compiler's message, that begins with `::` would be one: it could forge
    annotations, or switch ours off. The word that ends this cannot be known before.
    """
    if log is None:
        yield
        return

    end = secrets.token_hex(16)
    print(plain(f"::stop-commands::{end}"), file=log, flush=True)
    try:
        yield
    finally:
        sys.stderr.flush()
        print(plain(f"::{end}::"), file=log, flush=True)


def github_annotations(repairs: Sequence[FileRepair]) -> Iterator[str]:
    """Yield a workflow command of GitHub for each diagnostic that is left."""
    for diagnostic in what_fails(repairs):
        command = {"error": "error", "warning": "warning", "note": "notice"}[diagnostic.severity]
        place = f"file={_escaped_property(diagnostic.path)}"
        if diagnostic.area is not None:
            place += f",line={diagnostic.area.line},col={diagnostic.area.column}"
        title = _escaped_property(" ".join(filter(None, (diagnostic.tool, diagnostic.code))))
        yield plain(f"::{command} {place},title={title}::{_escaped(diagnostic.message)}")


def what_fails(repairs: Sequence[FileRepair]) -> list[Diagnostic]:
    """Return the diagnostics of the files that still fail, each once.

    The check of a whole project reports a file once for each of the others; files that pass now
    are left out. A file that fails without an error has a diagnostic of ours with the reason.
    """
    passing = {repair.path for repair in repairs if repair.success}
    found: dict[Diagnostic, None] = {}
    for repair in repairs:
        if repair.success or repair.skipped is not None:
            continue
        severities = set()
        for diagnostic in repair.diagnostics:
            path = diagnostic.path or repair.path
            if path in passing:
                continue
            severities.add(diagnostic.severity)
            placed = replace(diagnostic, path=path)
            found[placed] = None
        if "error" not in severities:
            reason = _reason(repair)
            found[reason] = None

    return list(found)


def _reason(repair: FileRepair) -> Diagnostic:
    """Return why a file fails that has no error of its own: a tool is missing, or hangs."""
    message = describe_repair(repair)
    name = name_outcome(repair)
    return Diagnostic(
        tool=_OURS,
        tool_version=__version__,
        code=name,
        severity="error",
        message=message,
        template=name,
        args=(),
        path=repair.path,
        area=None,
    )


def _rule_id(diagnostic: Diagnostic) -> str:
    return diagnostic.code or diagnostic.template


def _unicode(text: str) -> str:
    """Return the text without the halves of characters that undecodable bytes leave."""
    return text.encode("utf-8", "replace").decode()


def _escaped(text: str) -> str:
    for old, new in _ESCAPES:
        text = text.replace(old, new)
    return text


def _escaped_property(text: str) -> str:
    escaped = _escaped(text)
    escaped = escaped.replace(":", "%3A")
    return escaped.replace(",", "%2C")
