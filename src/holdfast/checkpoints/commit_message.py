"""The message of a shadow commit: a headline for people, and the checkpoint as one line of JSON."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

from holdfast.checkpoints.checkpoint import Checkpoint, CheckpointDraft, Skipped, WorktreeState

_VERSION = 1


def write(draft: CheckpointDraft, present: WorktreeState, seq: int, worktree: str) -> str:
    """Return the commit message of a checkpoint.

    The message is ASCII, so that `read` returns a path that is not UTF-8 byte for byte.
    """
    # The names are a stored format: `toward` and `since` are older than the fields they store.
    fields = {
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
        "toward": draft.target,
        "files": draft.files,
        "since": draft.state_sequence,
        "skipped": [_skipped(each) for each in present.skipped],
        "modes": dict(present.modes),
        "usual": list(present.usual),
        "directories": dict(present.directories),
        "empty": list(present.empty),
        "inner": dict(present.inner),
        "keeps_ignored": present.keeps_ignored,
        "sparse": present.sparse,
        "staged_tree": present.staged_tree,
        "intended": list(present.intended),
        "index": draft.index,
        "logged": draft.logged,
    }
    headline = f"holdfast checkpoint {draft.id}".encode("ascii", "backslashreplace").decode()
    return f"{headline}\n\n{json.dumps(fields)}\n"


def read(commit: str, tree: str, body: str) -> Checkpoint | None:
    """Parse the body of a commit message; return None if it is not one that `write` returns."""
    try:
        fields: Any = json.loads(body)
        if fields["version"] != _VERSION:
            return None
        return Checkpoint(
            CheckpointDraft(
                fields["id"],
                fields["kind"],
                fields["created_at"],
                fields["label"],
                fields["session"],
                fields["chat"],
                fields["message"],
                fields["toward"],
                # Records written before these two fields existed: all files, no transcript.
                fields.get("files", True),
                fields.get("since"),
                fields.get("index", False),
                fields.get("logged"),
            ),
            WorktreeState(
                tree,
                fields["head"],
                fields["branch"],
                fields["staged"],
                tuple(Skipped(*each) for each in fields["skipped"]),
                _modes(fields["modes"]),
                # Records of release 0.1 have none of the rest.
                tuple(fields.get("usual", ())),
                _modes(fields.get("directories", {})),
                tuple(fields.get("empty", ())),
                MappingProxyType(dict(fields.get("inner", {}))),
                fields.get("keeps_ignored", False),
                fields.get("sparse", False),
                fields.get("staged_tree"),
                tuple(fields.get("intended", ())),
            ),
            int(fields["seq"]),
            commit,
            fields["worktree"],
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _skipped(skipped: Skipped) -> list[str | int]:
    return [skipped.path, skipped.why, skipped.stamp, skipped.files, skipped.counted_at]


def _modes(fields: dict[str, Any]) -> MappingProxyType[str, int]:
    return MappingProxyType({str(path): int(mode) for path, mode in fields.items()})
