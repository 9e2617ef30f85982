"""A script as JSON, for a server in a process of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from holdfast.testing.replies import Call, Reply, drop, fail, overflow, text_call

_SCRIPT = {"replies", "otherwise", "model", "models", "kind", "context", "key"}
_REPLY = {
    "say", "think", "call", "calls", "text_call", "finish", "prompt_tokens", "usage", "chunks", "raw", "whole",
    "fail", "message", "retry_after", "overflow", "drop", "cut_after", "wrong_json", "times",
}  # fmt: skip
_KINDS = {"ollama", "lm_studio", "llama_cpp", "llama_cpp_python", "vllm", "hosted", "other"}


@dataclass(frozen=True, slots=True)
class Script:
    """What a server is to answer. `options` are the other arguments of `ScriptedServer`."""

    replies: tuple[Reply, ...]
    otherwise: Reply | None
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BadScript:
    """The script cannot be read; `message` says where, what, and the next step."""

    message: str


class _Wrong(Exception):  # noqa: N818 - it is caught in this file, and becomes a `BadScript`
    pass


def read_script(text: str) -> Script | BadScript:
    """Read a script: a list of replies, or an object with `replies` and options.

    >>> read_script('[{"say": "Hello."}]').replies[0].text
    'Hello.'
    >>> read_script('[{"sai": "Hello."}]').message
    'reply 1: there is no "sai"; did you mean "say"?'
    """
    try:
        value = json.loads(text)
        body = {"replies": value} if isinstance(value, list) else value
        if not isinstance(body, dict) or not isinstance(body.get("replies"), list):
            return BadScript('the script must be a list of replies, or an object with "replies".')
        _check_names(body, _SCRIPT, "the script")
        if body.get("kind", "other") not in _KINDS:
            return BadScript(f'the script: "kind" must be one of {", ".join(sorted(_KINDS))}.')
        replies = [
            made
            for place, entry in enumerate(body["replies"], 1)
            for made in _read(entry, f"reply {place}")
        ]
        last = _read(body["otherwise"], "otherwise")[0] if "otherwise" in body else None
    except json.JSONDecodeError as error:
        return BadScript(
            f"the script is no JSON: line {error.lineno}, column {error.colno}: {error.msg}."
        )
    except _Wrong as wrong:
        return BadScript(str(wrong))
    options = {name: value for name, value in body.items() if name not in {"replies", "otherwise"}}
    return Script(tuple(replies), last, options)


def _read(entry: Any, where: str) -> list[Reply]:
    if not isinstance(entry, dict):
        raise _Wrong(f"{where}: this must be an object.")
    _check_names(entry, _REPLY, where)
    try:
        reply = _start(entry)
        names = ("finish", "prompt_tokens", "usage", "whole", "cut_after")
        reply = replace(reply, **{name: entry[name] for name in names if name in entry})
        if entry.get("wrong_json"):
            reply = replace(reply, finish="wrong_json")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _Wrong(f"{where}: this cannot be read ({type(error).__name__}: {error}).") from error
    return [reply] * int(entry.get("times", 1))


def _start(entry: Mapping[str, Any]) -> Reply:
    if "fail" in entry:
        message = entry.get("message", "the script says so")
        return fail(int(entry["fail"]), str(message), retry_after=entry.get("retry_after"))
    if "overflow" in entry:
        return overflow(int(entry["overflow"]))
    if entry.get("drop"):
        return drop()
    if "text_call" in entry:
        asked = entry["text_call"]
        return text_call(asked["name"], asked.get("style", "hermes"), **asked.get("arguments", {}))
    calls = [*([entry["call"]] if "call" in entry else []), *entry.get("calls", [])]
    return Reply(
        text=str(entry.get("say", "")),
        reasoning=str(entry.get("think", "")),
        calls=tuple(map(_call, calls)),
        chunks=tuple(entry["chunks"]) if "chunks" in entry else None,
        raw=tuple(str(part).encode() for part in entry["raw"]) if "raw" in entry else None,
    )


def _call(entry: Mapping[str, Any]) -> Call:
    _check_names(entry, {"name", "arguments", "id", "as_object"}, "a call")
    arguments = entry.get("arguments", {})
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return Call(
        str(entry["name"]), text, str(entry.get("id", "")), bool(entry.get("as_object", False))
    )


def _check_names(value: Mapping[str, Any], known: set[str], where: str) -> None:
    for name in value:
        if name not in known:
            near = get_close_matches(name, sorted(known), n=1)
            cure = (
                f'did you mean "{near[0]}"?' if near else f"there are {', '.join(sorted(known))}."
            )
            raise _Wrong(f'{where}: there is no "{name}"; {cure}')
