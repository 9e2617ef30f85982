"""What a file is for, by its path: which characters its author may mean."""

from __future__ import annotations

from typing import Literal, TypeAlias

from holdfast.landing.text.languages import UNKNOWN, language_of

FileKind: TypeAlias = Literal["prose", "markup", "mixed", "data", "code"]
"""Text for people, tags, code with tags in it, keys with values (or an unknown format), code."""

_SUFFIXES: tuple[tuple[FileKind, str], ...] = (
    ("prose", "md markdown mdx rst txt adoc tex org po pot srt"),
    ("markup", "html htm xhtml xml svg vue svelte"),
    ("mixed", "js jsx mjs cjs tsx php"),
)
_DATA = frozenset({"cmakelists.txt", "requirements.txt", "constraints.txt", "robots.txt"})
"""Files that are no text for people, although they are named so."""
_BY_SUFFIX: dict[str, FileKind] = {}
for _kind, _suffixes in _SUFFIXES:
    _BY_SUFFIX.update(dict.fromkeys(_suffixes.split(), _kind))


def kind_of(path: str | None) -> FileKind:
    """Return the kind of file that a path names.

    >>> [kind_of(path) for path in ("a.py", "a.yaml", "a.md", "LICENSE", None)]
    ['code', 'data', 'prose', 'prose', 'prose']
    """
    name = (path or "").replace("\\", "/").rsplit("/", 1)[-1].lower()
    if name in _DATA:
        return "data"
    suffix = name.rpartition(".")[2]
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]

    language = language_of(path)
    if language is not UNKNOWN and not language.keys:
        return "code"
    if language is UNKNOWN and "." not in name:
        return "prose"
    return "data"
