"""What an API makes of a reply, and which API a path belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from holdfast.testing.completion_chunks import events_of, whole_of
from holdfast.testing.wire_formats import gemini, messages, responses
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.testing.replies import Reply


@dataclass(frozen=True, slots=True)
class WireFormat:
    """An API. `events` are the parts of a stream: what precedes the first piece, then the pieces.

    `whole` is the reply as one object, `error` the body of an error. `asks_for_stream` "path":
    another path, not a field of the body, requests a stream.
    """

    events: Callable[[Reply, int, str, int], list[bytes]]
    whole: Callable[[Reply, int, str, int], bytes]
    error: Callable[[Reply], Mapping[str, Any]]
    asks_for_stream: Literal["body", "path"] = "body"

    def is_stream(self, path: str, body: Mapping[str, Any]) -> bool:
        """Return whether a request wants a stream."""
        if self.asks_for_stream == "path":
            return ":streamGenerateContent" in path
        return bool(body.get("stream"))


def find_format(path: str) -> WireFormat | None:
    """Return the API that answers requests to a path with replies of the script, or None."""
    bare = path.partition("?")[0]
    for ending, found in _FORMATS.items():
        if bare.endswith(ending):
            return found
    return None


def count_tokens(path: str, size: int) -> dict[str, Any] | None:
    """Return the answer of the endpoints that only count tokens; None for other paths."""
    bare = path.partition("?")[0]
    if bare.endswith("/messages/count_tokens"):
        return {"input_tokens": size // 4}
    if bare.endswith(":countTokens"):
        return {"totalTokens": size // 4}
    return None


def model_of(path: str, body: Mapping[str, Any]) -> str:
    """Return the model that a request names, in its body or in its path.

    >>> model_of("/v1beta/models/gemini-pro:generateContent", {})
    'gemini-pro'
    """
    if "model" in body:
        return str(body["model"])
    return path.partition("?")[0].rpartition("/")[2].partition(":")[0]


def _completion_error(reply: Reply) -> dict[str, Any]:
    return {"error": {"message": reply.message, "code": reply.status}}


_GEMINI = WireFormat(gemini.events_of, gemini.whole_of, gemini.error_of, "path")
_FORMATS = {
    "/chat/completions": WireFormat(events_of, whole_of, _completion_error),
    "/responses": WireFormat(responses.events_of, responses.whole_of, responses.error_of),
    "/messages": WireFormat(messages.events_of, messages.whole_of, messages.error_of),
    ":streamGenerateContent": _GEMINI,
    ":generateContent": _GEMINI,
}
