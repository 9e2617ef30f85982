"""The dialect of `goose run --output-format stream-json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.agents.dialects.dialect import (
    Dialect,
    StatedEnd,
    Value,
    join_texts,
    note,
    say,
    think,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.usecases.agents.ports import AgentUpdate

_FAILED = "Ran into this error: "


class GooseDialect(Dialect):
    """Lines of the types `message`, `error`, `notification` and `complete`."""

    def read_text(self, line: str) -> Iterator[AgentUpdate]:
        """Drop the banner that goose prints before the first message; note what follows."""
        if self._calls or self.usage.prompt or self.end:
            yield from super().read_text(line)

    def read_value(self, value: Value) -> Iterator[AgentUpdate]:
        """Yield the updates of a line."""
        match value.get("type"):
            case "message":
                message = value["message"]
                for content in message["content"]:
                    yield from self._read_content(content, message)
            case "error":
                self.fail(str(value.get("error", "")))
            case "complete":
                self.add_usage(value.get("input_tokens"), value.get("output_tokens"))
                self.end = self.end or StatedEnd("done")
            case _:
                yield note(value)

    def _read_content(self, content: Value, message: Value) -> Iterator[AgentUpdate]:
        match content.get("type"):
            case "text":
                self._look_for_failure(content["text"], message)
                if message["role"] == "assistant":
                    yield from say(content["text"])
            case "thinking" | "reasoning":
                yield from think(content.get("thinking") or content.get("text"))
            case "toolRequest":
                tool = content["toolCall"].get("value") or {}
                name = str(tool.get("name", "tool"))
                yield self.begin_call(content["id"], name, tool.get("arguments"))
            case "toolResponse":
                result = content["toolResult"]
                answer = result.get("value") or {}
                failed = result.get("status") == "error" or bool(answer.get("isError"))
                text = join_texts(answer.get("content")) or str(result.get("error", ""))
                yield from self.end_call(content["id"], text, failed=failed)
            case _:
                yield note(content)

    def _look_for_failure(self, text: str, message: Value) -> None:
        """Notice an error that goose says as text, and then ends as if all went well.

        What a model says has `inference`, so a model that quotes the sentence does not fail.
        """
        is_of_model = "inference" in (message.get("metadata") or {})
        if text.startswith(_FAILED) and not is_of_model:
            self.fail(text.removeprefix(_FAILED).partition("\n\n")[0])
