"""Replies of a scripted model, and the faults of a server."""

from __future__ import annotations

import json
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from threading import Event

_Request = TypeVar("_Request")
_Otherwise = TypeVar("_Otherwise")

_NO_ARGUMENTS: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Call:
    """A call in a reply. `arguments` is sent as text, or with `as_object` as the parsed object."""

    name: str
    arguments: str
    id: str = ""
    as_object: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer to one request.

    The content: `text`, `reasoning`, `calls`, and `finish` (None: the reason that fits; "": no
    reason is sent). `chunks` replace the chunks of this content, `raw` the whole body.
    `prompt_tokens` None: a quarter of the bytes of the request; `usage` "none": no usage is sent.

    The faults: a `status` other than 200 with `message`; after `cut_after` pieces the connection
    breaks; `gate`: each piece waits for this event; `hang`: the whole answer waits for this event;
    `drop`: no answer; `whole`: the answer to a streaming request is not streamed.
    """

    text: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    finish: str | None = None
    prompt_tokens: int | None = None
    usage: Literal["last", "none"] = "last"
    chunks: tuple[Mapping[str, Any], ...] | None = None
    raw: tuple[bytes, ...] | None = None
    status: int = 200
    message: str = ""
    retry_after: float | None = None
    cut_after: int | None = None
    gate: Event | None = None
    hang: Event | None = None
    drop: bool = False
    whole: bool = False


_EMPTY = Reply()


def say(text: str, *, reasoning: str = "") -> Reply:
    """Return a reply with a text."""
    return Reply(text=text, reasoning=reasoning)


def think(reasoning: str) -> Reply:
    """Return a reply with reasoning and no text."""
    return Reply(reasoning=reasoning)


def call(tool: str, /, arguments: str | Mapping[str, Any] = _NO_ARGUMENTS, **fields: Any) -> Reply:
    """Return a reply with one call: `call("read_file", path="a.py")`.

    Arguments as text are sent unchanged, valid or not.
    """
    if not isinstance(arguments, str):
        arguments = json.dumps({**arguments, **fields}, ensure_ascii=False)
    return Reply(calls=(Call(tool, arguments),))


def calls(*replies: Reply, text: str = "") -> Reply:
    """Return a reply with the calls of several: `calls(call("a"), call("b"), text="Both.")`."""
    joined: list[Call] = []
    for reply in replies:
        joined.extend(reply.calls)
    return Reply(text=text, calls=tuple(joined))


def text_call(
    tool: str,
    /,
    style: Literal["hermes", "function", "mistral", "fenced", "bare"] = "hermes",
    **fields: Any,
) -> Reply:
    """Return a reply with a call as text, in the format of one family of models."""
    body = json.dumps({"name": tool, "arguments": fields}, ensure_ascii=False)
    parameters = "".join(
        f"<parameter={name}>\n{value}\n</parameter>\n" for name, value in fields.items()
    )
    texts = {
        "hermes": f"<tool_call>\n{body}\n</tool_call>",
        "function": f"<tool_call>\n<function={tool}>\n{parameters}</function>\n</tool_call>",
        "mistral": f"[TOOL_CALLS]{tool}[ARGS]{json.dumps(fields, ensure_ascii=False)}",
        "fenced": f"```json\n{body}\n```",
        "bare": body,
    }
    return Reply(text=texts[style])


def chunks(*objects: Mapping[str, Any]) -> Reply:
    """Return a reply of these chunks, unchanged, and `[DONE]`."""
    return Reply(chunks=objects)


def raw(*parts: bytes) -> Reply:
    """Return a reply with these bytes as its body, one write for each part."""
    return Reply(raw=parts)


def whole(reply: Reply) -> Reply:
    """Return the reply as one JSON object, even for a streaming request."""
    return replace(reply, whole=True)


def cut(reply: Reply, after: int = 1) -> Reply:
    """Return the reply with a connection that breaks after a number of pieces."""
    return replace(reply, cut_after=after)


def slow(reply: Reply, gate: Event) -> Reply:
    """Return the reply with all pieces but the first delayed until the gate is set."""
    return replace(reply, gate=gate)


def hang(release: Event, reply: Reply = _EMPTY) -> Reply:
    """Return the reply delayed until `release` is set."""
    return replace(reply, hang=release)


def drop() -> Reply:
    """Return a reply that breaks the connection without an answer."""
    return Reply(drop=True)


def fail(
    status: int, message: str = "the script says so", *, retry_after: float | None = None
) -> Reply:
    """Return an error. For several in a row: `[fail(500)] * 3`."""
    return Reply(status=status, message=message, retry_after=retry_after)


def overflow(tokens: int = 4096) -> Reply:
    """Return the error of llama.cpp for messages that are too long."""
    limit = f"the available context size ({tokens} tokens)"
    return fail(400, f"the request exceeds {limit}, try increasing it")


def truncated(reply: Reply, prompt_tokens: int) -> Reply:
    """Return the reply of a server that dropped the front of the prompt: it counts fewer tokens."""
    return replace(reply, prompt_tokens=prompt_tokens)


def wrong_json(reply: Reply) -> Reply:
    """Return the reply with invalid JSON as its last chunk."""
    return replace(reply, finish="wrong_json")


def choose_reply(
    script: Sequence[Reply] | Callable[[_Request], Reply],
    request: _Request,
    number: int,
    otherwise: _Otherwise,
) -> Reply | _Otherwise:
    """Return the reply to the request with this number: after the last reply, `otherwise`."""
    if callable(script):
        return script(request)
    if number < len(script):
        return script[number]
    return otherwise
