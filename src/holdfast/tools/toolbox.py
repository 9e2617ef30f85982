"""The tools of one turn (the port `Toolbox` of the loop): judge each call, run it, and never fail but by an outcome."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from holdfast.changes.change_log import LogUnavailable
from holdfast.tools.context import ToolContext, ToolPolicy, ToolPorts, denied, failed
from holdfast.tools.prompt.tool_profiles import READING
from holdfast.tools.text_limits import clean, has_half_pair
from holdfast.vocab.tool_calls import ToolCall, ToolSpec
from holdfast.vocab.tool_outcome import ToolOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel

    from holdfast.tools.tool import Tool
    from holdfast.vocab.cancellation import Cancel


class ToolboxOf:
    """The tools called `names`, over these ports and under this policy. One for each turn: it remembers."""

    def __init__(self, names: Sequence[str], ports: ToolPorts, policy: ToolPolicy) -> None:
        """Take the tools out; in plan mode only those that read."""
        # Here and not above: it brings pydantic, and `holdfast --help` may import this module.
        from holdfast.tools.registry import TOOLS  # noqa: PLC0415

        self._all = TOOLS
        self._tools = {name: TOOLS[name] for name in names if not policy.plan or name in READING}
        self._specs = tuple(tool.spec for tool in self._tools.values())
        self._bench = ToolContext(ports, policy)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools that the model is offered, always in the same order."""
        return self._specs

    @property
    def withheld(self) -> frozenset[str]:
        """The names of tools that there are, but not in this session."""
        return frozenset(self._all) - frozenset(self._tools)

    def run(self, call: ToolCall, cancel: Cancel) -> ToolOutcome:
        """Judge and run a call; whatever goes wrong is an outcome."""
        from pydantic import ValidationError  # noqa: PLC0415 - as above

        from holdfast.tools.arguments import sentence_of  # noqa: PLC0415 - as above

        tool = self._tools.get(call.name)
        if tool is None:
            return self._not_offered(call.name)
        if has_half_pair(call.arguments):
            told = "half of a surrogate pair is in the arguments, which is no character; write the character."
            return ToolOutcome(f"{tool.name}: {told}", "schema_reject")
        try:
            asked = tool.arguments.model_validate(dict(call.arguments))
        except ValidationError as error:
            schema = next(spec.schema for spec in self._specs if spec.name == tool.name)
            return ToolOutcome(clean(sentence_of(error, tool.name, schema)), "schema_reject")
        if cancel.is_set():
            return ToolOutcome("Cancelled by the user; this was not done.")
        outcome = self._try(tool, asked, cancel)
        return replace(outcome, text=clean(outcome.text))

    def _try(self, tool: Tool, asked: BaseModel, cancel: Cancel) -> ToolOutcome:
        try:
            return tool.run(asked, self._bench, cancel)
        except OSError as error:
            where = f"{error.filename}: " if isinstance(error.filename, str) else ""
            return failed(
                f"{where}the system refused: {error.strerror or 'no reason given'}; try another way."
            )
        except LogUnavailable as error:
            return failed(f"the edit could not be recorded, and nothing was written: {error}")

    def tree(self) -> str:
        """Give a digest of the files as they are now: equal if and only if no file that matters differs."""
        return self._bench.digest()

    def _not_offered(self, name: str) -> ToolOutcome:
        offered = ", ".join(self._tools)
        if name in self._all:
            return denied(f"{name} is switched off in this session; the tools are: {offered}.")
        near = get_close_matches(name, self._tools, 3, 0.4)
        meant = f"did you mean {' or '.join(near)}?" if near else f"the tools are: {offered}."
        return ToolOutcome(clean(f"there is no tool {name}; {meant}"), "tool_not_found")
