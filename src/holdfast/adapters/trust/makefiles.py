"""The makefiles that a command of make reads: those that it names, and what these include."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from holdfast.adapters.plain_file import read_plain
from holdfast.adapters.trust.code_tree import files_of_tree
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_NAMES = ("GNUmakefile*", "makefile*", "Makefile*", "*.mk", "*.mak", "*.make")
"""What makefiles are called."""
_OPTIONS = frozenset({"-f", "--file", "--makefile"})
_OPTION = lazy_pattern("-f|--(?:make)?file=")
_CONTINUED = lazy_pattern(r"\\\r?\n[ \t]*")
_INCLUSION = lazy_pattern(
    r"(?:^[ \t]*|\beval[ \t]+)(?:-?include|sinclude|-?load)[ \t]+([^\n#]+)", re.MULTILINE
)
_OTHER_MAKE = lazy_pattern(
    r"^.*\$[({]MAKE[)}].*$|^\t.*\bmake\b.*$|^.*\$[({]shell\b.*\bmake\b.*$", re.MULTILINE
)
"""A line that starts another make, with another folder or other makefiles."""
_COMPUTED = lazy_pattern(r"[$*?%\[]")
_VARIABLE = lazy_pattern(r"\$[({]?([\w.-]+)")
_SUBSTITUTION = lazy_pattern(
    r"\$[({][\w.-]+:[^=(){}]*=(?P<suffix>[^(){}]*)[)}]|\$[({]patsubst[^,]*,(?P<pattern>[^,]*),.*"
)
"""`$(OBJS:.o=.d)` and `$(patsubst %.c,%.d,$(SOURCES))`: only the names that come of it count."""
_WORD = lazy_pattern(r"[^\s(){}$,:='\";|&]+")
_MOST_FILES = 2_000


class Makefiles:
    """The makefiles of commands that make runs in some folders of a project, read as they are now.

    An inclusion that is computed (`$(D)/x.mk`) is not evaluated: every file of the project that may
    be meant counts, and every other makefile.
    """

    def __init__(self, root: Path, folders: Sequence[PurePosixPath]) -> None:
        """Read nothing yet; `folders` are below the root."""
        self._root = root
        self._folders = folders
        self._texts: dict[str, str] = {}
        self._computed: dict[str, None] = {}
        self._is_open = False
        self._tree: tuple[str, ...] | None = None

    def of_command(self, words: Sequence[str]) -> Iterator[str]:
        """Yield the makefiles of a command with these words, and all that they include."""
        pending = [*self._usual()]
        for name in _named(words):
            pending += self._existing(name, self._folders)

        while pending:
            for path in pending:
                self._read(path)
            yield from dict.fromkeys(pending)
            pending = self._found()

    def _usual(self) -> Iterator[str]:
        for folder in self._folders:
            for name in MAKEFILES:
                if (self._root / folder / name).is_file():
                    yield str(folder / name)
                    break

    def _found(self) -> list[str]:
        """Return what the makefiles that were read include, and which was not read itself."""
        found: dict[str, None] = {}
        for path, text in self._texts.items():
            found.update(dict.fromkeys(self._included_by(PurePosixPath(path), text)))
        patterns = list(self._names(self._computed))
        if self._is_open:
            patterns += _NAMES
        if patterns:
            found.update(dict.fromkeys(self._matching(patterns)))

        new = [path for path in found if path not in self._texts]
        return new[: _MOST_FILES - len(self._texts)]

    def _read(self, path: str) -> None:
        try:
            text = read_plain(self._root / path).decode("utf-8", "replace")
        except OSError:
            text = ""
        self._texts[path] = _CONTINUED.sub(" ", text)

    def _included_by(self, makefile: PurePosixPath, text: str) -> Iterator[str]:
        folders = [*self._folders, makefile.parent]
        for inclusion in _INCLUSION.findall(text):
            for word in inclusion.split():
                existing = list(self._existing(word, folders))
                yield from existing
                if not existing:
                    self._computed[word] = None
                if _COMPUTED.search(word):
                    self._is_open = True

        for line in _OTHER_MAKE.findall(text):
            self._is_open = True
            for word in _WORD.findall(line):
                yield from self._existing(word, folders)

    def _existing(self, name: str, folders: Iterable[PurePosixPath]) -> Iterator[str]:
        for folder in folders:
            path = os.path.normpath(folder / name)
            # Path.is_file raises for a word that is too long for a path.
            if not path.startswith(("..", "/")) and os.path.isfile(self._root / path):  # noqa: PTH113 - see above
                yield path

    def _names(self, expressions: Iterable[str]) -> Iterator[str]:
        """Yield patterns for the names of the files that expressions of make may mean."""
        pending = list(expressions)
        seen: set[str] = set()
        for expression in pending:
            plain = _SUBSTITUTION.sub(_result_of, expression)
            for word in _WORD.findall(plain):
                name = word.rpartition("/")[2].replace("%", "*")
                if name.strip("*?."):
                    yield f"*{name}" if name.startswith(".") else name
            for variable in _VARIABLE.findall(plain):
                if variable not in seen:
                    seen.add(variable)
                    pending += self._values(variable)

    def _values(self, variable: str) -> Iterator[str]:
        """Yield what the makefiles say that a variable is."""
        pattern = re.compile(
            rf"^[ \t]*(?:[a-z]+[ \t]+)*{re.escape(variable)}[ \t]*[:?+!]*=(.*)$", re.MULTILINE
        )
        for text in self._texts.values():
            yield from pattern.findall(text)

    def _matching(self, patterns: Sequence[str]) -> Iterator[str]:
        """Yield the files of the project whose names match a pattern."""
        if self._tree is None:
            self._tree = tuple(files_of_tree(self._root))
        for path in self._tree:
            name = path.rpartition("/")[2]
            if any(fnmatchcase(name, pattern) for pattern in patterns):
                yield path


def _result_of(substitution: re.Match[str]) -> str:
    return substitution["suffix"] or substitution["pattern"] or ""


def _named(words: Sequence[str]) -> Iterator[str]:
    """Yield the files that the options of make name: `-f x`, `-fx`, `--file=x`."""
    for option, word in pairwise((*words, "")):
        if option in _OPTIONS:
            yield word
            continue
        named = _OPTION.match(option)
        if named is not None:
            yield option[named.end() :]
