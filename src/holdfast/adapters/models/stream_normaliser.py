"""The stream normaliser: chunks of any server in, stream pieces of `loop.ports` out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from holdfast.adapters.models.tool_call_deltas import ToolCallDeltas
from holdfast.loop.ports import (
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
    """The state of one reply: chunks of any server in, pieces out.

    A server that does not stream sends one chunk. A tag such as `<think>` stays in the text: its
    meaning depends on the model, which the loop knows.
    """

    def __init__(self) -> None:
        self._calls = ToolCallDeltas()
        self._usage: UsagePiece | None = None
        self._finish: str | None = None
        self._begun = False
        self._usage_last = False

    @property
    def begun(self) -> bool:
        """Whether any text, reasoning or call has arrived."""
        return self._begun

    @property
    def whole(self) -> bool:
        """Whether a finish reason or a last chunk with usage has shown that the reply has ended."""
        return self._finish is not None or self._usage_last

    @property
    def failed(self) -> bool:
        """Whether the finish reason is that the server aborted the reply."""
        return self._finish in _FAILED

    def feed(self, chunk: Mapping[str, Any]) -> list[StreamPiece]:
        """Return the pieces of a chunk.

        Usage is returned by `end`, because some servers repeat it in every chunk.
        """
        usage = _usage(chunk.get("usage"))
        choices = chunk.get("choices")
        if usage is not None:
            self._usage = usage
            if choices == [] and self._begun:
                self._usage_last = True

        choice = _first(choices)
        if choice is None:
            return []

        pieces = self._pieces(choice)
        if pieces:
            self._begun = True

        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self._finish = finish.lower()

        return pieces

    def end(self) -> list[StreamPiece]:
        """Return the last pieces of a reply that is whole."""
        return [*self._calls.finish(), *self.usage(), FinishPiece(self._reason())]

    def usage(self) -> list[StreamPiece]:
        """Return the usage, if it is known."""
        if self._usage is None:
            return []
        return [self._usage]

    def _reason(self) -> _Reason:
        # A server that ends its stream as agreed and gives no reason has nothing to add.
        reason: _Reason = _FINISHES.get(self._finish or "stop", "unknown")
        if reason not in {"stop", "tool_calls"}:
            return reason
        # Some servers say `stop` beside calls, or `tool_calls` without any.
        if len(self._calls):
            return "tool_calls"

        return "stop"

    def _pieces(self, choice: Mapping[str, Any]) -> list[StreamPiece]:
        delta, message, text = choice.get("delta"), choice.get("message"), choice.get("text")
        pieces: list[StreamPiece] = []
        if isinstance(delta, Mapping):
            pieces += self._read(delta)

        # The last chunk of some servers repeats the whole message beside the delta.
        is_repeated = self._begun or bool(pieces)
        if isinstance(message, Mapping) and not is_repeated:
            pieces += self._read(message)

        if delta is None and message is None:
            pieces += _text(text)

        return pieces

    def _read(self, delta: Mapping[str, Any]) -> list[StreamPiece]:
        pieces: list[StreamPiece] = []
        thought = _reasoning(delta)
        if isinstance(thought, str):
            pieces.append(ReasoningPiece(thought))

        pieces += _content(delta.get("content"))
        pieces += _text(delta.get("refusal"))
        calls = delta.get("tool_calls") or delta.get("function_call")
        if calls:
            pieces += self._calls.feed(calls)

        return pieces


def _reasoning(delta: Mapping[str, Any]) -> object:
    for name in ("reasoning_content", "reasoning", "thinking"):
        if delta.get(name):
            return delta[name]
    return None


def _text(text: object) -> list[StreamPiece]:
    if isinstance(text, str) and text:
        return [TextPiece(text)]
    return []


def _content(content: object) -> Iterator[StreamPiece]:
    """Yield the pieces of a content: a text, null, a part, or a list of texts and parts."""
    parts = [content]
    if isinstance(content, list):
        parts = content

    for part in parts:
        if isinstance(part, str):
            yield from _text(part)
        elif isinstance(part, Mapping):
            yield from _part(part)


def _part(part: Mapping[str, Any]) -> Iterator[StreamPiece]:
    written = _text(part.get("text"))
    if part.get("type") in ("thinking", "reasoning"):
        yield from _as_reasoning(written)
    else:
        yield from written

    thought = part.get("thinking") or part.get("reasoning")
    yield from _as_reasoning(_content(thought))


def _as_reasoning(pieces: Iterable[StreamPiece]) -> Iterator[StreamPiece]:
    for piece in pieces:
        if isinstance(piece, TextPiece):
            yield ReasoningPiece(piece.text)


def _usage(usage: object) -> UsagePiece | None:
    if not isinstance(usage, Mapping):
        return None

    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(prompt, int) or prompt <= 0:
        return None

    if not isinstance(completion, int):
        completion = 0

    return UsagePiece(prompt, completion)


def _first(choices: object) -> Mapping[str, Any] | None:
    """Return the first choice; a request asks for one only."""
    if not isinstance(choices, list):
        return None

    for choice in choices:
        if not isinstance(choice, Mapping):
            continue
        if choice.get("index", 0) in {0, None}:
            return choice

    return None
