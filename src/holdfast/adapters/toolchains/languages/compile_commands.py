"""`compile_commands.json`: how a project compiles its files. Its commands are read and never run.

Only the flags that decide whether code is correct are used: folders of headers, macros, the
standard, warnings, and dialects. A flag that loads code into the compiler, writes a file, or names
another program is not used.
"""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from holdfast.adapters.plain_file import read_plain
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CPP_SUFFIXES = (".cc", ".cpp", ".cxx", ".c++", ".C", ".hh", ".hpp", ".hxx")

_PLACES = ("compile_commands.json", "build/compile_commands.json")
_LARGEST = 64_000_000
_FOLDERS = ("-isystem", "-iquote", "-idirafter", "-I")
_FILES = ("-include", "-imacros")
_MACROS = ("-D", "-U")
_ALONE = lazy_pattern(r"-std=[\w+:]+|-ansi|-pthread|-nostdinc|-W(?!fatal-errors)[a-z][\w=+-]*")
# A list of allowed flags: a list of dangerous ones would never be complete (`-fplugin=`,
# `-fmodule-mapper=|program`, `-fdump-go-spec=file`).
_DIALECTS = lazy_pattern(
    r"-f(?:no-)?(?:exceptions|rtti|short-enums|short-wchar|signed-char|unsigned-char"
    r"|signed-bitfields|unsigned-bitfields|permissive|gnu89-inline|gnu-keywords|ms-extensions"
    r"|plan9-extensions|openmp|openmp-simd|openacc|char8_t|concepts|coroutines|freestanding|hosted"
    r"|builtin|lax-vector-conversions|strict-aliasing|strict-enums|wrapv|PIC|pic|PIE|pie"
    r"|extended-identifiers|sized-deallocation|aligned-new|access-control|operator-names"
    r"|threadsafe-statics|asm|cond-mismatch|dollars-in-identifiers|nonansi-builtins"
    r"|implicit-templates|input-charset=[\w.-]+|exec-charset=[\w.-]+|wide-exec-charset=[\w.-]+"
    r"|template-depth=[0-9]+|constexpr-depth=[0-9]+|strict-flex-arrays(?:=[0-9])?)"
)


@dataclass(frozen=True, slots=True)
class CompileCommand:
    """The command that compiles one file: its folder and its words."""

    file: str
    folder: str
    words: Sequence[str]

    @property
    def is_cpp(self) -> bool:
        """Whether the file is C++, by its name."""
        return self.file.endswith(CPP_SUFFIXES)

    def flags(self, root: Path, *, is_cpp: bool) -> list[str]:
        """Return the flags to use; paths below the root are relative to it.

        `is_cpp` is the language of the unit. A command of the other language contributes only the
        flags that both have. Warnings of clang are left out: gcc does not know them all.
        """
        flags: list[str] = []
        words = iter(self.words[1:])
        for word in words:
            if _ALONE.fullmatch(word) or _DIALECTS.fullmatch(word):
                if is_cpp == self.is_cpp and not self._is_clang_warning(word):
                    flags.append(word)
                continue
            found = _option(word, words)
            if found is not None:
                option, value = found
                flags += [option, self._from_root(option, value, root)]

        return flags

    def _is_clang_warning(self, word: str) -> bool:
        return word.startswith("-W") and "clang" in PurePosixPath(self.words[0]).name

    def _from_root(self, option: str, value: str, root: Path) -> str:
        """Return the value of an option; a path is relative to the root if it is below it."""
        if option in _MACROS:
            return value

        joined = os.path.join(self.folder, value)  # noqa: PTH118 - the value may be absolute
        place = os.path.normpath(joined)
        if option in _FILES and not Path(place).is_file():
            # gcc looks for such a file among the headers.
            return value

        real = os.path.realpath(place)
        if not Path(real).is_relative_to(root):
            return place

        return os.path.relpath(real, root)


def _option(word: str, words: Iterator[str]) -> tuple[str, str] | None:
    """Return an option and its value, joined or as the next word; None for any other word."""
    for option in (*_FOLDERS, *_FILES, *_MACROS):
        if word == option:
            value = next(words, "")
            if not value:
                return None
            return option, value
        if word.startswith(option) and option not in _FILES:
            return option, word.removeprefix(option)

    return None


def entry_for(root: Path, path: str) -> CompileCommand | None:
    """Return the command of a file; for a header or a new file, that of its nearest neighbour."""
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
    suitable = [each for each in entries if is_header or each.is_cpp == is_cpp]
    if not suitable:
        return None

    def similarity(each: CompileCommand) -> tuple[bool, bool, int]:
        there, other = os.path.split(each.file)
        return (
            each.file == file,
            other.rpartition(".")[0] == stem,
            len(os.path.commonpath([here, there])),
        )

    # `max` returns the first of several equal ones.
    return max(suitable, key=similarity)


def _read(file: Path) -> list[CompileCommand]:
    """Return the commands of a file; [] if it is missing, too large or broken."""
    try:
        records = json.loads(read_plain(file, _LARGEST))
    except (OSError, ValueError, RecursionError):
        return []

    if not isinstance(records, list):
        return []

    commands = []
    for record in records:
        command = _parse_record(record, file.parent)
        if command is not None:
            commands.append(command)

    return commands


def _parse_record(record: object, beside: Path) -> CompileCommand | None:
    """Return the command of a record; None if it is not valid."""
    if not isinstance(record, dict):
        return None

    folder, file, words = record.get("directory"), record.get("file"), record.get("arguments")
    if not isinstance(folder, str) or not isinstance(file, str):
        return None

    if not isinstance(words, list):
        words = _split(record.get("command"))

    if not all(isinstance(word, str) for word in words):
        return None

    at = os.path.realpath(beside / folder)
    return CompileCommand(os.path.realpath(Path(at, file)), at, words)


def _split(command: object) -> list[str]:
    if not isinstance(command, str):
        return []
    try:
        return shlex.split(command)
    except ValueError:
        return []
