"""Drafts of calls fitted to the tools: a call to run, or a refusal. Nothing is guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, assert_never

from holdfast.loop.parse_reply.bad_call import BadCall, keep_short
from holdfast.loop.parse_reply.fields import Misfit, fit
from holdfast.loop.parse_reply.schema import root_node, signature
from holdfast.loop.parse_reply.tool_names import ToolMatch, find_tool, nearest, show_name
from holdfast.syntax.json_text import Cut, Read, SeveralReadings, Unclosed, Unreadable, fields_read
from holdfast.syntax.strict_json import repair_surrogates
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.tool_calls import FailureKind, ToolCall, ToolSpec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.loop.parse_reply.draft_calls import CallDraft, ReplyDraft


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """The text, the reasoning and the calls of a reply in order, each call to run or refused."""

    text: str
    calls: tuple[ToolCall | BadCall, ...]
    reasoning: str = ""

    def calls_for_history(self) -> tuple[ToolCall, ...]:
        """Return all calls, refused ones included, as they go into the history."""
        return tuple(map(_call_for_history, self.calls))


def _call_for_history(call: ToolCall | BadCall) -> ToolCall:
    if isinstance(call, BadCall):
        return call.as_call()
    return call


def fit_calls(draft: ReplyDraft, specs: Sequence[ToolSpec], *, prefix: str = "call") -> ParsedReply:
    """Fit each call to its tool. A call without a unique id gets one that begins with `prefix`."""
    calls: list[ToolCall | BadCall] = []
    ids: list[str] = []
    for number, call in enumerate(draft.calls, 1):
        call_id = repair_surrogates(call.id.strip())[:128]
        if not call_id or call_id in ids:
            call_id = f"{prefix}_{number}"
        ids.append(call_id)
        fitting = _CallFitting(call, call_id, specs, truncated=draft.truncated)
        calls.append(fitting.fit())

    return ParsedReply(draft.text, tuple(calls), draft.reasoning)


@dataclass(frozen=True, slots=True)
class _CallFitting:
    """One draft, and everything that decides about it."""

    draft: CallDraft
    id: str
    specs: Sequence[ToolSpec]
    truncated: bool

    def fit(self) -> ToolCall | BadCall:
        match = find_tool(self.draft.name, self.specs, fields_read(self.draft.arguments))
        if match is None:
            return self._refuse_unknown_tool()

        spec = match.spec
        reason = self._reason_to_refuse(spec)
        if reason is not None:
            return self._refuse(spec.name, f"`{spec.name}` was not run{reason}")

        return self._fit_arguments(match)

    def _reason_to_refuse(self, spec: ToolSpec) -> str | None:
        """Return why the arguments cannot be used at all, or None if they can."""
        arguments = self.draft.arguments
        match arguments:
            case SeveralReadings(count):
                return (
                    f": its arguments are {count} different objects; send them as separate calls."
                )
            case Unreadable(why):
                return self._reason_unreadable(spec, why)
            case Unclosed() if spec.changes:
                return self._reason_unreadable(spec, "a closing bracket is missing")
            case Read() | Cut() if spec.changes:
                return self._reason_not_to_change(arguments)
            case Read() | Cut() | Unclosed():
                return None
            case _:
                assert_never(arguments)

    def _reason_unreadable(self, spec: ToolSpec, why: str) -> str:
        takes = signature(root_node(spec.schema))
        return f": its arguments are not a JSON object ({why}); send the call again with {takes}."

    def _reason_not_to_change(self, arguments: Read | Cut) -> str | None:
        """Return why a call that changes something must not run, or None if it may."""
        if self.draft.lacks:
            return (
                f", and nothing was changed: its end ({self.draft.lacks}) is missing; "
                "send the whole call again."
            )
        if isinstance(arguments, Cut):
            return (
                ", and nothing was changed: its arguments end in the middle; "
                "send the whole call again, in smaller parts if it is long."
            )
        if self.truncated:
            return (
                ", and nothing was changed: the reply was cut short; "
                "send this call again, by itself."
            )
        if arguments.doubtful:
            return (
                ", and nothing was changed: its arguments have a single backslash where JSON "
                "needs two; send the call again with each backslash doubled."
            )

        return None

    def _fit_arguments(self, match: ToolMatch) -> ToolCall | BadCall:
        spec = match.spec
        arguments = self.draft.arguments
        fitted = fit(self._arguments_for(match), spec)
        if isinstance(fitted, Misfit):
            message = fitted.message
            if isinstance(arguments, Cut):
                message = (
                    f"`{spec.name}` was not run: its arguments end in the middle; "
                    "send the whole call again."
                )
            return self._refuse(spec.name, message)

        notes: list[str | None] = []
        if self.draft.printed:
            notes.append("printed as text")

        notes.append(match.note)
        if isinstance(arguments, Read):
            notes.append(arguments.note)

        if isinstance(arguments, Cut):
            notes.append("arguments were cut short")

        if isinstance(arguments, Unclosed):
            notes.append("a closing bracket was missing")

        notes.extend(fitted.notes)
        note = "; ".join(filter(None, notes))
        return ToolCall(self.id, spec.name, fitted.arguments, note or None)

    def _arguments_for(self, match: ToolMatch) -> Any:
        """Return the arguments as read, without a `command` that only selected the tool."""
        fields = fields_read(self.draft.arguments)
        if match.takes_verb and fields is not None:
            others = dict(fields)
            others.pop("command", None)
            return others
        return getattr(self.draft.arguments, "value", None)

    def _refuse_unknown_tool(self) -> BadCall:
        if not self.draft.name.strip():
            tools = ", ".join(f"`{spec.name}`" for spec in self.specs[:12])
            message = f"A call named no tool, and nothing was run; call one of {tools}."
            return self._refuse("unknown", message)

        name = show_name(self.draft.name)
        near = ", ".join(f"`{tool}`" for tool in nearest(self.draft.name, self.specs))
        cure = "there are none in this step, so answer in words"
        if near:
            cure = f"the nearest are {near}"

        return self._refuse(name, f"There is no tool `{name}`; {cure}.", "tool_not_found")

    def _refuse(self, name: str, message: str, failure: FailureKind = "schema_reject") -> BadCall:
        return BadCall(
            id=self.id,
            name=name,
            raw=self.draft.raw,
            failure=failure,
            message=message,
            arguments=keep_short(fields_read(self.draft.arguments)),
        )
