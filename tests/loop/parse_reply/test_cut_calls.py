"""Printed calls that end in the middle: one that changes something is never run, one that only reads may be."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from holdfast.loop.parse_reply import BadCall
from holdfast.loop.reply import Finish, ModelReply
from holdfast.loop.retry_policy import RetryState
from holdfast.loop.step import interpret_reply
from holdfast.vocab.tool_calls import RawCall, ToolCall
from tests.loop.parse_reply.offered import SPECS

FINISHES: tuple[Finish | None, ...] = ("stop", "tool_calls", "length", "unknown", None)

CALLS: dict[str, dict[str, Any]] = {
    "write_file": {"path": "app.py", "text": "x = 1\n\n  y = '</a>'\n"},
    "edit_file": {"path": "app.py", "old": "    return 1", "new": "    return 2\n"},
    "run_command": {"command": "rm -rf build dist"},
    "write_patch": {"diff": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+b\n"},
}


def _function(name: str, arguments: dict[str, Any]) -> str:
    return f"<function={name}>\n" + "".join(
        f"<parameter={key}>{value}\n" for key, value in arguments.items()
    )


def _invoke(name: str, arguments: dict[str, Any]) -> str:
    fields = "".join(f'<parameter name="{key}">\n{value}\n' for key, value in arguments.items())
    return f'<invoke name="{name}">\n{fields}'


OPEN_FIELDS: dict[str, Callable[[str, dict[str, Any]], str]] = {
    "function": lambda name, arguments: _function(name, arguments) + "</function>",
    "function in a tool call": lambda name, arguments: (
        f"<tool_call>\n{_function(name, arguments)}</tool_call>"
    ),
    "function after prose": lambda name, arguments: (
        f"I do it now.\n\n{_function(name, arguments)}</function>"
    ),
    "invoke": lambda name, arguments: _invoke(name, arguments) + "</invoke>",
    "invoke after prose": lambda name, arguments: (
        f"I do it now.\n{_invoke(name, arguments)}</invoke>"
    ),
}


def _calls(text: str, finish: Finish | None) -> tuple[ToolCall | BadCall, ...]:
    """Return the calls of a reply of a model that prints its calls: most is run then."""
    state = RetryState(prints=True)
    interpreted, _ = interpret_reply(ModelReply(text, finish=finish), SPECS, state)
    return interpreted.parsed.calls


def _ran(text: str, finish: Finish | None) -> list[ToolCall]:
    return [call for call in _calls(text, finish) if isinstance(call, ToolCall)]


@pytest.mark.parametrize("dialect", OPEN_FIELDS)
@pytest.mark.parametrize("name", CALLS)
def test_a_changing_call_that_is_cut_at_any_character_is_not_run(name: str, dialect: str) -> None:
    whole = OPEN_FIELDS[dialect](name, CALLS[name])
    ran = [
        (whole[:at], finish)
        for at in range(len(whole))
        for finish in FINISHES
        if _ran(whole[:at], finish)
    ]
    assert ran == []


@pytest.mark.parametrize("dialect", OPEN_FIELDS)
@pytest.mark.parametrize("name", CALLS)
def test_the_same_call_is_run_when_it_is_closed(name: str, dialect: str) -> None:
    meant = {key: value.removesuffix("\n") for key, value in CALLS[name].items()}
    written = OPEN_FIELDS[dialect](name, meant)
    assert [(call.name, call.arguments) for call in _ran(written, "stop")] == [(name, meant)]


def test_an_open_changing_call_is_refused_as_cut() -> None:
    (call,) = _calls("<function=write_file>\n<parameter=path>app.py\n<parameter=text>", "stop")
    assert isinstance(call, BadCall)
    assert call.message == (
        "`write_file` was not run, and nothing was changed: its arguments end in the middle; "
        "send the whole call again, in smaller parts if it is long."
    )


def test_a_closing_tag_inside_an_open_field_of_a_model_that_closes_fields_is_no_end() -> None:
    text = "<function=write_file>\n<parameter=path>\na.xml\n</parameter>\n<parameter=text>\n<function>f</function>"
    assert not _ran(text, "stop")


@pytest.mark.parametrize("finish", ["stop", "tool_calls"])
@pytest.mark.parametrize(
    "text",
    [
        "<function=read_file>\n<parameter=path>a.py",
        '<invoke name="read_file">\n<parameter name="path">a.py\n',
    ],
)
def test_an_open_call_that_only_reads_is_run(text: str, finish: Finish) -> None:
    assert [(call.name, call.arguments) for call in _ran(text, finish)] == [
        ("read_file", {"path": "a.py"})
    ]


@pytest.mark.parametrize("closing", ["", "</tool_call>", "\n</tool_call>\n"])
def test_a_name_alone_is_a_call_without_arguments(closing: str) -> None:
    ran = _ran(f"<tool_call>list_dir{closing}", "stop")
    assert [(call.name, call.arguments) for call in ran] == [("list_dir", {})]


def test_a_name_with_other_text_behind_it_is_no_call() -> None:
    assert _calls("<tool_call>list_dir, I think", "stop") == ()


@pytest.mark.parametrize("closing", ["", "</parameter>"])
def test_a_value_keeps_its_blanks(closing: str) -> None:
    fields = (
        f"<parameter={key}>{value}{closing}\n"
        for key, value in (("path", "a.py"), ("old", " a: 1 "), ("new", "\n  b"))
    )
    text = f"<function=edit_file>\n{''.join(fields)}</function>"
    (call,) = _calls(text, "stop")
    assert isinstance(call, ToolCall)
    assert call.arguments == {"path": "a.py", "old": " a: 1 ", "new": "  b"}


@pytest.mark.parametrize("name", CALLS)
def test_a_structured_call_with_incomplete_arguments_is_not_run_whatever_the_finish(
    name: str,
) -> None:
    whole = json.dumps(CALLS[name])
    for at in range(len(whole)):
        for finish in FINISHES:
            interpreted, _ = interpret_reply(
                ModelReply(calls=(RawCall("c", name, whole[:at]),), finish=finish),
                SPECS,
                RetryState(),
            )
            assert not [call for call in interpreted.parsed.calls if isinstance(call, ToolCall)], (
                whole[:at],
                finish,
            )


def _json(
    name: str, arguments: dict[str, Any], *, named: str = "name", given: str = "arguments"
) -> str:
    return json.dumps({named: name, given: arguments})


def _python(name: str, arguments: dict[str, Any]) -> str:
    return f"{name}({', '.join(f'{key}={json.dumps(value)}' for key, value in arguments.items())})"


def _closed(name: str, arguments: dict[str, Any]) -> str:
    return "".join(
        f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in arguments.items()
    )


def _pairs(name: str, arguments: dict[str, Any]) -> str:
    return "".join(
        f"<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n"
        for key, value in arguments.items()
    )


SELF_CLOSING: dict[str, Callable[[str, dict[str, Any]], str]] = {
    "bare JSON": _json,
    "a list": lambda n, a: f"[{_json(n, a)}]",
    "a fence": lambda n, a: f"```json\n{_json(n, a)}\n```",
    "words and a fence": lambda n, a: f"Sure, here is the call:\n\n```json\n{_json(n, a)}\n```",
    "words and JSON": lambda n, a: f"I do it.\n\n{_json(n, a)}",
    "hermes": lambda n, a: f"<tool_call>\n{_json(n, a)}\n</tool_call>",
    "hermes after words": lambda n, a: f"I do it.\n<tool_call>\n{_json(n, a)}\n</tool_call>",
    "closed fields": lambda n, a: f"<tool_call>\n<function={n}>\n{_closed(n, a)}</function>\n</tool_call>",
    "JSON in a function": lambda n, a: f"<function={n}>{json.dumps(a)}</function>",
    "phi": lambda n, a: f"functools[{_json(n, a)}]",
    "command-r": lambda n, a: f"Action: ```json\n[{_json(n, a, named='tool_name', given='parameters')}]\n```",
    "command-a": lambda n, a: (
        f"<|START_ACTION|>[{_json(n, a, named='tool_name', given='parameters')}]<|END_ACTION|>"
    ),
    "gemma": lambda n, a: f"```tool_code\n{_python(n, a)}\n```",
    "gemma, printed": lambda n, a: f"So:\n```tool_code\nprint(default_api.{_python(n, a)})\n```",
    "olmo": lambda n, a: f"<function_calls>\n{_python(n, a)}\n</function_calls>",
    "llama, a list": lambda n, a: f"[{_python(n, a)}]",
    "llama, a tag": lambda n, a: f"<|python_tag|>{_json(n, a, given='parameters')}",
    "llama, a method": lambda n, a: f"<|python_tag|>{n}.call({_python('', a)[1:]}",
    "mistral": lambda n, a: f"[TOOL_CALLS] [{_json(n, a)}]",
    "devstral": lambda n, a: f"[TOOL_CALLS]{n}[ARGS]{json.dumps(a)}",
    "granite": lambda n, a: f"<|tool_call|>[{_json(n, a, named='type')}]",
    "gpt-oss": lambda n, a: (
        f"<|channel|>commentary to=functions.{n} <|constrain|>json<|message|>{json.dumps(a)}<|call|>"
    ),
    "gpt-oss, no tokens": lambda n, a: f"commentary to=functions.{n} json{json.dumps(a)}",
    "kimi": lambda n, a: (
        f"<|tool_call_begin|>functions.{n}:0<|tool_call_argument_begin|>{json.dumps(a)}<|tool_call_end|>"
    ),
    "glm": lambda n, a: f"<tool_call>{n}\n{_pairs(n, a)}</tool_call>",
    "deepseek": lambda n, a: (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{n}\n"
        f"```json\n{json.dumps(a)}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
    ),
    "reported": lambda n, a: f"[Assistant tool call]: {n}({json.dumps(a)})",
    "an action": lambda n, a: _json(n, a, named="action", given="action_input"),
}  # fmt: skip


@pytest.mark.slow  # 112 calls, each cut at every character, for every reason to end
@pytest.mark.parametrize("dialect", SELF_CLOSING)
@pytest.mark.parametrize("name", CALLS)
def test_only_the_whole_call_is_run_wherever_its_text_ends(name: str, dialect: str) -> None:
    meant = {key: value.removesuffix("\n") for key, value in CALLS[name].items()}
    whole = SELF_CLOSING[dialect](name, meant)
    others = [
        (whole[:at], finish)
        for at in range(len(whole))
        for finish in FINISHES
        for call in _ran(whole[:at], finish)
        if (call.name, call.arguments) != (name, meant)
    ]
    assert others == []
    assert [(call.name, call.arguments) for call in _ran(whole, "stop")] == [(name, meant)]
    assert _ran(whole, "length") == []
