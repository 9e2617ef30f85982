"""The tools that are offered in the tests of replies, and a reply parsed and classified with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdfast.loop.classify import ReplyKind, classify
from holdfast.loop.parse_reply import ParsedReply, draft_calls, fit_calls
from holdfast.loop.reply import ModelReply
from holdfast.vocab.tool_calls import ToolSpec


def _spec(
    name: str,
    required: dict[str, Any],
    optional: dict[str, Any] | None = None,
    *,
    changes: bool = False,
) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
    }
    return ToolSpec(name, f"{name}.", schema, changes)


TEXT = {"type": "string"}
NUMBER = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
EDIT = {
    "type": "object",
    "properties": {"path": TEXT, "old": TEXT, "new": TEXT},
    "required": ["path", "old", "new"],
}

SPECS = (
    _spec("read_file", {"path": TEXT}, {"start": NUMBER, "end": NUMBER}),
    _spec("search", {"pattern": TEXT}, {"path": TEXT, "glob": TEXT}),
    _spec("find_files", {"pattern": TEXT}, {"path": TEXT}),
    _spec("list_dir", {}, {"path": TEXT}),
    _spec(
        "edit_file",
        {"path": TEXT, "old": TEXT, "new": TEXT},
        {"near_line": NUMBER, "every": {"type": "boolean"}},
        changes=True,
    ),
    _spec("write_patch", {"diff": TEXT}, changes=True),
    _spec("apply_edits", {"edits": {"type": "array", "items": EDIT}}, changes=True),
    _spec("write_file", {"path": TEXT, "text": TEXT}, changes=True),
    _spec("run_command", {"command": TEXT}, {"timeout": NUMBER}, changes=True),
)


def parse(
    reply: ModelReply,
    specs: Sequence[ToolSpec] = SPECS,
    *,
    prefix: str = "call",
    prints: bool = False,
) -> ParsedReply:
    return fit_calls(draft_calls(reply, specs, prints=prints), specs, prefix=prefix)


def kind_of(reply: ModelReply, specs: Sequence[ToolSpec] = SPECS) -> ReplyKind:
    return classify(reply, draft_calls(reply, specs), specs)
