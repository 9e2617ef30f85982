"""The files that a file of code brings in: those of the project whose names are in its text."""

from __future__ import annotations

import os
import sys
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from holdfast.adapters.plain_file import read_plain
from holdfast.adapters.trust.code_tree import files_of_tree
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MOST_FILES = 300
_LARGEST_TEXT = 1_000_000
_WORD = lazy_pattern(r"[\w./-]+")
_IMPORT = lazy_pattern(
    r"(?:\bfrom\s+(?P<module>[\w.]+)\s+)?\bimport\s+(?P<names>\([^)]*\)?|(?:[^\n;#]*\\\n)*[^\n;#]*)"
)
_FIRST_WORD = lazy_pattern(r"(?:^|[,(])(?:[\s\\]|#[^\n]*\n)*([\w.]+)")
_IMPORT_BY_NAME = lazy_pattern(r"(?:import_module|__import__)\(\s*['\"]\.*([\w.]+)")
_PACKAGE_FILES = ("__init__.py", "mod.rs")


def with_mentioned(root: Path, path: str) -> Iterator[str]:
    """Yield a file, and each file below the root that its text mentions, all the way.

    No language is parsed: `import helper`, `mod helper;` and `include!("helper.rs")` each have the
    name of the file. A word that is the name of a file by chance only costs a question when that
    file changes. What Python imports may be anywhere in the project: a file can change `sys.path`.
    """
    found = [path]
    modules = _Modules(root)
    for file in found:
        yield file
        for mentioned in _mentioned_by(root, PurePosixPath(file), modules):
            if mentioned not in found and len(found) < _MOST_FILES:
                found.append(mentioned)


class _Modules:
    """The modules of Python below a root, by the last part of their name; listed when needed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._paths: dict[str, list[str]] | None = None

    def imported_by(self, text: str) -> Iterator[str]:
        """Yield the files of the modules that a text imports, and of the packages around them."""
        for name in sorted(_imported_names(text)):
            parts = name.split(".")
            for end in range(1, len(parts) + 1):
                yield from self._files_of("/".join(parts[:end]), parts[end - 1])

    def _files_of(self, path: str, last: str) -> Iterator[str]:
        if self._paths is None:
            self._paths = self._list()
        for found in self._paths.get(last, ()):
            if f"/{found}".endswith((f"/{path}.py", f"/{path}/__init__.py")):
                yield found

    def _list(self) -> dict[str, list[str]]:
        paths: dict[str, list[str]] = {}
        for path in files_of_tree(self._root):
            if path.endswith(".py"):
                pure = PurePosixPath(path)
                name = pure.parent.name if pure.name == "__init__.py" else pure.stem
                paths.setdefault(name, []).append(path)
        return paths


def _imported_names(text: str) -> set[str]:
    """Return the modules that a text of Python may import; `from a import b` may import a.b."""
    names: set[str] = set()
    for found in _IMPORT.finditer(text):
        module = (found["module"] or "").strip(".")
        members = _FIRST_WORD.findall(found["names"])
        if module:
            names.add(module)
        names.update(f"{module}.{member}".strip(".") for member in members)

    names.update(_IMPORT_BY_NAME.findall(text))
    return names


def _mentioned_by(root: Path, file: PurePosixPath, modules: _Modules) -> Iterator[str]:
    """Yield the files beside a file, or below the root, whose names are words of its text."""
    try:
        text = read_plain(root / file, _LARGEST_TEXT).decode("utf-8", "replace")
    except OSError:
        return

    words = names_in(text)
    folders = [file.parent, PurePosixPath()]
    if file.suffix == ".py":
        # `from package import module` names the file in two words.
        for folder in tuple(folders):
            folders += [folder / word for word in words if (root / folder / word).is_dir()]
        # A module beside a script comes before the library's of the same name, whoever imports it.
        words = sorted({*words, *sys.stdlib_module_names, "__init__"})
    for folder in dict.fromkeys(folders):
        yield from _files_named(root, folder, words, file.suffix)
    if file.suffix == ".py":
        yield from modules.imported_by(text)


def names_in(text: str) -> list[str]:
    """Return the words of a text that may be names of files, modules and folders, sorted."""
    words: set[str] = set()
    for word in _WORD.findall(text):
        # `./x` and `../x` begin with dots, what is left of `concat!(env!("X"), "/x")` with a slash.
        words.add(os.path.normpath(word.strip("-/").rstrip(".")))
        plain = word.strip(".-")
        words.add(plain)
        words.add(plain.replace(".", "/"))
        words.update(map(str, PurePosixPath(plain.replace(".", "/")).parents))

    return sorted(words - {"", ".", "/"})


def _files_named(root: Path, folder: PurePosixPath, words: list[str], suffix: str) -> Iterator[str]:
    """Yield the files below a folder that a word names; of a package, its first file."""
    try:
        names = frozenset(entry.name for entry in (root / folder).iterdir())
    except OSError:
        return

    for word in words:
        first = word.partition("/")[0]
        if names.isdisjoint((first, first + suffix)) and first != "..":
            continue
        for candidate in (word, word + suffix, *map(f"{word}/".__add__, _PACKAGE_FILES)):
            path = os.path.normpath(folder / candidate)
            if _is_file_below(root, path):
                yield path


def _is_file_below(root: Path, path: str) -> bool:
    return not path.startswith("..") and (root / path).is_file()
