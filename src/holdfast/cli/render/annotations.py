"""Diagnostics for other programs: a SARIF file, and annotations of GitHub."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from holdfast import __version__
from holdfast.usecases.repair.file_repair import FileRepair
from holdfast.vocab.diagnostics import Diagnostic

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ESCAPES = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))


def write_sarif(file: Path, repairs: Sequence[FileRepair]) -> None:
    """Write what still fails as SARIF 2.1.0; raise OSError."""
    file.write_text(json.dumps(sarif_of(repairs), indent=2) + "\n", encoding="utf-8")


def sarif_of(repairs: Sequence[FileRepair]) -> dict[str, Any]:
    """Return what still fails as a SARIF log; each tool that found something is a run."""
    found = list(_failing(repairs))
    tools = sorted({diagnostic.tool for _, diagnostic in found}) or ["holdfast"]
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(tool, found) for tool in tools]}


def _run(tool: str, found: Sequence[tuple[FileRepair, Diagnostic]]) -> dict[str, Any]:
    own = [(repair, each) for repair, each in found if each.tool == tool]
    codes = sorted({_rule_id(each) for _, each in own})
    driver: dict[str, Any] = {"name": tool, "rules": [{"id": code} for code in codes]}
    if tool == "holdfast":
        driver["version"] = __version__
    results = [_result(repair, each) for repair, each in own]
    return {"tool": {"driver": driver}, "results": results}


def _result(repair: FileRepair, diagnostic: Diagnostic) -> dict[str, Any]:
    where: dict[str, Any] = {"artifactLocation": {"uri": _path(repair, diagnostic)}}
    area = diagnostic.area
    if area is not None:
        where["region"] = {
            "startLine": area.line,
            "startColumn": area.column,
            "endLine": max(area.end_line, area.line),
            "endColumn": max(area.end_column, 1),
        }
    return {
        "ruleId": _rule_id(diagnostic),
        "level": diagnostic.severity,
        "message": {"text": diagnostic.message},
        "locations": [{"physicalLocation": where}],
    }


def github_annotations(repairs: Sequence[FileRepair]) -> Iterator[str]:
    """Yield a workflow command of GitHub for each diagnostic that is left."""
    for repair, diagnostic in _failing(repairs):
        command = {"error": "error", "warning": "warning", "note": "notice"}[diagnostic.severity]
        place = f"file={_escaped_property(_path(repair, diagnostic))}"
        if diagnostic.area is not None:
            place += f",line={diagnostic.area.line},col={diagnostic.area.column}"
        title = _escaped_property(" ".join(filter(None, (diagnostic.tool, diagnostic.code))))
        yield f"::{command} {place},title={title}::{_escaped(diagnostic.message)}"


def _failing(repairs: Sequence[FileRepair]) -> Iterator[tuple[FileRepair, Diagnostic]]:
    for repair in repairs:
        if repair.success:
            continue
        for diagnostic in repair.diagnostics:
            yield repair, diagnostic


def _rule_id(diagnostic: Diagnostic) -> str:
    return diagnostic.code or diagnostic.template


def _path(repair: FileRepair, diagnostic: Diagnostic) -> str:
    return diagnostic.path or repair.path


def _escaped(text: str) -> str:
    for old, new in _ESCAPES:
        text = text.replace(old, new)
    return text


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
