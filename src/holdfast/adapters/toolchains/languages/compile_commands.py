"""`compile_commands.json`: how a project compiles its files. Its words are read, and its commands are never run.

Taken over is only what decides whether code is right: where headers are, macros, the standard, warnings, and dialects.
Not an option that loads code into the compiler, writes a file, or names another program.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

CPP_SUFFIXES = (".cc", ".cpp", ".cxx", ".c++", ".C", ".hh", ".hpp", ".hxx")

_PLACES = ("compile_commands.json", "build/compile_commands.json")
_LARGEST = 64_000_000
_FOLDERS = ("-isystem", "-iquote", "-idirafter", "-I")
_FILES = ("-include", "-imacros")
_MACROS = ("-D", "-U")
_ALONE = re.compile(r"-std=[\w+:]+|-ansi|-pthread|-nostdinc|-W(?!fatal-errors)[a-z][\w=+-]*")
# No list of what is dangerous would be whole: `-fplugin=`, `-fmodule-mapper=|program`, `-fdump-go-spec=file`.
_DIALECTS = re.compile(
    r"-f(?:no-)?(?:exceptions|rtti|short-enums|short-wchar|signed-char|unsigned-char|signed-bitfields|unsigned-bitfields"
    r"|permissive|gnu89-inline|gnu-keywords|ms-extensions|plan9-extensions|openmp|openmp-simd|openacc|char8_t|concepts"
    r"|coroutines|freestanding|hosted|builtin|lax-vector-conversions|strict-aliasing|strict-enums|wrapv|PIC|pic|PIE|pie"
    r"|extended-identifiers|sized-deallocation|aligned-new|access-control|operator-names|threadsafe-statics|asm|cond-mismatch"
    r"|dollars-in-identifiers|nonansi-builtins|implicit-templates|input-charset=[\w.-]+|exec-charset=[\w.-]+"
    r"|wide-exec-charset=[\w.-]+|template-depth=[0-9]+|constexpr-depth=[0-9]+|strict-flex-arrays(?:=[0-9])?)"
)


@dataclass(frozen=True, slots=True)
class CompileCommand:
    """How one file is compiled: where, and with which words."""

    file: str
    folder: str
    words: Sequence[str]

    @property
    def is_cpp(self) -> bool:
        """Whether it is C++, by its name."""
        return self.file.endswith(CPP_SUFFIXES)

    def flags(self, root: Path, *, is_cpp: bool) -> list[str]:
        """Give the words that are taken over; what is below the root is named from there.

        Of a neighbour in the other language, those that both have. Of clang, not its warnings: gcc knows not all.
        """
        taken: list[str] = []
        words = iter(self.words[1:])
        is_clang = "clang" in PurePosixPath(self.words[0]).name if self.words else False
        for word in words:
            if _ALONE.fullmatch(word) or _DIALECTS.fullmatch(word):
                if is_cpp == self.is_cpp and not (is_clang and word.startswith("-W")):
                    taken.append(word)
            elif found := _option(word, words):
                taken += [found[0], self._here(*found, root)]
        return taken

    def _here(self, option: str, value: str, root: Path) -> str:
        if option in _MACROS:
            return value
        place = os.path.normpath(os.path.join(self.folder, value))  # noqa: PTH118 - the value may be absolute
        if option in _FILES and not Path(place).is_file():
            # One that is not there is looked for among the headers.
            return value
        real = os.path.realpath(place)
        return os.path.relpath(real, root) if Path(real).is_relative_to(root) else place


def _option(word: str, words: Iterator[str]) -> tuple[str, str] | None:
    """Give an option that has a value, joined or as the next word; None for any other word."""
    for option in (*_FOLDERS, *_FILES, *_MACROS):
        if word == option:
            value = next(words, "")
            return (option, value) if value else None
        if word.startswith(option) and option not in _FILES:
            return option, word.removeprefix(option)
    return None


def entry_for(root: Path, path: str) -> CompileCommand | None:
    """Give how a file is compiled; of one that is not named (a header, a new file), its nearest neighbour."""
    for parent in PurePosixPath(path).parents:
        for place in _PLACES:
            entries = _read(root / parent / place)
            if entries:
                return _nearest(entries, os.path.realpath(root / path))
    return None


def _nearest(entries: Sequence[CompileCommand], file: str) -> CompileCommand | None:
    here, name = os.path.split(file)
    stem = name.rpartition(".")[0]
    is_header, is_cpp = name.endswith(".h"), name.endswith(CPP_SUFFIXES)
    fit = [each for each in entries if is_header or each.is_cpp == is_cpp]

    def likeness(each: CompileCommand) -> tuple[bool, bool, int]:
        there, other = os.path.split(each.file)
        return (
            each.file == file,
            other.rpartition(".")[0] == stem,
            len(os.path.commonpath([here, there])),
        )

    # Of several alike the first: `max` keeps it.
    return max(fit, key=likeness) if fit else None


def _read(file: Path) -> list[CompileCommand]:
    """Give the entries of a file; none of one that is missing, too large or broken."""
    try:
        told = json.loads(file.read_bytes()) if file.stat().st_size <= _LARGEST else []
    except (OSError, ValueError, RecursionError):
        return []
    entries = (
        (_entry(each, file.parent) for each in told if isinstance(each, dict))
        if isinstance(told, list)
        else ()
    )
    return [each for each in entries if each is not None]


def _entry(fields: Mapping[str, Any], beside: Path) -> CompileCommand | None:
    folder, file, words = fields.get("directory"), fields.get("file"), fields.get("arguments")
    if not isinstance(words, list):
        words = _split(fields.get("command"))
    if (
        not isinstance(folder, str)
        or not isinstance(file, str)
        or not all(isinstance(word, str) for word in words)
    ):
        return None
    at = os.path.realpath(beside / folder)
    return CompileCommand(os.path.realpath(Path(at, file)), at, words)


def _split(command: object) -> list[str]:
    try:
        return shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return []
