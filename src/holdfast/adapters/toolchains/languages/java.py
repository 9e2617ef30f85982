"""Java: javac, which finds the classes that a file uses by their packages."""

from __future__ import annotations

import os
import re
from collections import Counter
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from holdfast.adapters.toolchains.check_step import CheckedFile, CheckStep
from holdfast.adapters.toolchains.installed_tool import ToolProgram
from holdfast.repair.diagnostics import javac
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

JAVAC = ToolProgram(
    "javac",
    "Install a JDK: apt install default-jdk (Debian), brew install openjdk (macOS).",
    ("-version",),
)

_PACKAGE = lazy_pattern(rb"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_MODULE = "module-info.java"
_LIBRARIES = ("lib", "libs")
_MOST_FILES = 2_000

# To compile one file, the JVM spends a third of its time on optimising code that then runs once.
_SHORT_RUN = ("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC")

# In the locale C, javac cannot read a folder in which a name has characters beyond ASCII.
_VARIABLES = {"LC_ALL": "C.UTF-8"}


def plan(unit: CheckedFile) -> Sequence[CheckStep]:
    """Compile the file, and in project mode all files below its source folder."""
    tool = unit.require_tool(JAVAC)
    top = _source_folder(unit)
    sources = _source_path(unit, top)
    has_module = (unit.root / top / _MODULE).is_file()
    # For javac a linked module is in another folder, and not among the sources.
    needs_copy = unit.mode == "project" or has_module
    make_tree = unit.scratch.mirror if needs_copy else unit.scratch.farm
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
    argv += ["-implicit:none", "-d", unit.scratch.tool_folder("classes")]
    # Else javac starts the plugins that it finds on the class path.
    argv += ["-processorpath", unit.scratch.tool_folder("no_plugins")]
    argv += [
        "-sourcepath",
        os.pathsep.join(map(str, sources)),
        "-classpath",
        os.pathsep.join(_class_path(unit)),
    ]
    aliases = _by_name({unit.path, *_java_files(unit, sources)}, unit.path)
    files = {unit.path}
    if unit.mode == "project":
        files.update(_java_files(unit, [top]))
    else:
        argv += _SHORT_RUN
        if has_module:
            files.add(str(top / _MODULE))

    # A name that begins with `-` or `@` would be an option, or a file with options.
    argv += sorted(f"./{file}" for file in files)
    tree = make_tree(unit.path, unit.text)
    return [CheckStep(tool, argv, tree, javac.parse, aliases=aliases, variables=_VARIABLES)]


def _source_folder(unit: CheckedFile) -> PurePosixPath:
    """Return the folder in which the file's package begins."""
    folder = PurePosixPath(unit.path).parent
    package = _PACKAGE.search(unit.text)
    if package is None:
        return folder

    for part in reversed(package[1].decode("ascii", "replace").split(".")):
        if folder.name != part:
            return PurePosixPath(unit.path).parent
        folder = folder.parent

    return folder


def _source_path(unit: CheckedFile, top: PurePosixPath) -> list[PurePosixPath]:
    """Return the source folder; for tests in the layout of Maven and Gradle, the main one too."""
    if top.parent.parent.name != "src":
        return [top]
    main = top.parent.with_name("main") / top.name
    if main == top or not (unit.root / main).is_dir():
        return [top]
    return [top, main]


def _class_path(unit: CheckedFile) -> list[str]:
    """Return where classes are: here, and in the libraries of the project."""
    folders = ["."]
    for parent in PurePosixPath(unit.path).parents:
        libraries = [parent / name for name in _LIBRARIES]
        # javac itself expands the star to all jars.
        folders += [f"{library}/*" for library in libraries if (unit.root / library).is_dir()]
    return folders


def _java_files(unit: CheckedFile, folders: Sequence[PurePosixPath]) -> list[str]:
    """Return the Java files below the folders, up to a limit, sorted."""
    found = chain.from_iterable((unit.root / folder).rglob("*.java") for folder in folders)
    return sorted(str(file.relative_to(unit.root)) for file in islice(found, _MOST_FILES))


def _by_name(files: Collection[str], unit: str) -> dict[str, str]:
    """Return the files by their names alone, which javac prints.

    A name of several files means the unit if it is one of them, and is left out otherwise.
    """
    names = {file: PurePosixPath(file).name for file in files}
    counts = Counter(names.values())
    unique = {name: file for file, name in names.items() if counts[name] == 1}
    return {**unique, PurePosixPath(unit).name: unit}
