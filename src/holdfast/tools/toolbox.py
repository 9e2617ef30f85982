"""The tools of one turn, for the port `Toolbox` of the loop. Every failure is an outcome."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from holdfast.changes.change_log import LogUnavailable
from holdfast.guards.tokens import remove_tokens
from holdfast.tools.context import ToolContext, ToolPolicy, ToolPorts, denied, failed
from holdfast.tools.prompt.tool_profiles import READING
from holdfast.tools.text_limits import clean, has_half_pair
from holdfast.vocab.events import EditRefused
from holdfast.vocab.tool_outcome import ToolOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel

    from holdfast.tools.tool import Tool
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import Event
    from holdfast.vocab.tool_calls import ToolCall, ToolSpec


class ToolboxOf:
    """The tools called `names`, over these ports and under this policy; one instance for a turn."""

    def __init__(self, names: Sequence[str], ports: ToolPorts, policy: ToolPolicy) -> None:
        """Select the tools by name; in plan mode only those that read."""
        # Imported here because it imports pydantic, and `holdfast --help` imports this module.
        from holdfast.tools.registry import TOOLS  # noqa: PLC0415 - pydantic, which help needs not

        self._tools: dict[str, Tool] = {}
        specs: list[ToolSpec] = []
        for name in names:
            if policy.plan and name not in READING:
                continue
            tool = TOOLS[name]
            self._tools[name] = tool
            specs.append(tool.spec)

        self._context = ToolContext(ports, policy)
        self.specs = tuple(specs)
        """The tools to offer to the model, always in the same order."""
        self.withheld = frozenset(TOOLS) - frozenset(self._tools)
        """The names of tools that exist, but not in this session."""

    def run(self, call: ToolCall, cancel: Cancel) -> ToolOutcome:
        """Judge and run a call; return every failure as an outcome."""
        from pydantic import ValidationError  # noqa: PLC0415 - as above

        from holdfast.tools.arguments import schema_of, sentence_of  # noqa: PLC0415 - as above

        tool = self._tools.get(call.name)
        if tool is None:
            return self._not_offered(call.name)
        if has_half_pair(call.arguments):
            message = (
                f"{tool.name}: the arguments contain half of a surrogate pair, which is not a "
                "character; write the whole character."
            )
            return ToolOutcome(message, "schema_reject")

        try:
            arguments = tool.arguments.model_validate(dict(call.arguments))
        except ValidationError as error:
            message = sentence_of(error, tool.name, schema_of(tool.arguments))
            return ToolOutcome(clean(message), "schema_reject")

        if cancel.is_set():
            return ToolOutcome("Cancelled by the user; this was not done.")

        return _as_told(self._try(tool, arguments, cancel))

    def _try(self, tool: Tool, arguments: BaseModel, cancel: Cancel) -> ToolOutcome:
        try:
            return tool.run(arguments, self._context, cancel)
        except OSError as error:
            reason = error.strerror or "no reason given"
            message = f"the system refused: {reason}; try another way."
            if isinstance(error.filename, str):
                message = f"{error.filename}: {message}"
            return failed(message)
        except LogUnavailable as error:
            return failed(f"the edit could not be recorded, and nothing was written: {error}")

    def tree(self) -> str:
        """Return a digest of the present files; equal if and only if no relevant file differs."""
        return self._context.digest()

    def _not_offered(self, name: str) -> ToolOutcome:
        offered = ", ".join(self._tools)
        if name in self.withheld:
            return denied(f"{name} is switched off in this session; the tools are: {offered}.")

        near = get_close_matches(name, self._tools, 3, 0.4)
        cure = f"the tools are: {offered}."
        if near:
            cure = f"did you mean {' or '.join(near)}?"

        message = clean(f"there is no tool {name}; {cure}")
        return ToolOutcome(message, "tool_not_found")


def _as_told(outcome: ToolOutcome) -> ToolOutcome:
    """Return the outcome without tokens, in its text and in its messages about refused edits.

    A note at the end of a turn repeats these messages to the model.
    """
    events: list[Event] = []
    for event in outcome.events:
        told = event
        if isinstance(event, EditRefused):
            told = replace(event, message=_without_tokens(event.message))
        events.append(told)

    return replace(outcome, text=_without_tokens(outcome.text), events=tuple(events))


def _without_tokens(text: str) -> str:
    return remove_tokens(clean(text))
