"""Go: `go test` that tests nothing. One process compiles a package with its tests, all errors told, and vets it.

`go vet` alone stops at the first error of a package, so that to mend it only shows the next; `go build` sees no tests.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from holdfast.adapters.toolchains.installed_tool import ToolProgram, need
from holdfast.adapters.toolchains.tool_check import CheckedFile, CheckStep
from holdfast.repair.diagnostics import go

GO = ToolProgram(
    "go", "Install it with: apt install golang-go (Debian), brew install go (macOS).", ("version",)
)

_PACKAGE = re.compile(rb"^[ \t]*package[ \t]+(\w+)", re.MULTILINE)
_MAIN = re.compile(rb"^func[ \t]+main[ \t]*\(", re.MULTILINE)
_MOST_SIBLINGS = 1_000


def plan(unit: CheckedFile) -> Sequence[CheckStep]:
    """Look at the package that the file belongs to; in project mode at all packages of its module."""
    tool = need(GO, unit.root, unit.path, unit.deadline, unit.cancel)
    tree = unit.scratch.mirror(unit.path, unit.text)
    module = _above(unit, "go.mod")
    folder = PurePosixPath(unit.path).parent
    # The programs that are made are handed to one that does nothing: no code of the project runs.
    argv = [
        tool.program,
        "test",
        "-vet=all",
        "-run=^$",
        f"-exec={shutil.which('true') or '/bin/true'}",
        "-gcflags=-e",
    ]
    if module is None:
        base, what = folder, _siblings(unit)
    else:
        base, what = module, [_package(folder, module)] if unit.mode == "file" else ["./..."]
    return [
        CheckStep(
            tool,
            [*argv, *what],
            str(Path(tree, base)),
            go.parse,
            variables=_variables(unit, module),
            base=str(base),
        )
    ]


def _variables(unit: CheckedFile, module: PurePosixPath | None) -> dict[str, str]:
    """Say that nothing is fetched, and where what was compiled is kept: with the user's own, else every run is cold."""
    variables = {"GOPROXY": "off", "GOSUMDB": "off", "GOFLAGS": "-mod=mod"}
    if module is not None and _above(unit, "go.work") is not None:
        # There the modules are what the workspace says, and go takes no other word for it.
        variables["GOFLAGS"] = ""
    elif module is not None and (unit.root / module / "vendor/modules.txt").is_file():
        variables["GOFLAGS"] = "-mod=vendor"
    if not _has_cache():
        variables |= {"GOCACHE": unit.scratch.place("go"), "GOPATH": unit.scratch.place("gopath")}
    return variables


def _has_cache() -> bool:
    """Whether go finds a place for its cache that it may write to."""
    told = os.environ.get("GOCACHE") or os.environ.get("XDG_CACHE_HOME") or os.environ.get("HOME")
    return bool(told) and Path(told or "").is_dir() and os.access(told or "", os.W_OK | os.X_OK)


def _above(unit: CheckedFile, name: str) -> PurePosixPath | None:
    """Give the nearest folder from the unit up to the root that has such a file."""
    parents = PurePosixPath(unit.path).parents
    return next((parent for parent in parents if (unit.root / parent / name).is_file()), None)


def _package(folder: PurePosixPath, module: PurePosixPath) -> str:
    inside = folder.relative_to(module)
    return "." if inside == PurePosixPath() else f"./{inside}"


def _siblings(unit: CheckedFile) -> list[str]:
    """Give the files of the unit's package, where no module says so: those beside it that name the same.

    A folder of programs, each with a `main` of its own, is none: then only those without one belong to the unit.
    """
    name = PurePosixPath(unit.path).name
    told = _PACKAGE.search(unit.text)
    if told is None:
        return [f"./{name}"]
    files = [name]
    for file in sorted((unit.root / unit.path).parent.glob("*.go"))[:_MOST_SIBLINGS]:
        is_test = file.name.endswith("_test.go") and not name.endswith("_test.go")
        if file.name == name or is_test or not file.is_file():
            continue
        text = file.read_bytes()
        theirs = _PACKAGE.search(text)
        if theirs is not None and theirs[1] == told[1] and not _MAIN.search(text):
            files.append(file.name)
    return [f"./{file}" for file in sorted(files)]
