"""What the rows of changes say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from holdfast.changes.change import Change
from holdfast.changes.change_json import (
    ContentDamaged,
    plan_from_json,
    plan_to_json,
    requested_from_json,
    requested_to_json,
)
from holdfast.changes.change_log import LogUnavailable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from holdfast.vocab.place import Place


def change_of(row: Mapping[Any, Any], place: Place) -> Change:
    """Return the change of a row."""
    settled = row["settled_at"]
    try:
        plan = plan_from_json(row["files"])
    except ContentDamaged as error:
        cure = "put a copy of the store back, or forget the change with `holdfast changes prune`"
        raise LogUnavailable(f"change {row['id']}: {error}; {cure}.") from error

    identity = row["worktree_identity"] or place.project_id
    is_here = identity == place.worktree_id
    if row["state"] == "proposed":
        # A restore has brought it back to that.
        settled = None

    return Change(
        row["id"],
        row["state"],
        row["origin"],
        requested_from_json(row["request"]),
        plan,
        row["seq"],
        as_text(row["created_at"]),
        None if settled is None else as_text(settled),
        row["session_id"],
        row["turn_id"],
        place.worktree_root if is_here else row["worktree_path"] or place.project_root,
        is_here,
    )


def as_text(moment: datetime) -> str:
    """Return a time as people read it."""
    return moment.isoformat(timespec="seconds")


def change_values(
    change: Change, project_id: str, worktree_id: str, created: datetime
) -> dict[str, Any]:
    """Return the columns of a new change, without its number."""
    settled = None if change.state == "proposed" else created
    return {
        "id": change.id,
        "project_id": project_id,
        "session_id": change.session,
        "turn_id": change.turn,
        "state": change.state,
        "origin": change.origin,
        "request": requested_to_json(change.requested),
        "files": plan_to_json(change.plan),
        "created_at": created,
        "settled_at": settled,
        "worktree_id": worktree_id,
        "paths": joined_paths(change.paths),
    }


def recorded_change(change: Change, values: Mapping[str, Any], seq: int, place: Place) -> Change:
    """Return a new change as it is recorded with these columns."""
    settled = values["settled_at"]
    return replace(
        change,
        seq=seq,
        created_at=as_text(values["created_at"]),
        settled_at=as_text(settled) if settled else None,
        worktree=place.worktree_root,
        is_here=True,
    )


def joined_paths(paths: Collection[str]) -> str:
    """Return paths as the column has them; no path has two slashes in a row."""
    return "".join(f"//{path}//" for path in sorted(paths))
