"""`tsconfig.json`: the settings that a file is checked with, and our own settings for one file.

tsc checks only the files that its settings name: any other file would pass, whatever it contains.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from holdfast.adapters.plain_file import read_plain
from holdfast.adapters.toolchains.nearest_file import nearest_file
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

OURS = "tsconfig.holdfast.json"

_NAMES = ("tsconfig.json", "jsconfig.json")
_DEEPEST = 20
# A string, which may contain what looks like a comment; a comment; or a comma before a bracket.
_NOT_JSON = lazy_pattern(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Tsconfig:
    """Settings with everything that they extend; `path` is from the root.

    `files` and `include` are None if they are not set.
    """

    path: PurePosixPath
    files: tuple[str, ...] | None
    include: tuple[str, ...] | None
    references: tuple[PurePosixPath, ...]
    allows_js: bool

    @property
    def folder(self) -> PurePosixPath:
        """The folder of the settings."""
        return self.path.parent

    @property
    def names_all(self) -> bool:
        """Whether the settings name no files, and so mean all files in their folder."""
        return self.files is None and self.include is None

    def names(self, path: str) -> bool:
        """Return whether the settings name a file; `exclude` is not considered."""
        if self.names_all:
            return PurePosixPath(path).is_relative_to(self.folder)
        if path in (self.files or ()):
            return True
        return any(_glob_pattern(glob).fullmatch(path) for glob in self.include or ())

    def for_unit(self, path: str) -> dict[str, Any]:
        """Return settings that extend these and name the file.

        References are not inherited: so the other parts of the project are read as they are now,
        and not as they were last built.
        """
        files = [_relative(self.folder, path)]
        settings: dict[str, Any] = {"extends": f"./{self.path.name}", "files": files}
        if not self.names(path):
            settings["include"] = []
        elif self.names_all:
            settings["include"] = ["**/*"]
        else:
            files += [_relative(self.folder, each) for each in self.files or () if each != path]

        settings["compilerOptions"] = {
            "composite": False,
            "incremental": False,
            "rootDir": _relative(self.folder, "."),
        }
        return settings


def find_tsconfig(root: Path, path: str) -> Tsconfig | None:
    """Return the nearest settings above a file.

    If they only reference others, return the referenced ones that name the file.
    """
    nearest = nearest_file(root, path, _NAMES)
    if nearest is None:
        return None

    config = _read(root, nearest)
    if config is None:
        return None
    if config.files or config.include:
        return config
    if config.names(path):
        return config

    for reference in config.references:
        part = _read(root, reference)
        if part is not None and part.names(path):
            return part

    return config


def find_plugins(root: Path, path: str) -> Iterator[tuple[PurePosixPath, str]]:
    """Yield the settings with plugins that a file is checked with, and the plugins as JSON.

    tsc loads none; a tsc that a project has patched may.
    """
    config = find_tsconfig(root, path)
    if config is None:
        return

    own = _load(root / config.path)
    if own is None:
        return

    for here, settings in _chain(root, config.path, own):
        options = settings.get("compilerOptions")
        if isinstance(options, dict) and "plugins" in options:
            yield here, f"{json.dumps(options['plugins'], indent=1)}\n"


def _read(root: Path, at: PurePosixPath) -> Tsconfig | None:
    """Return the settings at a path; None if they cannot be read, which tsc itself reports."""
    own = _load(root / at)
    if own is None:
        return None

    files: tuple[str, ...] | None = None
    include: tuple[str, ...] | None = None
    options: dict[str, Any] = {}
    for here, settings in _chain(root, at, own):
        if files is None:
            files = _paths(here.parent, settings.get("files"))
        if include is None:
            include = _paths(here.parent, settings.get("include"))
        inherited = settings.get("compilerOptions")
        if isinstance(inherited, dict):
            options = {**inherited, **options}

    references = tuple(_references(root, at.parent, own))
    allows_js = options.get("allowJs", options.get("checkJs", at.name == "jsconfig.json"))
    return Tsconfig(at, files, include, references, allows_js is True)


def _chain(
    root: Path, at: PurePosixPath, own: dict[str, Any]
) -> Iterator[tuple[PurePosixPath, dict[str, Any]]]:
    """Yield the settings and those that they extend, the nearest first.

    Settings of an installed package are left out: they name no files of the project.
    """
    waiting = [(at, own)]
    for _ in range(_DEEPEST):
        if not waiting:
            return
        here, settings = waiting.pop(0)
        yield here, settings
        for base in reversed(_bases(settings)):
            if not base.startswith("."):
                continue
            place = PurePosixPath(os.path.normpath(here.parent / base))
            if not place.name.endswith(".json"):
                place = place.with_name(f"{place.name}.json")
            extended = _load(root / place)
            if extended is not None:
                waiting.append((place, extended))


def _bases(settings: dict[str, Any]) -> list[str]:
    """Return the settings that are extended: `extends` is a string or a list."""
    extends = settings.get("extends")
    if isinstance(extends, str):
        return [extends]
    return [each for each in _list(extends) if isinstance(each, str)]


def _load(file: Path) -> dict[str, Any] | None:
    """Read JSON with comments and trailing commas; return None if it is no object."""
    try:
        text = read_plain(file).decode("utf-8-sig")
        settings = json.loads(_NOT_JSON.sub(lambda found: found[1] or "", text))
    except (OSError, ValueError, RecursionError):
        return None

    if not isinstance(settings, dict):
        return None

    return settings


def _paths(beside: PurePosixPath, value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    return tuple(os.path.normpath(beside / each) for each in value if isinstance(each, str))


def _references(
    root: Path, beside: PurePosixPath, settings: dict[str, Any]
) -> Iterator[PurePosixPath]:
    for reference in _list(settings.get("references")):
        if not isinstance(reference, dict):
            continue
        path = reference.get("path")
        if not isinstance(path, str):
            continue
        place = PurePosixPath(os.path.normpath(beside / path))
        if (root / place).is_dir():
            place /= _NAMES[0]
        yield place


def _list(value: object) -> list[Any]:
    if isinstance(value, list):
        return value
    return []


def _glob_pattern(glob: str) -> re.Pattern[str]:
    """Return the pattern of an entry of `include`; a folder means everything in it."""
    last = PurePosixPath(glob).name
    is_folder = glob == "." or not re.search(r"[*?.]", last)
    if is_folder:
        glob = f"{glob}/**/*"

    patterns = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob.removeprefix("./"))
    return re.compile("".join(patterns.get(part, re.escape(part)) for part in parts))


def _relative(folder: PurePosixPath, path: str) -> str:
    return f"./{os.path.relpath(path, folder)}"
