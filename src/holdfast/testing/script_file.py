"""Scripts as JSON, for a server in a process of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from holdfast.testing.replies import Call, Reply, drop, fail, overflow, text_call
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

_SCRIPT = {"replies", "otherwise", "model", "models", "kind", "context", "key"}
_REPLY = {
    "say", "think", "call", "calls", "text_call", "finish", "prompt_tokens", "usage", "chunks",
    "raw", "whole", "fail", "message", "retry_after", "overflow", "drop", "cut_after",
    "wrong_json", "times",
}  # fmt: skip
_OPTIONS = {"finish", "prompt_tokens", "usage", "whole", "cut_after"}
"""The fields of a reply that are fields of `Reply`, under the same name."""
_KINDS = {"ollama", "lm_studio", "llama_cpp", "llama_cpp_python", "vllm", "hosted", "other"}


@dataclass(frozen=True, slots=True)
class Script:
    """The replies of a server. `options` are the other arguments of `ScriptedServer`."""

    replies: tuple[Reply, ...]
    otherwise: Reply | None
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BadScript:
    """An invalid script; `message` has the place, the problem and the cure."""

    message: str


class _ScriptError(Exception):
    """A fault in the script; `read_script` returns it as a `BadScript`."""


def read_script(text: str) -> Script | BadScript:
    """Parse a script: a list of replies, or an object with `replies` and options.

    >>> read_script('[{"say": "Hello."}]').replies[0].text
    'Hello.'
    >>> read_script('[{"sai": "Hello."}]').message
    'reply 1: there is no "sai"; did you mean "say"?'
    """
    try:
        return _parse_script(json.loads(text))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        return BadScript(f"the script is not JSON: {place}: {error.msg}.")
    except _ScriptError as error:
        return BadScript(str(error))


def _parse_script(value: Any) -> Script:
    body = value
    if isinstance(value, list):
        body = {"replies": value}

    if not isinstance(body, dict) or not isinstance(body.get("replies"), list):
        raise _ScriptError('the script must be a list of replies, or an object with "replies".')

    _check_names(body, _SCRIPT, "the script")
    if body.get("kind", "other") not in _KINDS:
        raise _ScriptError(f'the script: "kind" must be one of {", ".join(sorted(_KINDS))}.')

    replies: list[Reply] = []
    for place, entry in enumerate(body["replies"], 1):
        replies.extend(_parse_reply(entry, f"reply {place}"))

    otherwise: Reply | None = None
    if "otherwise" in body:
        otherwise = _parse_reply(body["otherwise"], "otherwise")[0]

    options = dict(body)
    del options["replies"]
    options.pop("otherwise", None)
    return Script(tuple(replies), otherwise, options)


def _parse_reply(entry: Any, where: str) -> list[Reply]:
    """Return the reply of an entry, as often as its `times`."""
    if not isinstance(entry, dict):
        raise _ScriptError(f"{where}: this must be an object.")

    _check_names(entry, _REPLY, where)
    try:
        reply = _content(entry)
        reply = replace(reply, **{name: entry[name] for name in _OPTIONS & entry.keys()})
        if entry.get("wrong_json"):
            reply = replace(reply, finish="wrong_json")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problem = f"{type(error).__name__}: {error}"
        raise _ScriptError(f"{where}: this cannot be read ({problem}).") from error

    return [reply] * int(entry.get("times", 1))


def _content(entry: Mapping[str, Any]) -> Reply:
    if "fail" in entry:
        message = entry.get("message", "the script says so")
        return fail(int(entry["fail"]), str(message), retry_after=entry.get("retry_after"))
    if "overflow" in entry:
        return overflow(int(entry["overflow"]))
    if entry.get("drop"):
        return drop()
    if "text_call" in entry:
        printed = entry["text_call"]
        style, arguments = printed.get("style", "hermes"), printed.get("arguments", {})
        return text_call(printed["name"], style, **arguments)

    calls = list(entry.get("calls", []))
    if "call" in entry:
        calls.insert(0, entry["call"])

    reply = Reply(
        text=str(entry.get("say", "")),
        reasoning=str(entry.get("think", "")),
        calls=tuple(_call(each) for each in calls),
    )
    if "chunks" in entry:
        reply = replace(reply, chunks=tuple(entry["chunks"]))

    if "raw" in entry:
        reply = replace(reply, raw=tuple(str(part).encode() for part in entry["raw"]))

    return reply


def _call(entry: Mapping[str, Any]) -> Call:
    _check_names(entry, {"name", "arguments", "id", "as_object"}, "a call")
    arguments = entry.get("arguments", {})
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)

    return Call(
        name=str(entry["name"]),
        arguments=arguments,
        id=str(entry.get("id", "")),
        as_object=bool(entry.get("as_object", False)),
    )


def _check_names(value: Mapping[str, Any], known: set[str], where: str) -> None:
    for name in value:
        if name in known:
            continue
        cure = f"there are {', '.join(sorted(known))}."
        near = get_close_matches(name, sorted(known), n=1)
        if near:
            cure = f'did you mean "{near[0]}"?'
        raise _ScriptError(f'{where}: there is no "{name}"; {cure}')
