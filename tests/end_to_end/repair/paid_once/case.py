"""Broken programs: one to pay for, one with the same error that differs in names, literals and structure, a near miss.

`cases/<tool>.txt` holds those of a tool: `==== title`, then the texts, each below `---- part`. The cases below
`cases/writer` were written by somebody who had not seen the engine; they have another example, `again`.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

_PLACE = Path(__file__).with_name("cases")
_PARTS = ("broken", "fixed", "second", "second fixed", "near")
_AGAIN = ("again", "again fixed")
_NAMES = {
    "gcc": "unit.c",
    "g++": "unit.cpp",
    "rustc": "unit.rs",
    "javac": "Unit.java",
    "node": "unit.js",
    "tsc": "unit.ts",
    "go": "unit.go",
}
_PACKAGES = {
    "gcc": "gcc",
    "g++": "g++",
    "rustc": "rustc",
    "javac": "openjdk-17-jdk-headless",
    "node": "nodejs",
    "go": "golang-go",
    "tsc": "typescript (npm); make toolchains installs it",
    "ruff": "ruff (pip)",
    "mypy": "mypy (pip)",
}
TOOLS = ("python", "ruff", "mypy", "gcc", "g++", "rustc", "javac", "go", "node", "tsc")
TOOLCHAINS = Path(__file__).parents[4] / ".toolchains"


@dataclass(frozen=True, slots=True)
class Case:
    """`fixed` is what the model answers to `broken`; `near` is what a rule for that must leave alone."""

    tool: str
    title: str
    broken: str
    fixed: str
    second: str
    second_fixed: str
    near: str
    again: str = ""
    again_fixed: str = ""

    @property
    def file(self) -> str:
        """The name of the file."""
        return _NAMES.get(self.tool, "unit.py")


def read_cases(tool: str, folder: str = "") -> list[Case]:
    """Read the cases of a tool."""
    _, *blocks = ("\n" + (_PLACE / folder / f"{tool}.txt").read_text()).split("\n==== ")
    return [_read_case(tool, block) for block in blocks]


def _read_case(tool: str, block: str) -> Case:
    title, *parts = block.split("\n---- ")
    texts = dict(part.split("\n", 1) for part in parts)
    assert tuple(texts) in (_PARTS, _PARTS + _AGAIN), (title, tuple(texts))
    return Case(tool, title, *(text.removesuffix("\n") + "\n" for text in texts.values()))


def missing(tool: str) -> str | None:
    """Say what to install, if the tool is not there."""
    beside = {"ruff": Path(sys.executable).parent, "mypy": Path(sys.executable).parent}
    beside["tsc"] = TOOLCHAINS / "node_modules" / ".bin"
    if (
        tool == "python"
        or shutil.which(tool)
        or (tool in beside and (beside[tool] / tool).exists())
    ):
        return None
    return f"{tool} is not installed; it is in the package {_PACKAGES[tool]}"
