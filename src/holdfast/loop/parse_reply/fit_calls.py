"""Drafts fitted to tools. Whatever comes out can go into the history, and nothing that comes out is a guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from holdfast.loop.parse_reply.arguments import Cut, Read, SeveralReadings, Unreadable
from holdfast.loop.parse_reply.bad_call import BadCall, keep_short
from holdfast.loop.parse_reply.draft_calls import CallDraft, draft
from holdfast.loop.parse_reply.fields import Misfit, fit
from holdfast.loop.parse_reply.schema import shape_of, signature
from holdfast.loop.parse_reply.strict_json import mend_pairs
from holdfast.loop.parse_reply.tool_names import Named, find_tool, nearest, show_name
from holdfast.loop.reply import ModelReply
from holdfast.vocab.tool_calls import FailureKind, ToolCall, ToolSpec


@dataclass(frozen=True, slots=True)
class Normalised:
    """A reply as it goes into the history: what was said, and each call in order, run or refused."""

    text: str
    calls: tuple[ToolCall | BadCall, ...]
    reasoning: str = ""


def normalise(reply: ModelReply, specs: Sequence[ToolSpec], *, prefix: str = "call") -> Normalised:
    """Make calls of a reply. A call without an id of its own gets one that begins with `prefix`."""
    drafts = draft(reply, specs)
    ids = _ids(drafts.calls, prefix)
    calls = tuple(
        _Settling(one, call_id, specs, truncated=drafts.truncated).settle()
        for one, call_id in zip(drafts.calls, ids, strict=True)
    )
    return Normalised(drafts.text, calls, drafts.reasoning)


def _ids(drafts: Sequence[CallDraft], prefix: str) -> list[str]:
    """Give each call an id; one that another call has already is not taken."""
    ids: list[str] = []
    for number, one in enumerate(drafts, 1):
        own = mend_pairs(one.id.strip())[:128]
        ids.append(own if own and own not in ids else f"{prefix}_{number}")
    return ids


@dataclass(frozen=True, slots=True)
class _Settling:
    """One draft, and what decides about it."""

    draft: CallDraft
    id: str
    specs: Sequence[ToolSpec]
    truncated: bool

    def settle(self) -> ToolCall | BadCall:
        value = getattr(self.draft.arguments, "value", None)
        named = find_tool(self.draft.name, self.specs, value if isinstance(value, dict) else None)
        if named is None:
            return self._unknown()
        refusal = self._refuse(named.spec)
        if refusal is not None:
            return self._bad(named.spec.name, refusal)
        return self._fit(named, value)

    def _refuse(self, spec: ToolSpec) -> str | None:
        """Say why arguments cannot be taken as they are; None if they can."""
        start = f"`{spec.name}` was not run"
        arguments = self.draft.arguments
        match arguments:
            case SeveralReadings(count):
                return f"{start}: it was given {count} different objects of arguments; send them as separate calls."
            case Unreadable(why):
                takes = signature(shape_of(spec.schema))
                return f"{start}: its arguments are no JSON object ({why}); send the call again with {takes}."
            case Cut() if spec.changes:
                return (
                    f"{start}, and nothing was changed: its arguments end in the middle; send the call again, whole,"
                    " and in smaller parts if it is long."
                )
            case Read() | Cut() if spec.changes and self.truncated:
                return f"{start}, and nothing was changed: the reply was cut short; send this call again, by itself."
            case Read(doubtful=True) if spec.changes:
                return (
                    f"{start}, and nothing was changed: its arguments have a single backslash where JSON wants two;"
                    " send the call again with each backslash doubled."
                )
            case Read() | Cut():
                return None
            case _:
                assert_never(arguments)

    def _fit(self, named: Named, value: Any) -> ToolCall | BadCall:
        spec = named.spec
        if named.takes_verb and isinstance(value, dict):
            value = {name: item for name, item in value.items() if name != "command"}
        fitted = fit(value, spec)
        arguments = self.draft.arguments
        if isinstance(fitted, Misfit):
            cut = f"`{spec.name}` was not run: its arguments end in the middle; send the call again, whole."
            return self._bad(spec.name, cut if isinstance(arguments, Cut) else fitted.message)
        notes = [
            "printed as text" if self.draft.printed else None,
            named.note,
            arguments.note if isinstance(arguments, Read) else "arguments were cut short",
            *fitted.notes,
        ]
        return ToolCall(
            self.id, spec.name, fitted.arguments, "; ".join(note for note in notes if note) or None
        )

    def _unknown(self) -> BadCall:
        if not self.draft.name.strip():
            tools = ", ".join(f"`{spec.name}`" for spec in self.specs[:12])
            return self._bad(
                "unknown",
                f"A call came that names no tool, and nothing was run; call one of {tools}.",
            )
        asked = show_name(self.draft.name)
        near = ", ".join(f"`{name}`" for name in nearest(self.draft.name, self.specs))
        cure = (
            f"the nearest are {near}" if near else "there are none in this step, so answer in words"
        )
        return self._bad(asked, f"There is no tool `{asked}`; {cure}.", "tool_not_found")

    def _bad(self, name: str, message: str, failure: FailureKind = "schema_reject") -> BadCall:
        kept = keep_short(getattr(self.draft.arguments, "value", None))
        return BadCall(self.id, name, self.draft.raw, failure, message, kept)
