"""C and C++: gcc and g++, which only look. One file is a whole of its own, so file and project mode are alike."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from holdfast.adapters.toolchains.check import Step, Unit
from holdfast.adapters.toolchains.tool import Tool, need
from holdfast.repair.diagnostics import gcc

GCC = Tool(
    "gcc",
    "Install it with: apt install gcc (Debian), dnf install gcc (Fedora), brew install gcc (macOS).",
    ("-dumpfullversion", "-dumpversion"),
)
GXX = Tool(
    "g++",
    "Install it with: apt install g++ (Debian), dnf install gcc-c++ (Fedora), brew install gcc (macOS).",
    ("-dumpfullversion", "-dumpversion"),
)

# Errors since gcc 14, and never anything but a mistake.
_MISTAKES = ("implicit-function-declaration", "implicit-int", "int-conversion", "incompatible-pointer-types")
# Where headers of a project usually are.
_HEADERS = ("include", "src", ".")


def plan_c(unit: Unit) -> Sequence[Step]:
    """Give gcc's only step."""
    return [_step(unit, GCC, "c-header" if unit.path.endswith(".h") else "c")]


def plan_cpp(unit: Unit) -> Sequence[Step]:
    """Give the only step of g++."""
    return [_step(unit, GXX, "c++-header" if unit.path.endswith((".hpp", ".hh", ".hxx")) else "c++")]


def _step(unit: Unit, tool: Tool, language: str) -> Step:
    found = need(tool, unit.root, unit.path, unit.deadline)
    farm = unit.scratch.farm(unit.path, unit.text)
    argv = [found.program, "-fsyntax-only", "-fdiagnostics-format=json", "-fmax-errors=200", "-x", language]
    argv += [f"-Werror={mistake}" for mistake in _MISTAKES if language.startswith("c-") or language == "c"]
    argv += [word for folder in _HEADERS if (unit.root / folder).is_dir() for word in ("-I", folder)]
    return Step(found, [*argv, f"./{unit.path}"], farm, partial(gcc.parse, tool=tool.name))
