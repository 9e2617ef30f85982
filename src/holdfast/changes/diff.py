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
    old_header, old_data = "/dev/null", b""
    if before is not None:
        old_header, old_data = f"a/{old}", before.data

    new_header, new_data = "/dev/null", b""
    if after is not None:
        new_header, new_data = f"b/{new}", after.data

    headers = ""
    is_renamed = old != new
    if is_renamed and before and after:
        headers = f"diff --git a/{old} b/{new}\nrename from {old}\nrename to {new}\n"

    hunks = _hunks(old_data, new_data, landings)
    if hunks:
        headers += f"--- {old_header}\n+++ {new_header}\n"

    return headers + hunks


def _hunks(old_data: bytes, new_data: bytes, landings: Sequence[Landed]) -> str:
    if len(landings) == 1:
        (only,) = landings
        if only.diff:
            return only.diff

    if old_data == new_data:
        return ""

    old = decode(old_data)
    new = decode(new_data)
    if old.binary or new.binary:
        return "Binary files differ\n"

    whole = Splice(0, len(old.text), new.text)
    return landed(old.text, [whole], "exact").diff
