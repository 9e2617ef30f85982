"""The names of an edit's fields, and the other names that models use for them.

`holdfast apply` and the tools read an edit by this one table. All other names are in the spelling
of `spell`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from holdfast.syntax.json_text import read_json_text
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_SPELLING = lazy_pattern(r"[\s_.\-\\]+")


def spell(name: str) -> str:
    """Return a name in lower case, without underscores, hyphens, dots, blanks and backslashes."""
    return _SPELLING.sub("", name).casefold()


def synonym_table(rows: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Return the other names of each field as a set."""
    return {field: frozenset(names.split()) for field, names in rows.items()}


EDIT_SYNONYMS: Final = synonym_table(
    {
        "path": "filepath filename file relativepath absolutepath targetfile pathname dir"
        " directory dirpath folder relativeworkspacepath workspacepath",
        "old": "oldstr oldstring oldtext oldcontent oldcode search searchtext searchstring find"
        " original originaltext findtext before",
        "new": "newstr newstring newtext newcontent newcode replace replacetext replacement"
        " replacementtext replacewith after updated updatedtext",
        "every": "replaceall all expectall global",
        "near_line": "line linenumber lineno nearline startline",
        "start": "startline firstline linestart fromline offset begin from",
        "end": "endline lastline lineend toline until to",
        "edits": "changes operations replacements files",
    }
)
"""Other names for the fields of an edit."""

RANGES: Final = frozenset(("viewrange", "linerange", "range", "lines"))
"""Fields with a first and a last line, in the place of `start` and `end`."""

_EDIT_FIELDS: Final = (*EDIT_SYNONYMS, "to")
"""`to` is the new path of a file, and so no other name for `end` here."""


@lru_cache(maxsize=1024)
def edit_field(name: str) -> str | None:
    """Return the field of an edit that a name means, or None.

    >>> edit_field("start_line"), edit_field("oldText"), edit_field("view_range")
    ('start', 'old', 'range')
    """
    if spell(name) in RANGES:
        return "range"
    return field_for(name, _EDIT_FIELDS, EDIT_SYNONYMS)


def field_for(
    name: str, fields: Iterable[str], synonyms: Mapping[str, frozenset[str]]
) -> str | None:
    """Return the one of these fields that another name means, or None."""
    spelling = spell(name)
    alike: list[str] = []
    others: list[str] = []
    extended: list[str] = []
    for field in fields:
        if spell(field) == spelling:
            alike.append(field)
        if spelling in synonyms.get(field, ()):
            others.append(field)
            # `start_line`, where there are `start` and `near_line`.
            if spelling.startswith(spell(field)):
                extended.append(field)

    found = alike or others
    if found is others and len(others) > 1:
        found = extended

    if len(found) != 1:
        return None

    return found[0]


def read_range(value: Any) -> tuple[int, int] | None:
    """Return the two integers of a list, or of a text with a list in it.

    >>> read_range([3, 4]), read_range("[3, 4]"), read_range([True, 4])
    ((3, 4), (3, 4), None)
    """
    if isinstance(value, str):
        read = read_json_text(value)
        value = getattr(read, "value", None)

    if not isinstance(value, list):
        return None

    # Not isinstance: in Python, `True` is an integer too.
    types = list(map(type, value))
    if types != [int, int]:
        return None

    first, last = value
    return first, last
