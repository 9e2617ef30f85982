"""Our cases in the notations that the peers read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from bench.landing.cases import Edit
from holdfast import LineEdits, Patch, Replace

_FILE_HEADER: Final = re.compile(r"(\+\+\+ |--- |\*\*\* |diff |index )")


def pairs(edit: Edit) -> list[tuple[str, str]] | None:
    """Old and new texts, one pair an edit; None where the notation cannot say what is asked."""
    match edit:
        case Replace(old, new, None, False):
            return [(old, new)]
        case LineEdits(edits):
            found = [(one.old, one.new) for one in edits if one.old is not None]
            return found if len(found) == len(edits) else None
        case _:
            return None


def begin_patch(edit: Edit, name: str) -> str | None:
    """The edit between `*** Begin Patch` and `*** End Patch`.

    Hunk bodies are passed on as written, drift included; only what the notation has no place for is cut: file headers,
    numbers, fences and prose outside the hunks.
    """
    body = _hunk_lines(edit)
    if body is None:
        return None
    return "\n".join(["*** Begin Patch", f"*** Update File: {name}", *body, "*** End Patch"])


def _hunk_lines(edit: Edit) -> list[str] | None:
    if isinstance(edit, Patch):
        return list(_diff_body(edit.diff.split("\n")))
    texts = pairs(edit)
    return (
        None
        if texts is None
        else [line for old, new in texts for line in ("@@", *_line_diff(old, new))]
    )


def _diff_body(lines: list[str]) -> Iterator[str]:
    while lines and not lines[-1]:
        lines = lines[:-1]
    if not any(line.startswith("@@") for line in lines):
        # A diff without any `@@`: the body begins behind the last file header.
        last = max((at for at, line in enumerate(lines) if _FILE_HEADER.match(line)), default=-1)
        yield from ("@@", *lines[last + 1 :])
        return
    within = False
    for line in lines:
        if line.startswith("@@"):
            within = True
            yield "@@"
        elif within and line.startswith("```"):
            return
        elif within:
            yield line


def _line_diff(old: str, new: str) -> Iterator[str]:
    before, after = old.rstrip("\n").split("\n"), new.rstrip("\n").split("\n")
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from (" " + line for line in before[a:b])
        else:
            yield from ("-" + line for line in before[a:b])
            yield from ("+" + line for line in after[c:d])
