"""`tsconfig.json`: which of a project's settings a file is checked by, and a file of our own that has it checked.

tsc looks only at what its settings name: a file that they leave out would pass whatever it says.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

OURS = "tsconfig.holdfast.json"

_NAMES = ("tsconfig.json", "jsconfig.json")
_DEEPEST = 20
# A string, which may look like a comment; a comment; or a comma before a bracket.
_NOT_JSON = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Tsconfig:
    """Settings as they are with all that they extend; `path` is from the root. A list that is None is not given."""

    path: PurePosixPath
    files: tuple[str, ...] | None
    include: tuple[str, ...] | None
    references: tuple[PurePosixPath, ...]
    allows_js: bool

    @property
    def folder(self) -> PurePosixPath:
        """Where it stands."""
        return self.path.parent

    def names(self, path: str) -> bool:
        """Whether a file is among those that it is about, but for what it excludes."""
        if self.files is None and self.include is None:
            return PurePosixPath(path).is_relative_to(self.folder)
        patterns = (_as_pattern(each) for each in self.include or ())
        return path in (self.files or ()) or any(pattern.fullmatch(path) for pattern in patterns)

    def for_unit(self, path: str) -> dict[str, Any]:
        """Give settings that extend these and name the file.

        What they reference is not inherited: then another part of the project is read as it is now, and not as it was
        when somebody has built it.
        """
        told: dict[str, Any] = {
            "extends": f"./{self.path.name}",
            "files": [_from(self.folder, path)],
        }
        options = {"composite": False, "incremental": False, "rootDir": _from(self.folder, ".")}
        if not self.names(path):
            told["include"] = []
        else:
            told["files"] += [_from(self.folder, each) for each in self.files or () if each != path]
            if self.files is None and self.include is None:
                told["include"] = ["**/*"]
        return {**told, "compilerOptions": options}


def find_tsconfig(root: Path, path: str) -> Tsconfig | None:
    """Give the nearest settings above a file; of those that only reference others, the one that names it."""
    parents = PurePosixPath(path).parents
    near = next(
        (
            parent / name
            for parent in parents
            for name in _NAMES
            if (root / parent / name).is_file()
        ),
        None,
    )
    config = _read(root, near) if near is not None else None
    if config is None or config.files or config.include or config.names(path):
        return config
    parts = (_read(root, each) for each in config.references)
    return next((part for part in parts if part is not None and part.names(path)), config)


def _read(root: Path, at: PurePosixPath) -> Tsconfig | None:
    """Give settings; None if they cannot be read: tsc itself says what is wrong."""
    files: tuple[str, ...] | None = None
    include: tuple[str, ...] | None = None
    options: dict[str, Any] = {}
    own = _load(root / at)
    if own is None:
        return None
    for here, told in _chain(root, at, own):
        beside = here.parent
        files = _paths(beside, told.get("files")) if files is None else files
        include = _paths(beside, told.get("include")) if include is None else include
        more = told.get("compilerOptions")
        options = {**more, **options} if isinstance(more, dict) else options
    references = tuple(
        _reference(root, at.parent, each)
        for each in _list(own.get("references"))
        if _has_path(each)
    )
    allows = options.get("allowJs", options.get("checkJs", at.name == "jsconfig.json"))
    return Tsconfig(at, files, include, references, allows is True)


def _chain(
    root: Path, at: PurePosixPath, own: dict[str, Any]
) -> Iterator[tuple[PurePosixPath, dict[str, Any]]]:
    """Give the settings and those they extend, the nearest first. Those of a package name no files of ours."""
    waiting = [(at, own)]
    for _ in range(_DEEPEST):
        if not waiting:
            return
        here, told = waiting.pop(0)
        yield here, told
        extends = told.get("extends")
        bases = [
            each
            for each in ([extends] if isinstance(extends, str) else _list(extends))
            if isinstance(each, str)
        ]
        for base in reversed(bases):
            if base.startswith("."):
                place = PurePosixPath(os.path.normpath(here.parent / base))
                place = (
                    place if place.name.endswith(".json") else place.with_name(f"{place.name}.json")
                )
                if (more := _load(root / place)) is not None:
                    waiting.append((place, more))


def _load(file: Path) -> dict[str, Any] | None:
    """Read JSON with comments and with commas too many."""
    try:
        text = file.read_text("utf-8-sig")
        told = json.loads(_NOT_JSON.sub(lambda found: found[1] or "", text))
    except (OSError, ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _paths(beside: PurePosixPath, told: object) -> tuple[str, ...] | None:
    if not isinstance(told, list):
        return None
    return tuple(os.path.normpath(beside / each) for each in told if isinstance(each, str))


def _reference(root: Path, beside: PurePosixPath, told: dict[str, Any]) -> PurePosixPath:
    place = PurePosixPath(os.path.normpath(beside / told["path"]))
    return place / _NAMES[0] if (root / place).is_dir() else place


def _has_path(told: object) -> bool:
    return isinstance(told, dict) and isinstance(told.get("path"), str)


def _list(told: object) -> list[Any]:
    return told if isinstance(told, list) else []


def _as_pattern(glob: str) -> re.Pattern[str]:
    """Give what an entry of `include` matches; a folder is all that is in it."""
    last = PurePosixPath(glob).name
    glob = f"{glob}/**/*" if not re.search(r"[*?.]", last) or glob == "." else glob
    words = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob.removeprefix("./"))
    return re.compile("".join(words.get(part, re.escape(part)) for part in parts))


def _from(folder: PurePosixPath, path: str) -> str:
    return f"./{os.path.relpath(path, folder)}"
