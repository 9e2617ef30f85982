"""Java: javac, which finds the classes that a file uses where their packages say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from holdfast.adapters.toolchains.check import Step, Unit
from holdfast.adapters.toolchains.tool import Tool, need
from holdfast.repair.diagnostics import javac

JAVAC = Tool("javac", "Install a JDK: apt install default-jdk (Debian), brew install openjdk (macOS).", ("-version",))

_PACKAGE = re.compile(rb"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)


def plan(unit: Unit) -> Sequence[Step]:
    """Compile the file, and in project mode all that stands below its source folder."""
    tool = need(JAVAC, unit.root, unit.path, unit.deadline)
    top = _source_folder(unit)
    tree = (
        unit.scratch.mirror(unit.path, unit.text) if unit.mode == "project" else unit.scratch.farm(unit.path, unit.text)
    )
    argv = [tool.program, "-XDrawDiagnostics", "-encoding", "UTF-8", "-Xmaxerrs", "200", "-proc:none", "-nowarn"]
    argv += ["-implicit:none", "-d", unit.scratch.place("classes"), "-sourcepath", str(top)]
    files = _files(unit, top)
    return [Step(tool, [*argv, *files], tree, javac.parse, names=_by_name(files, unit.path))]


def _source_folder(unit: Unit) -> PurePosixPath:
    """Give the folder in which the file's package begins."""
    folder = PurePosixPath(unit.path).parent
    told = _PACKAGE.search(unit.text)
    for part in reversed(told[1].decode("ascii", "replace").split(".")) if told else ():
        if folder.name != part:
            return PurePosixPath(unit.path).parent
        folder = folder.parent
    return folder


def _files(unit: Unit, top: PurePosixPath) -> list[str]:
    if unit.mode == "file":
        return [unit.path]
    found = sorted(str(each.relative_to(unit.root)) for each in (unit.root / top).rglob("*.java"))
    return sorted({unit.path, *found[:2_000]})


def _by_name(files: Sequence[str], unit: str) -> dict[str, str]:
    """Give the files by their names alone, as javac tells them. Of two with one name: the unit, or neither."""
    names = [PurePosixPath(file).name for file in files]
    alone = {name: file for name, file in zip(names, files, strict=True) if names.count(name) == 1}
    return {**alone, PurePosixPath(unit).name: unit}
