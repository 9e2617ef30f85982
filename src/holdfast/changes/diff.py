"""A file's change as a diff that says which file it is."""

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
    """Give the whole diff of a file and what it becomes. A landing that did all of it alone has the hunks already."""
    hunks = _hunks(before.data if before else b"", after.data if after else b"", landings)
    names = (
        f"--- {f'a/{old}' if before else '/dev/null'}\n+++ {f'b/{new}' if after else '/dev/null'}\n"
    )
    names = names if hunks else ""
    if before and after and old != new:
        names = f"diff --git a/{old} b/{new}\nrename from {old}\nrename to {new}\n" + names
    return names + hunks


def _hunks(before: bytes, after: bytes, landings: Sequence[Landed]) -> str:
    if len(landings) == 1 and landings[0].diff:
        return landings[0].diff
    if before == after:
        return ""
    old, new = decode(before), decode(after)
    if old.binary or new.binary:
        return "Binary files differ\n"
    return landed(old.text, [Splice(0, len(old.text), new.text)], "exact").diff
