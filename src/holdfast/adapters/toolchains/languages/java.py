"""Java: javac, which finds the classes that a file uses where their packages say."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import islice
from pathlib import PurePosixPath

from holdfast.adapters.toolchains.installed_tool import ToolProgram, need
from holdfast.adapters.toolchains.tool_check import CheckedFile, CheckStep
from holdfast.repair.diagnostics import javac

JAVAC = ToolProgram(
    "javac",
    "Install a JDK: apt install default-jdk (Debian), brew install openjdk (macOS).",
    ("-version",),
)

_PACKAGE = re.compile(rb"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_MODULE = "module-info.java"
_LIBRARIES = ("lib", "libs")
_MOST_FILES = 2_000


def plan(unit: CheckedFile) -> Sequence[CheckStep]:
    """Compile the file, and in project mode all that stands below its source folder."""
    tool = need(JAVAC, unit.root, unit.path, unit.deadline, unit.cancel)
    top = _source_folder(unit)
    sources = _source_path(unit, top)
    has_module = (unit.root / top / _MODULE).is_file()
    # A module that is a link would stand elsewhere for javac, and not among the sources.
    show = unit.scratch.mirror if unit.mode == "project" or has_module else unit.scratch.farm
    argv = [
        tool.program,
        "-XDrawDiagnostics",
        "-encoding",
        "UTF-8",
        "-Xmaxerrs",
        "200",
        "-proc:none",
        "-nowarn",
    ]
    argv += ["-implicit:none", "-d", unit.scratch.place("classes")]
    argv += [
        "-sourcepath",
        os.pathsep.join(map(str, sources)),
        "-classpath",
        os.pathsep.join(_class_path(unit)),
    ]
    beside = _below(unit, sources)
    if unit.mode == "project":
        files = sorted({unit.path, *_below(unit, [top])})
    else:
        files = sorted({unit.path, *([str(top / _MODULE)] if has_module else [])})
    names = _by_name({unit.path, *beside}, unit.path)
    return [CheckStep(tool, [*argv, *files], show(unit.path, unit.text), javac.parse, names=names)]


def _source_folder(unit: CheckedFile) -> PurePosixPath:
    """Give the folder in which the file's package begins."""
    folder = PurePosixPath(unit.path).parent
    told = _PACKAGE.search(unit.text)
    for part in reversed(told[1].decode("ascii", "replace").split(".")) if told else ():
        if folder.name != part:
            return PurePosixPath(unit.path).parent
        folder = folder.parent
    return folder


def _source_path(unit: CheckedFile, top: PurePosixPath) -> list[PurePosixPath]:
    """Give the source folder; for tests, in the layout of Maven and Gradle, that of what they test, too."""
    main = top.parent.with_name("main") / top.name if top.parent.parent.name == "src" else top
    return [top, main] if main != top and (unit.root / main).is_dir() else [top]


def _class_path(unit: CheckedFile) -> list[str]:
    """Give where classes are: here, and in the libraries that lie in the project."""
    folders = [
        PurePosixPath(parent, name)
        for parent in PurePosixPath(unit.path).parents
        for name in _LIBRARIES
    ]
    # javac itself reads the star: all jars in it.
    return [".", *(f"{folder}/*" for folder in folders if (unit.root / folder).is_dir())]


def _below(unit: CheckedFile, folders: Sequence[PurePosixPath]) -> list[str]:
    found = (file for folder in folders for file in (unit.root / folder).rglob("*.java"))
    return sorted(str(file.relative_to(unit.root)) for file in islice(found, _MOST_FILES))


def _by_name(files: Collection[str], unit: str) -> dict[str, str]:
    """Give the files by their names alone, as javac tells them. Of two with one name: the unit, or neither."""
    counts = Counter(PurePosixPath(file).name for file in files)
    alone = {name: file for file in files if counts[name := PurePosixPath(file).name] == 1}
    return {**alone, PurePosixPath(unit).name: unit}
