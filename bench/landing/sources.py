"""Files to edit: those of the running Python and its packages, and synthetic ones. Nothing is copied or kept."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Final

from bench.landing.synthetic import LANGUAGES, write_source

LANGUAGE_OF: Final = {
    ".py": "python",
    ".pyi": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".ts": "typescript",
    ".css": "css",
    ".html": "html",
    ".toml": "toml",
    ".md": "markdown",
    ".rst": "markdown",
    ".c": "c",
    ".h": "c",
    ".json": "json",
    ".yml": "yaml",
    ".yaml": "yaml",
}
SYNTHETIC_SHARE: Final = 0.35
PYTHON_SHARE: Final = 0.55
"""Of the files found on disk."""

_SMALLEST, _LARGEST = 600, 48_000
_FEWEST_LINES: Final = 20


@dataclass(frozen=True, slots=True)
class Source:
    """A file's name, language and lines; it had plain newlines and one at the end."""

    name: str
    lang: str
    lines: tuple[str, ...]


class Pool:
    """All files at hand, drawn by chance."""

    def __init__(self, places: tuple[Path, ...]) -> None:
        found = sorted(path for place in places for path in _files(place))
        self._python = [path for path in found if LANGUAGE_OF[path.suffix] == "python"]
        self._other: dict[str, list[Path]] = {}
        for path in found:
            lang = LANGUAGE_OF[path.suffix]
            if lang != "python":
                self._other.setdefault(lang, []).append(path)

    def draw(self, rng: Random, lang: str | None = None) -> Source | None:
        """A source, of this language if one is given; None where the file drawn does not fit."""
        if lang is not None:
            return self._draw_of(rng, lang)
        if rng.random() < SYNTHETIC_SHARE:
            return _synthetic(rng, rng.choice(sorted(LANGUAGES)))
        if rng.random() < PYTHON_SHARE or not self._other:
            return _read(rng.choice(self._python))
        return _read(rng.choice(self._other[rng.choice(sorted(self._other))]))

    def _draw_of(self, rng: Random, lang: str) -> Source | None:
        real = self._python if lang == "python" else self._other.get(lang, [])
        if lang in LANGUAGES and (not real or rng.random() < SYNTHETIC_SHARE):
            return _synthetic(rng, lang)
        return _read(rng.choice(real)) if real else None


@lru_cache(maxsize=1)
def installed_pool() -> Pool:
    """The standard library and the packages of the running Python."""
    paths = sysconfig.get_paths()
    return Pool((Path(paths["stdlib"]), Path(paths["purelib"])))


def _synthetic(rng: Random, lang: str) -> Source:
    name, lines = write_source(rng, lang)
    return Source(name, lang, tuple(lines))


def _files(place: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(place):
        folders[:] = sorted(
            name for name in folders if name not in {"__pycache__", "site-packages", "lib2to3"}
        )
        for name in sorted(names):
            path = Path(folder, name)
            if path.suffix in LANGUAGE_OF and _SMALLEST <= path.stat().st_size <= _LARGEST:
                yield path


@lru_cache(maxsize=256)
def _read(path: Path) -> Source | None:
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None
    if "\r" in text or text.startswith("\ufeff") or not text.endswith("\n"):
        return None
    lines = tuple(text[:-1].split("\n"))
    longest = max(map(len, lines))
    if len(lines) < _FEWEST_LINES or longest > 400:
        return None
    return Source("/".join(path.parts[-2:]), LANGUAGE_OF[path.suffix], lines)
