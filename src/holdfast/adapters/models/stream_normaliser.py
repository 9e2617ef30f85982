"""The stream normaliser: chunks of any server in, pieces of `loop.ports` out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

from holdfast.adapters.models.tool_call_deltas import ToolCallDeltas
from holdfast.loop.ports import (
    CallPiece,
    FinishPiece,
    ReasoningPiece,
    StreamPiece,
    TextPiece,
    UsagePiece,
)

_Reason: TypeAlias = Literal["stop", "tool_calls", "length", "content_filter", "unknown"]
_FINISHES: dict[str, _Reason] = {
    "stop": "stop",
    "eos": "stop",
    "eos_token": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_calls": "tool_calls",
    "tool_call": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "length": "length",
    "max_tokens": "length",
    "max_length": "length",
    "max_output_tokens": "length",
    "incomplete": "length",
    "model_length": "length",
    "content_filter": "content_filter",
}
_FAILED = {"error", "abort"}


class Normaliser:
    """Takes the chunks of one reply, or the one body of a server that does not stream.

    A tag such as `<think>` stays in the text: who reads the text knows the model.
    """

    def __init__(self) -> None:
        self._calls = ToolCallDeltas()
        self._usage: UsagePiece | None = None
        self._finish: str | None = None
        self._spoken = False
        self._tail = False

    @property
    def spoken(self) -> bool:
        """Whether the model has said, thought or called anything."""
        return self._spoken

    @property
    def whole(self) -> bool:
        """Whether the server has shown in some way that the reply has ended."""
        return self._finish is not None or self._tail

    @property
    def failed(self) -> bool:
        """Whether the server gave up on the reply, and said so in its finish reason."""
        return self._finish in _FAILED

    def take(self, chunk: Mapping[str, Any]) -> list[StreamPiece]:
        """Take a chunk; give what it adds. Usage waits for the end, for some servers repeat it in every chunk."""
        usage = _usage(chunk.get("usage"))
        choices = chunk.get("choices")
        choice = _first(choices)
        if usage is not None:
            self._usage = usage
            self._tail = self._tail or (choices == [] and self._spoken)
        if choice is None:
            return []
        delta, message = choice.get("delta"), choice.get("message")
        said: list[StreamPiece] = []
        if isinstance(delta, Mapping):
            said += self._say(delta)
        # The last chunk of some servers has the whole message beside the delta: it is only news if nothing else came.
        if isinstance(message, Mapping) and not self._spoken and not said:
            said += self._say(message)
        if (
            isinstance(text := choice.get("text"), str)
            and text
            and delta is None
            and message is None
        ):
            said.append(TextPiece(text))
        self._spoken = self._spoken or bool(said)
        if isinstance(finish := choice.get("finish_reason"), str) and finish:
            self._finish = finish.lower()
        return said

    def end(self) -> list[StreamPiece]:
        """Give the last pieces of a reply that is whole."""
        last: list[StreamPiece] = [*self._calls.finish()]
        if self._usage is not None:
            last.append(self._usage)
        last.append(FinishPiece(self._reason()))
        return last

    def usage(self) -> list[StreamPiece]:
        """Give the usage, if it is known, of a reply that is not whole."""
        return [] if self._usage is None else [self._usage]

    def _reason(self) -> _Reason:
        reason: _Reason = _FINISHES.get(self._finish or "", "unknown")
        if reason == "tool_calls" and not len(self._calls):
            return "stop"
        if reason == "stop" and len(self._calls):
            return "tool_calls"
        return reason

    def _say(self, delta: Mapping[str, Any]) -> list[StreamPiece]:
        thought = next(
            (
                text
                for text in map(delta.get, ("reasoning_content", "reasoning", "thinking"))
                if text
            ),
            None,
        )
        pieces: list[StreamPiece] = [ReasoningPiece(thought)] if isinstance(thought, str) else []
        pieces += _content(delta.get("content"))
        if isinstance(refusal := delta.get("refusal"), str) and refusal:
            pieces.append(TextPiece(refusal))
        pieces += self._call(delta)
        return pieces

    def _call(self, delta: Mapping[str, Any]) -> list[CallPiece]:
        calls = delta.get("tool_calls") or delta.get("function_call")
        return self._calls.take(calls) if calls else []


def _content(content: object) -> Iterator[StreamPiece]:
    """Read the content: a text, nothing, or a list of parts."""
    if isinstance(content, str):
        if content:
            yield TextPiece(content)
        return
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str) and part:
            yield TextPiece(part)
        if not isinstance(part, Mapping):
            continue
        if isinstance(text := part.get("text"), str) and text:
            yield (
                ReasoningPiece(text)
                if part.get("type") in {"thinking", "reasoning"}
                else TextPiece(text)
            )
        thought = part.get("thinking") or part.get("reasoning")
        for piece in _content(thought) if thought else ():
            if isinstance(piece, TextPiece):
                yield ReasoningPiece(piece.text)


def _usage(usage: object) -> UsagePiece | None:
    if not isinstance(usage, Mapping):
        return None
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(prompt, int) or prompt <= 0:
        return None
    return UsagePiece(prompt, completion if isinstance(completion, int) else 0)


def _first(choices: object) -> Mapping[str, Any] | None:
    """Give the choice that counts: we ask for one."""
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, Mapping) and choice.get("index", 0) in {0, None}:
            return choice
    return None
