"""The plan of one file's new text, which was judged before: it is written byte for byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.changes.diff import diff_of
from holdfast.changes.plan import ChangePlan, FileLanded, FileRefused
from holdfast.changes.ports import FileFound
from holdfast.changes.swaps import Content, Swap
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from holdfast.changes.ports import Files


def plan_text(path: str, before: bytes, after: bytes, files: Files) -> ChangePlan | FileRefused:
    """Return the plan that replaces `before` by `after`; refuse if the file has other bytes."""
    looked = files.look(path)
    if not isinstance(looked, FileFound) or looked.data != before:
        message = (
            f"{path}: this changed while it was repaired, and was left as it is; run this again."
        )
        return FileRefused(path, Refused("conflict", message))

    old, new = Content(before, looked.mode), Content(after, looked.mode)
    landed = FileLanded(path, "edit", "exact", 1.0, diff_of(path, path, old, new))
    if looked.at != path:
        landed = FileLanded(path, "edit", "exact", 1.0, landed.diff, real=(looked.at,))
    return ChangePlan((landed,), (Swap(looked.at, old, new),), ())
