"""Find a change by its id or by the start of its id."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from holdfast.changes.plan import FileRefused
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from holdfast.changes.change import Change
    from holdfast.changes.change_log import ChangeLog

_SHOWN = 5


def find_change(name: str, log: ChangeLog) -> Change | FileRefused:
    """Return the change whose id is, or alone begins with, this; or say which ids are near."""
    found = log.get(name)
    if found is not None:
        return found

    ids = log.ids()
    hits = []
    if name:
        hits = [each for each in ids if each.startswith(name)]

    if len(hits) == 1:
        found = log.get(hits[0])

    if found is not None:
        return found
    if hits:
        several = ", ".join(hits[:_SHOWN])
        return FileRefused(
            "",
            Refused(
                "ambiguous",
                f"{name}: several changes start with this ({several}); type more of the id.",
            ),
        )

    name = name or "an empty id"
    near = get_close_matches(name, ids, 1, 0.0)
    cure = "there are none below this root yet"
    if near:
        cure = f"the nearest is {near[0]}; list them to see all"

    return FileRefused(
        "", Refused("not_found", f"{name}: there is no such change; {cure}.", "\n".join(near))
    )
