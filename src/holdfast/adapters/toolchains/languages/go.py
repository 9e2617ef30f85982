"""Go: `go test` that runs no test. One process compiles a package with its tests and vets it.

`go vet` alone stops at the first error of a package, so that each fix only reveals the next one.
`go build` does not compile tests.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from holdfast.adapters.plain_file import read_plain
from holdfast.adapters.processes.project_programs import program_outside
from holdfast.adapters.toolchains.check_step import BatchForm, CheckedFile, CheckStep
from holdfast.adapters.toolchains.installed_tool import ToolProgram
from holdfast.repair.diagnostics import go
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

GO = ToolProgram(
    "go", "Install it with: apt install golang-go (Debian), brew install go (macOS).", ("version",)
)

_PACKAGE = lazy_pattern(rb"^[ \t]*package[ \t]+(\w+)", re.MULTILINE)
_MAIN = lazy_pattern(rb"^func[ \t]+main[ \t]*\(", re.MULTILINE)
_MOST_SIBLINGS = 1_000


def plan(unit: CheckedFile) -> Sequence[CheckStep]:
    """Check the file's package; in project mode all packages of its module."""
    tool = unit.require_tool(GO)
    tree = unit.scratch.mirror(unit.path, unit.text)
    module = unit.folder_with("go.mod")
    folder = PurePosixPath(unit.path).parent
    # The test programs are run by `true`, which does nothing: no code of the project runs.
    argv = [
        tool.program,
        "test",
        "-vet=all",
        "-run=^$",
        f"-exec={program_outside('true', unit.root) or '/bin/true'}",
        "-gcflags=-e",
    ]
    base = folder
    if module is not None:
        base = module

    argv += _packages(unit, module)
    batch = None
    if module is not None:
        batch = BatchForm(tuple(argv), str(Path(tree, base)), adds_files=False)

    step = CheckStep(
        tool=tool,
        argv=argv,
        cwd=str(Path(tree, base)),
        parse=go.parse,
        variables=_variables(unit, module),
        base=str(base),
        batch=batch,
    )
    return [step]


def _packages(unit: CheckedFile, module: PurePosixPath | None) -> list[str]:
    """Return what is compiled: files without a module, else a package or all of them."""
    if module is None:
        return _siblings(unit)
    if unit.mode == "project":
        return ["./..."]

    inside = PurePosixPath(unit.path).parent.relative_to(module)
    if inside == PurePosixPath():
        return ["."]

    return [f"./{inside}"]


def _variables(unit: CheckedFile, module: PurePosixPath | None) -> dict[str, str]:
    """Return the environment: no downloads, and the user's own cache, so that runs are not cold."""
    variables = {"GOPROXY": "off", "GOSUMDB": "off", "GOFLAGS": "-mod=mod"}
    if module is not None and unit.folder_with("go.work") is not None:
        # The workspace lists the modules, and go accepts no `-mod` there.
        variables["GOFLAGS"] = ""
    elif module is not None and (unit.root / module / "vendor/modules.txt").is_file():
        variables["GOFLAGS"] = "-mod=vendor"

    if not _has_cache():
        variables |= {
            "GOCACHE": unit.scratch.tool_folder("go"),
            "GOPATH": unit.scratch.tool_folder("gopath"),
        }

    return variables


def _has_cache() -> bool:
    """Return whether go finds a writable folder for its cache."""
    for name in ("GOCACHE", "XDG_CACHE_HOME", "HOME"):
        folder = os.environ.get(name)
        if folder:
            return Path(folder).is_dir() and os.access(folder, os.W_OK | os.X_OK)
    return False


def _siblings(unit: CheckedFile) -> list[str]:
    """Return the files of the unit's package without a module: its neighbours of the same package.

    Files with a `main` of their own are other programs, and do not belong to the unit.
    """
    name = PurePosixPath(unit.path).name
    package = _PACKAGE.search(unit.text)
    if package is None:
        return [f"./{name}"]

    files = [name]
    may_be_test = name.endswith("_test.go")
    folder = (unit.root / unit.path).parent
    for file in sorted(folder.glob("*.go"))[:_MOST_SIBLINGS]:
        if file.name == name:
            continue
        if not file.is_file():
            continue
        if file.name.endswith("_test.go") and not may_be_test:
            continue
        if _belongs_to(file, package[1]):
            files.append(file.name)

    return [f"./{file}" for file in sorted(files)]


def _belongs_to(file: Path, package: bytes) -> bool:
    try:
        text = read_plain(file)
    except OSError:
        return False

    named = _PACKAGE.search(text)
    if named is None or named[1] != package:
        return False
    return not _MAIN.search(text)
