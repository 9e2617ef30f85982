"""Go: `go vet`, which compiles and looks further. Fetches nothing. Not tried here, where go is not installed."""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.adapters.toolchains.check import Step, Unit
from holdfast.adapters.toolchains.tool import Tool, need
from holdfast.repair.diagnostics import go

GO = Tool("go", "Install it with: apt install golang (Debian), brew install go (macOS).", ("version",))


def plan(unit: Unit) -> Sequence[Step]:
    """Look at the file, or at all packages of its module."""
    tool = need(GO, unit.root, unit.path, unit.deadline)
    tree = unit.scratch.mirror(unit.path, unit.text)
    what = unit.path if unit.mode == "file" else "./..."
    variables = {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOCACHE": unit.scratch.place("go")}
    return [Step(tool, [tool.program, "vet", what], tree, go.parse, variables=variables)]
