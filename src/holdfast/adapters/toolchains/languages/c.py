"""C and C++: gcc and g++, which only look. One file is a whole of its own, so file and project mode are alike.

Where the project says how it compiles (`compile_commands.json`), that counts; else headers are looked for as usual.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from holdfast.adapters.toolchains.installed_tool import ToolProgram, need
from holdfast.adapters.toolchains.languages.compile_commands import (
    CPP_SUFFIXES,
    CompileCommand,
    entry_for,
)
from holdfast.adapters.toolchains.tool_check import CheckedFile, CheckStep
from holdfast.repair.diagnostics import gcc

GCC = ToolProgram(
    "gcc",
    "Install it with: apt install gcc (Debian), dnf install gcc (Fedora), brew install gcc (macOS).",
    ("-dumpfullversion", "-dumpversion"),
)
GXX = ToolProgram(
    "g++",
    "Install it with: apt install g++ (Debian), dnf install gcc-c++ (Fedora), brew install gcc (macOS).",
    ("-dumpfullversion", "-dumpversion"),
)

# Errors since gcc 14, and never anything but a mistake.
_MISTAKES = ("int-conversion", "incompatible-pointer-types")
# As well, but allowed in the C of 1989.
_NEW_MISTAKES = ("implicit-function-declaration", "implicit-int")
_OLD_C = frozenset(
    {"-ansi", "-std=c89", "-std=c90", "-std=gnu89", "-std=gnu90", "-std=iso9899:1990"}
)
# Where headers of a project usually are.
_HEADERS = ("include", "src", ".")
_CPP_HEADER = re.compile(
    rb"^\s*(?:namespace\b|template\s*<|class\s+\w+|using\s+\w|(?:public|private|protected)\s*:|#\s*include\s*<\w+>)"
    rb"|\bstd::|\bconstexpr\b",
    re.MULTILINE,
)


def plan_c(unit: CheckedFile) -> Sequence[CheckStep]:
    """Give the only step: gcc's, or that of g++ for a header of C++."""
    entry = entry_for(unit.root, unit.path)
    if not unit.path.endswith(".h"):
        return [_step(unit, GCC, "c", entry)]
    if _is_cpp_header(unit, entry):
        return [_step(unit, GXX, "c++-header", entry)]
    return [_step(unit, GCC, "c-header", entry)]


def plan_cpp(unit: CheckedFile) -> Sequence[CheckStep]:
    """Give the only step of g++."""
    language = "c++-header" if unit.path.endswith((".hpp", ".hh", ".hxx")) else "c++"
    return [_step(unit, GXX, language, entry_for(unit.root, unit.path))]


def _step(
    unit: CheckedFile, tool: ToolProgram, language: str, entry: CompileCommand | None
) -> CheckStep:
    found = need(tool, unit.root, unit.path, unit.deadline, unit.cancel)
    farm = unit.scratch.farm(unit.path, unit.text)
    argv = [
        found.program,
        "-fsyntax-only",
        "-fdiagnostics-format=json",
        "-fmax-errors=200",
        "-x",
        language,
    ]
    flags = _flags(unit, entry, language)
    if not language.startswith("c++"):
        mistakes = _MISTAKES if _OLD_C.intersection(flags) else (*_MISTAKES, *_NEW_MISTAKES)
        argv += [f"-Werror={mistake}" for mistake in mistakes]
    return CheckStep(
        found, [*argv, *flags, f"./{unit.path}"], farm, partial(gcc.parse, tool=tool.name)
    )


def _flags(unit: CheckedFile, entry: CompileCommand | None, language: str) -> list[str]:
    if entry is None:
        return [
            word for folder in _HEADERS if (unit.root / folder).is_dir() for word in ("-I", folder)
        ]
    flags = entry.flags(unit.root, is_cpp=language.startswith("c++"))
    # gcc warns of `#pragma once` in what it is given itself.
    return [flag for flag in flags if flag != "-Werror"] if language.endswith("-header") else flags


def _is_cpp_header(unit: CheckedFile, entry: CompileCommand | None) -> bool:
    """Whether a `.h` is C++: its namesake is, or what it says, or all that the project compiles beside it."""
    if b"__cplusplus" in unit.text:
        # Made for both.
        return False
    here = (unit.root / unit.path).with_suffix("")
    if here.with_suffix(".c").is_file():
        return False
    has_namesake = any(here.with_suffix(suffix).is_file() for suffix in CPP_SUFFIXES)
    return (
        has_namesake or bool(_CPP_HEADER.search(unit.text)) or (entry is not None and entry.is_cpp)
    )
