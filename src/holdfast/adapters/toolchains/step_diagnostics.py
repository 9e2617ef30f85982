"""The diagnostics in the output of a step, in the paths of the project."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from holdfast.adapters.toolchains.run_tool import LARGEST_OUTPUT, ToolRun
from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.repair.ports import CheckCrashed
from holdfast.vocab.diagnostics import Diagnostic, FixIt, Related

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.adapters.toolchains.check_step import CheckedFile, CheckStep

_EXCERPT = 2_000


def has_error(found: Sequence[Diagnostic]) -> bool:
    """Return whether a diagnostic fails a check."""
    return any(each.severity == "error" for each in found)


def diagnostics_of(unit: CheckedFile, step: CheckStep, ran: ToolRun) -> list[Diagnostic]:
    """Return the diagnostics of a step, in the project's paths; raise `CheckCrashed`."""
    found = parse_output(unit, step, ran)
    raise_if_crashed(step, ran, found)
    if ran.code != 0 and not has_error(found):
        found.append(_failure(unit, step, ran))
    return [step.adjust(each) for each in found]


def parse_output(unit: CheckedFile, step: CheckStep, ran: ToolRun) -> list[Diagnostic]:
    """Return what a tool printed as diagnostics, in the project's paths."""
    name = PurePosixPath(unit.path).name
    sources = SourceLines({name: _text_of(unit), **_texts_by_path(unit, step)})
    found = step.parse(ran.output, version=step.tool.version, sources=sources)
    return [_in_project(each, unit, step) for each in found]


def parse_together(
    members: Sequence[tuple[CheckedFile, CheckStep]], ran: ToolRun
) -> list[Diagnostic]:
    """Return what a tool printed about several files, which it names by their paths."""
    texts: dict[str, str] = {}
    for unit, step in members:
        texts |= _texts_by_path(unit, step)

    unit, step = members[0]
    found = step.parse(ran.output, version=step.tool.version, sources=SourceLines(texts))
    return [_in_project(each, unit, step) for each in found]


def raise_if_crashed(step: CheckStep, ran: ToolRun, found: Sequence[Diagnostic]) -> None:
    """Raise `CheckCrashed` if the tool failed, and not the code."""
    name = step.tool.title
    if ran.flooded:
        size = LARGEST_OUTPUT // 1_000_000
        start = ran.output[:_EXCERPT]
        raise CheckCrashed(
            f"{name} wrote more than {size} MB and was ended; it began with:\n{start}"
        )
    if ran.code < 0:
        raise CheckCrashed(f"{name} was ended by {_name_signal(-ran.code)}; {_last_output(ran)}")
    if ran.code != 0 and not step.exit_code_decides and not has_error(found):
        raise CheckCrashed(
            f"{name} failed with exit code {ran.code} and named no error in the code; "
            f"{_last_output(ran)}"
        )
    if ran.code == 0 and not step.is_complete(ran.output):
        raise CheckCrashed(f"{name} succeeded, but its output is incomplete; {_last_output(ran)}")


def _failure(unit: CheckedFile, step: CheckStep, ran: ToolRun) -> Diagnostic:
    """Return the diagnostic of a command that fails and names no place."""
    template = "the check failed with exit code {0}"
    return Diagnostic(
        tool="command",
        tool_version=step.tool.version,
        code="",
        severity="error",
        message=f"{template.format(ran.code)}; {_last_output(ran)}",
        template=template,
        args=(str(ran.code),),
        path=unit.path,
        area=None,
    )


def _last_output(ran: ToolRun) -> str:
    output = ran.output.strip()[-_EXCERPT:]
    if not output:
        return "it printed nothing."
    return f"its last output:\n{output}"


def _name_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


# -------------------------------------------------------------------------------------------- paths


def _text_of(unit: CheckedFile) -> str:
    return unit.text.decode("utf-8", "surrogateescape")


def _texts_by_path(unit: CheckedFile, step: CheckStep) -> dict[str, str]:
    """Return the unit's text by every path that a tool may use for it."""
    name = PurePosixPath(unit.path).name
    from_base = os.path.relpath(unit.path, step.base)
    names = [
        unit.path,
        f"./{unit.path}",
        str(unit.root / unit.path),
        str(Path(step.cwd, from_base)),
        from_base,
    ]
    names += [word for word in step.argv if word.endswith(name)]
    names += [alias for alias, path in step.aliases.items() if path == unit.path]
    return dict.fromkeys(names, _text_of(unit))


def _in_project(found: Diagnostic, unit: CheckedFile, step: CheckStep) -> Diagnostic:
    """Return the diagnostic with the project's paths in place of the scratch folder's."""
    return replace(
        found,
        message=without_scratch(found.message, unit),
        template=without_scratch(found.template, unit),
        args=tuple(without_scratch(arg, unit) for arg in found.args),
        path=_project_path(found.path, unit, step),
        fixits=tuple(_fixit_in_project(fixit, unit, step) for fixit in found.fixits),
        related=tuple(_related_in_project(related, unit, step) for related in found.related),
    )


def _fixit_in_project(fixit: FixIt, unit: CheckedFile, step: CheckStep) -> FixIt:
    edits = [replace(edit, path=_project_path(edit.path, unit, step)) for edit in fixit.edits]
    return replace(fixit, edits=tuple(edits))


def _related_in_project(related: Related, unit: CheckedFile, step: CheckStep) -> Related:
    path = _project_path(related.path, unit, step)
    return replace(related, path=path, message=without_scratch(related.message, unit))


def without_scratch(text: str, unit: CheckedFile) -> str:
    """Return a tool's output without the scratch folder, whose name changes from run to run."""
    for folder in ("farm/", "mirror/", "file/", ""):
        text = text.replace(f"{unit.scratch.folder}/{folder}", "")
    return text


def _project_path(path: str, unit: CheckedFile, step: CheckStep) -> str:
    """Return the path from the root for a path that a tool printed."""
    if not path:
        return path

    if path.startswith("/"):
        # The folder that shows the root is where the tool runs, or some folders above it.
        top = os.path.normpath(Path(step.cwd, os.path.relpath(".", step.base)))
        path = path.removeprefix(f"{top}/").removeprefix(f"{unit.root}/")
    else:
        path = os.path.normpath(PurePosixPath(step.base, path))

    if path in step.aliases:
        return step.aliases[path]

    # javac prints the name alone, and a single file in the scratch folder has no other path.
    is_name = path == PurePosixPath(unit.path).name
    is_single_file = Path(path).parent == unit.scratch.folder / "file"
    if (is_name or is_single_file) and not (unit.root / path).is_file():
        return unit.path

    return path
