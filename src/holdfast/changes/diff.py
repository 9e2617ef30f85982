"""The diff of one file, with headers that name the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.landing.encoding import decode
from holdfast.landing.projection.splices import Splice, landed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.changes.swaps import Content
    from holdfast.vocab.outcomes import Landed


def diff_of(
    old: str,
    new: str,
    before: Content | None,
    after: Content | None,
    landings: Sequence[Landed] = (),
) -> str:
    """Return the whole diff from `before` (at path `old`) to `after` (at path `new`).

    A single landing has the hunks already; they are reused.
    """
    hunks = _hunks(before, after, landings)
    headers = ""
    if before and after and old != new:
        headers = f"diff --git a/{old} b/{new}\nrename from {old}\nrename to {new}\n"
    if hunks:
        headers += f"--- {_header_path('a', old, before)}\n+++ {_header_path('b', new, after)}\n"
    return headers + hunks


def _header_path(prefix: str, path: str, content: Content | None) -> str:
    if content is None:
        return "/dev/null"
    return f"{prefix}/{path}"


def _hunks(before: Content | None, after: Content | None, landings: Sequence[Landed]) -> str:
    if len(landings) == 1 and landings[0].diff:
        return landings[0].diff
    old_data = before.data if before else b""
    new_data = after.data if after else b""
    if old_data == new_data:
        return ""
    old, new = decode(old_data), decode(new_data)
    if old.binary or new.binary:
        return "Binary files differ\n"
    return landed(old.text, [Splice(0, len(old.text), new.text)], "exact").diff
