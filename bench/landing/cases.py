"""A case: a file, an edit as a model wrote it, and every file that would be right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from holdfast import LineEdit, LineEdits, Patch, Replace

Polarity: TypeAlias = Literal["land", "refuse"]
Edit: TypeAlias = Replace | Patch | LineEdits
RawEdit: TypeAlias = dict[str, Any]
"""An edit as plain JSON, for peers that know nothing of our requests."""


@dataclass(frozen=True, slots=True)
class Case:
    """One question to an engine.

    `expected` holds every acceptable file, byte for byte; it is empty where the edit must be refused. With `refuse_ok`
    landing right and refusing are both fine. `region` (0-based lines of `before`) serves the diagnosis only.
    """

    id: str
    lang: str
    kind: str
    polarity: Polarity
    file_name: str
    before: str
    edit: Edit
    expected: tuple[str, ...]
    refuse_ok: bool = False
    region: tuple[int, int] | None = None


def raw_edit(edit: Edit) -> RawEdit:
    """The edit as JSON in the notation of the corpus.

    >>> raw_edit(Replace("a", "b"))
    {'format': 'search_replace', 'old_string': 'a', 'new_string': 'b'}
    """
    match edit:
        case Replace(old, new, near_line, every):
            hints: RawEdit = {"near_line": near_line} if near_line is not None else {}
            if every:
                hints["every"] = True
            return {"format": "search_replace", "old_string": old, "new_string": new, **hints}
        case Patch(diff):
            return {"format": "unified_diff", "diff": diff}
        case LineEdits(edits):
            return {"format": "line_edits", "edits": [_raw_line_edit(one) for one in edits]}


def parse_edit(raw: RawEdit, *, unwrap: bool) -> Edit:
    """The request that a corpus row stands for; `unwrap` allows a fence or prose around a diff."""
    match raw["format"]:
        case "search_replace":
            return Replace(
                raw["old_string"], raw["new_string"], raw.get("near_line"), raw.get("every", False)
            )
        case "unified_diff":
            return Patch(raw["diff"], unwrap=unwrap)
        case "line_edits":
            return LineEdits(tuple(_parse_line_edit(one) for one in raw["edits"]))
        case other:
            message = f"the corpus has an edit of an unknown format: {other}"
            raise ValueError(message)


def _raw_line_edit(edit: LineEdit) -> RawEdit:
    raw: RawEdit = {"start_line": edit.start, "end_line": edit.end, "new_text": edit.new}
    return raw if edit.old is None else {**raw, "old_text": edit.old}


def _parse_line_edit(raw: RawEdit) -> LineEdit:
    return LineEdit(raw["start_line"], raw["end_line"], raw["new_text"], raw.get("old_text"))
