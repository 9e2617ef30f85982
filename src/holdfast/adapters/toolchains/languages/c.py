"""C and C++: gcc and g++ without output. A file is compiled alone, so both modes are the same.

The flags are those of the project (`compile_commands.json`), else the usual folders of headers.
"""

from __future__ import annotations

import hashlib
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.toolchains.check_step import BatchForm, CheckedFile, CheckStep
from holdfast.adapters.toolchains.installed_tool import ToolProgram
from holdfast.adapters.toolchains.languages.compile_commands import (
    CPP_SUFFIXES,
    CompileCommand,
    entry_for,
)
from holdfast.repair.diagnostics import gcc
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

GCC = ToolProgram(
    "gcc",
    "Install it with: apt install gcc (Debian), dnf install gcc (Fedora), "
    "brew install gcc (macOS).",
    ("-dumpfullversion", "-dumpversion"),
)
GXX = ToolProgram(
    "g++",
    "Install it with: apt install g++ (Debian), dnf install gcc-c++ (Fedora), "
    "brew install gcc (macOS).",
    ("-dumpfullversion", "-dumpversion"),
)

_FIRST_TOKEN = Path(__file__).with_name("first_token.h")
# Errors since gcc 14, and always a mistake.
_MISTAKES = ("int-conversion", "incompatible-pointer-types")
# The same, but allowed in C89.
_NEW_MISTAKES = ("implicit-function-declaration", "implicit-int")
_OLD_C = frozenset(
    {"-ansi", "-std=c89", "-std=c90", "-std=gnu89", "-std=gnu90", "-std=iso9899:1990"}
)
# The usual folders of a project's headers.
_HEADERS = ("include", "src", ".")
_CPP_HEADER = lazy_pattern(
    rb"^\s*(?:namespace\b|template\s*<|class\s+\w+|using\s+\w"
    rb"|(?:public|private|protected)\s*:|#\s*include\s*<\w+>)"
    rb"|\bstd::|\bconstexpr\b",
    re.MULTILINE,
)


def plan_c(unit: CheckedFile) -> Sequence[CheckStep]:
    """Return the only step: gcc, or g++ for a C++ header."""
    entry = entry_for(unit.root, unit.path)
    if not unit.path.endswith(".h"):
        return [_step(unit, GCC, "c", entry)]
    if _is_cpp_header(unit, entry):
        return [_step(unit, GXX, "c++-header", entry)]
    return [_step(unit, GCC, "c-header", entry)]


def plan_cpp(unit: CheckedFile) -> Sequence[CheckStep]:
    """Return the only step: g++."""
    language = "c++"
    if unit.path.endswith((".hpp", ".hh", ".hxx")):
        language = "c++-header"
    return [_step(unit, GXX, language, entry_for(unit.root, unit.path))]


def _step(
    unit: CheckedFile, tool: ToolProgram, language: str, entry: CompileCommand | None
) -> CheckStep:
    found = unit.require_tool(tool)
    # Without `-fmax-errors`: at the limit gcc prints no JSON at all. The parser has a limit.
    argv = [
        found.program,
        "-fsyntax-only",
        "-fdiagnostics-format=json",
        "-include",
        str(_FIRST_TOKEN),
        "-x",
        language,
    ]
    flags = _flags(unit, entry, language)
    if not language.startswith("c++"):
        argv += [f"-Werror={mistake}" for mistake in _MISTAKES]
        if not _OLD_C.intersection(flags):
            argv += [f"-Werror={mistake}" for mistake in _NEW_MISTAKES]

    # One for each file: files are checked in turn, and the list of headers is read afterwards.
    name = hashlib.sha256(unit.path.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    read = Path(unit.scratch.tool_folder("headers"), f"{name}.d")
    read.unlink(missing_ok=True)
    return CheckStep(
        tool=found,
        argv=[*argv, "-MD", "-MF", str(read), *flags, f"./{unit.path}"],
        cwd=unit.scratch.farm_folder(),
        parse=partial(gcc.parse, tool=tool.name),
        reads="headers",
        dependencies=str(read),
        batch=BatchForm((), str(unit.root), one_by_one=True),
        prepare=partial(unit.scratch.farm, unit.path, unit.text),
    )


def _flags(unit: CheckedFile, entry: CompileCommand | None, language: str) -> list[str]:
    flags: list[str] = []
    if entry is None:
        for folder in _HEADERS:
            if (unit.root / folder).is_dir():
                flags += ["-I", folder]
        return flags

    flags = entry.flags(unit.root, is_cpp=language.startswith("c++"))
    if not language.endswith("-header"):
        return flags

    # gcc warns of `#pragma once` in a file that it compiles directly.
    return [flag for flag in flags if flag != "-Werror"]


def _is_cpp_header(unit: CheckedFile, entry: CompileCommand | None) -> bool:
    """Return whether a `.h` is C++: by a source of the same name, its text, or its neighbours."""
    if b"__cplusplus" in unit.text:
        # The header is for both languages.
        return False

    here = (unit.root / unit.path).with_suffix("")
    if here.with_suffix(".c").is_file():
        return False
    if any(here.with_suffix(suffix).is_file() for suffix in CPP_SUFFIXES):
        return True
    if _CPP_HEADER.search(unit.text):
        return True

    return entry is not None and entry.is_cpp
