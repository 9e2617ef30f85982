"""What a scripted model answers: replies, and the ways in which a server spoils them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from threading import Event
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Call:
    """A call in a reply. `arguments` is sent as it is: a text, or with `as_object` the object that it stands for."""

    name: str
    arguments: str
    id: str = ""
    as_object: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer to one request.

    What the model says: `text`, `reasoning`, `calls`, and `finish` (None: what fits; "": none is sent). `chunks` are
    sent in the place of those made of it, `raw` in the place of the whole body. `prompt_tokens` None: what was sent,
    counted in fours of bytes; `usage` "none": no figures.

    What goes wrong: a `status` other than 200 with `message`; `cut_after` so many pieces the connection is broken;
    `gate`: each piece waits until it is set; `hang`: the same, before anything is answered; `drop`: no answer at all;
    `whole`: not streamed, though a stream was asked for.
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


def say(text: str, *, reasoning: str = "") -> Reply:
    """Say something and stop."""
    return Reply(text=text, reasoning=reasoning)


def think(reasoning: str) -> Reply:
    """Think, and then say nothing."""
    return Reply(reasoning=reasoning)


def call(tool: str, /, arguments: str | Mapping[str, Any] | None = None, **fields: Any) -> Reply:
    """Call one tool: `call("read_file", path="a.py")`. A text as arguments is sent as it is, broken or not."""
    return Reply(calls=(_call(tool, arguments, fields),))


def calls(*replies: Reply, text: str = "") -> Reply:
    """Put the calls of several replies into one: `calls(call("a"), call("b"), text="Both at once.")`."""
    return Reply(text=text, calls=tuple(call for reply in replies for call in reply.calls))


def text_call(
    tool: str,
    /,
    style: Literal["hermes", "function", "mistral", "fenced", "bare"] = "hermes",
    **fields: Any,
) -> Reply:
    """Print a call as text, the way of one family of models."""
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
    """Send these chunks of a stream as they are, then `[DONE]`."""
    return Reply(chunks=objects)


def raw(*parts: bytes) -> Reply:
    """Send these bytes as the body of the answer, each with a write of its own."""
    return Reply(raw=parts)


def whole(reply: Reply) -> Reply:
    """Answer with one JSON object, though a stream was asked for."""
    return replace(reply, whole=True)


def cut(reply: Reply, after: int = 1) -> Reply:
    """Break the connection after so many pieces of the reply."""
    return replace(reply, cut_after=after)


def slow(reply: Reply, gate: Event) -> Reply:
    """Send the first piece of the reply; hold back the others until the gate is set."""
    return replace(reply, gate=gate)


def hang(release: Event, reply: Reply | None = None) -> Reply:
    """Answer nothing until released, then this reply."""
    return replace(reply or Reply(), hang=release)


def drop() -> Reply:
    """Take the request and break the connection without an answer."""
    return Reply(drop=True)


def fail(
    status: int, message: str = "the script says so", *, retry_after: float | None = None
) -> Reply:
    """Answer with an error. For several in a row: `[fail(500)] * 3`."""
    return Reply(status=status, message=message, retry_after=retry_after)


def overflow(tokens: int = 4096) -> Reply:
    """Answer that the messages are too long, in the words of llama.cpp."""
    return fail(
        400, f"the request exceeds the available context size ({tokens} tokens), try increasing it"
    )


def truncated(reply: Reply, prompt_tokens: int) -> Reply:
    """Answer as a server that has dropped the front of the prompt: all it shows is that it counts fewer tokens."""
    return replace(reply, prompt_tokens=prompt_tokens)


def wrong_json(reply: Reply) -> Reply:
    """Break the last chunk of the reply, so that it is no JSON."""
    return replace(reply, finish="wrong_json")


def _call(tool: str, arguments: str | Mapping[str, Any] | None, fields: Mapping[str, Any]) -> Call:
    if isinstance(arguments, str):
        return Call(tool, arguments)
    return Call(tool, json.dumps({**(arguments or {}), **fields}, ensure_ascii=False))
