"""What a file is for, by its path: which characters its author may mean."""

from __future__ import annotations

from typing import Literal, TypeAlias

from holdfast.landing.text.languages import BY_NAME, known_name, name_of

FileKind: TypeAlias = Literal["prose", "markup", "mixed", "data", "code"]
"""Text for people, tags, code with tags in it, keys with values (or an unknown format), code."""

_SUFFIXES: tuple[tuple[FileKind, str], ...] = (
    ("prose", "md markdown mdx rst txt adoc tex org srt"),
    ("data", "po pot"),
    ("markup", "html htm xhtml xml svg vue svelte"),
    ("mixed", "js jsx mjs cjs tsx php"),
)
_DATA = frozenset(
    {".gitignore", "cmakelists.txt", "requirements.txt", "constraints.txt", "robots.txt"}
)
"""Files that are no text for people, although they are named so."""
_KINDS: dict[str, FileKind] = dict.fromkeys(BY_NAME, "code")
"""The kind of a file by its name, or by the ending of its name."""
for _name, _language in BY_NAME.items():
    if _language.has_keys:
        _KINDS[_name] = "data"
for _kind, _suffixes in _SUFFIXES:
    _KINDS.update(dict.fromkeys(_suffixes.split(), _kind))
_KINDS.update(dict.fromkeys(_DATA, "data"))


def kind_of(path: str | None) -> FileKind:
    """Return the kind of file that a path names.

    >>> [kind_of(path) for path in ("a.py", "a.yaml", "a.md", "LICENSE", None)]
    ['code', 'data', 'prose', 'prose', 'prose']
    """
    unknown: FileKind = "prose"
    if "." in name_of(path):
        unknown = "data"
    return _KINDS.get(known_name(path, _KINDS), unknown)
