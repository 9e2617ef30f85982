"""How a checkpoint is written down: a headline for people, and one line of JSON, in its shadow commit's message."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

from holdfast.checkpoints.checkpoint import Checkpoint, CheckpointDraft, Skipped, WorktreeState

_VERSION = 1


def write(draft: CheckpointDraft, present: WorktreeState, seq: int, worktree: str) -> str:
    """Give the message. It is ASCII: a name that is no UTF-8 comes back byte for byte."""
    noted = {
        "version": _VERSION,
        "id": draft.id,
        "seq": seq,
        "kind": draft.kind,
        "label": draft.label,
        "created_at": draft.created_at,
        "worktree": worktree,
        "head": present.head,
        "branch": present.branch,
        "staged": present.staged,
        "session": draft.session,
        "chat": draft.chat,
        "message": draft.message,
        "toward": draft.toward,
        "files": draft.files,
        "since": draft.since,
        "skipped": [[each.path, each.why] for each in present.skipped],
        "modes": dict(present.modes),
    }
    headline = f"holdfast checkpoint {draft.id}".encode("ascii", "backslashreplace").decode()
    return f"{headline}\n\n{json.dumps(noted)}\n"


def read(commit: str, tree: str, body: str) -> Checkpoint | None:
    """Read the message's body back; None if it is no checkpoint of ours that this version can read."""
    try:
        noted: Any = json.loads(body)
        if noted["version"] != _VERSION:
            return None
        return Checkpoint(
            CheckpointDraft(
                noted["id"],
                noted["kind"],
                noted["created_at"],
                noted["label"],
                noted["session"],
                noted["chat"],
                noted["message"],
                noted["toward"],
                # Those of before these two were written have all files, and no transcript.
                noted.get("files", True),
                noted.get("since"),
            ),
            WorktreeState(
                tree,
                noted["head"],
                noted["branch"],
                noted["staged"],
                tuple(Skipped(path, why) for path, why in noted["skipped"]),
                MappingProxyType({str(path): int(mode) for path, mode in noted["modes"].items()}),
            ),
            int(noted["seq"]),
            commit,
            noted["worktree"],
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
