"""Printed calls that end in the middle: one that changes something is never run, one that only reads may be."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from holdfast.loop.parse_reply import BadCall
from holdfast.loop.reply import Finish, ModelReply
from holdfast.loop.retry_policy import RetryState
from holdfast.loop.step import interpret_reply
from holdfast.vocab.tool_calls import RawCall, ToolCall
from tests.loop.parse_reply.offered import SPECS
from tests.samples import sample

FINISHES: tuple[Finish | None, ...] = (
    "stop",
    "tool_calls",
    "length",
    "content_filter",
    "unknown",
    None,
)
NORMAL: frozenset[Finish | None] = frozenset(("stop", "tool_calls"))

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


def _calls(
    text: str, finish: Finish | None, *, prints: bool = True
) -> tuple[ToolCall | BadCall, ...]:
    """Return the calls of a reply; of a model that prints its calls most is run."""
    state = RetryState(prints=prints)
    interpreted, _ = interpret_reply(ModelReply(text, finish=finish), SPECS, state)
    return interpreted.parsed.calls


def _ran(text: str, finish: Finish | None, *, prints: bool = True) -> list[ToolCall]:
    return [call for call in _calls(text, finish, prints=prints) if isinstance(call, ToolCall)]


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


def _fields_by_name(name: str, arguments: dict[str, Any]) -> str:
    return "".join(
        f'<parameter name="{key}">{value}</parameter>\n' for key, value in arguments.items()
    )


def _deepseek_fields(arguments: dict[str, Any]) -> str:
    return "".join(
        f'<｜DSML｜parameter name="{key}" string="true">{value}</｜DSML｜parameter>\n'
        for key, value in arguments.items()
    )


MORE: dict[str, Callable[[str, dict[str, Any]], str]] = {
    "invoke, closed": lambda n, a: (
        f'<function_calls>\n<invoke name="{n}">\n{_fields_by_name(n, a)}</invoke>\n</function_calls>'
    ),
    "minimax": lambda n, a: (
        f'<minimax:tool_call>\n<invoke name="{n}">\n{_fields_by_name(n, a)}</invoke>\n</minimax:tool_call>'
    ),
    "deepseek markup": lambda n, a: (
        f'<｜DSML｜function_calls>\n<｜DSML｜invoke name="{n}">\n{_deepseek_fields(a)}'
        "</｜DSML｜invoke>\n</｜DSML｜function_calls>"
    ),
    "seed": lambda n, a: (
        f"<seed:tool_call>\n<function={n}>\n{_closed(n, a)}</function>\n</seed:tool_call>"
    ),
    "cline": lambda n, a: (
        f"<{n}>\n{''.join(f'<{key}>{value}</{key}>' for key, value in a.items())}\n</{n}>"
    ),
    "labels": lambda n, a: (
        f"<tool_call>\n<name>{n}</name>\n<arguments>{json.dumps(a)}</arguments>\n</tool_call>"
    ),
    "the API itself": lambda n, a: json.dumps(
        {"tool_calls": [{"type": "function", "function": {"name": n, "arguments": json.dumps(a)}}]}
    ),
    "internlm": lambda n, a: f"<|action_start|><|plugin|>{_json(n, a)}<|action_end|>",
    "function gemma": lambda n, a: f"<start_function_call>call:{n}{json.dumps(a)}<end_function_call>",
    "nemotron": lambda n, a: f"<TOOLCALL>[{_json(n, a)}]</TOOLCALL>",
    "jamba": lambda n, a: f"<tool_calls>[{_json(n, a)}]</tool_calls>",
    "hunyuan": lambda n, a: (
        f"<tool_calls><tool_call>{n}<tool_sep>{_pairs(n, a)}</tool_call></tool_calls>"
    ),
    "react": lambda n, a: f"Thought: I do it.\nAction: {n}\nAction Input: {json.dumps(a)}",
    "react, a fence": lambda n, a: f"Action: {n}\nAction Input:\n```json\n{json.dumps(a)}\n```",
    "kimi, a section": lambda n, a: (
        f"<|tool_calls_section_begin|><|tool_call_begin|>functions.{n}:0<|tool_call_argument_begin|>"
        f"{json.dumps(a)}<|tool_call_end|><|tool_calls_section_end|>"
    ),
    "a token": lambda n, a: f"<|tool_call>call:{n}{json.dumps(a)}<tool_call|>",
    "a wrapper with JSON in tags": lambda n, a: (
        f"<tool_calls>\n<tool_call>\n{_json(n, a)}\n</tool_call>\n</tool_calls>"
    ),
    "hunyuan, a fence": lambda n, a: (
        f"<tool_calls><tool_call>{n}<tool_sep>\n```json\n{json.dumps(a)}\n```</tool_call></tool_calls>"
    ),
}  # fmt: skip
DIALECTS = SELF_CLOSING | OPEN_FIELDS | MORE
ENDING_IN_OPTIONS: dict[str, dict[str, Any]] = {
    "edit_file": {"path": "app.py", "old": "    return 1", "new": "    return 2", "every": True},
    "run_command": {"command": "rm -rf build dist", "timeout": 5},
    "apply_edits": {
        "edits": [
            {"path": "a.py", "old": "a", "new": "b"},
            {"path": "b.py", "old": "}", "new": "]}"},
        ]
    },
}
"""Arguments that are still a call without their last field or item: cut there, they mean something else."""
MEANT = [
    *(
        (name, {key: value.removesuffix("\n") for key, value in CALLS[name].items()})
        for name in CALLS
    ),
    *ENDING_IN_OPTIONS.items(),
]


END_OF_TURN = "<|call|>"
"""gpt-oss ends its turn with this token, which a server removes: it is no part of the call."""


def _cuts(dialect: str) -> list[tuple[str, Finish | None, bool]]:
    """Return each cut of each call with each finish, of models that print calls and of others."""
    written = [DIALECTS[dialect](name, given) for name, given in MEANT]
    calls = [whole.removesuffix(END_OF_TURN).rstrip() for whole in written]
    return [
        (whole[:at], finish, prints)
        for whole in calls
        for at, finish, prints in product(range(len(whole)), FINISHES, (True, False))
    ]


def test_there_are_more_than_thirty_dialects() -> None:
    assert len(DIALECTS) > 30


@pytest.mark.slow  # in `make soak`, seven calls in all dialects, each cut at every character, for every reason to end
@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_changing_call_is_run_that_lacks_any_character_of_its_text(dialect: str) -> None:
    cuts = _cuts(dialect)
    ran = [
        (cut, finish, prints)
        for cut, finish, prints in sample(cuts, 250, last=50)
        if _ran(cut, finish, prints=prints)
    ]
    assert ran == []


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("name", "given"), MEANT)
def test_the_whole_call_is_run_in_every_dialect_if_the_reply_is_whole(
    name: str, given: dict[str, Any], dialect: str
) -> None:
    whole = DIALECTS[dialect](name, given)
    for finish in FINISHES:
        ran = [(call.name, call.arguments) for call in _ran(whole, finish)]
        assert ran == ([(name, given)] if finish in NORMAL else []), finish


WRITE = _json("write_file", {"path": "a.py", "text": "x = '</tool_call>]```'\n"})
PLAIN = _json("write_file", {"path": "a.py", "text": "x = 1\n"})
READ = _json("read_file", {"path": "a.py"})


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        (f"<tool_call>\n{WRITE}\n", "</tool_call>"),
        (f"<tool_call>\n{WRITE}<|im_end|>", "</tool_call>"),
        (f"<tool_calls>[{WRITE}]", "</tool_calls>"),
        (f"<tool_calls><tool_call>{WRITE}</tool_call>", "</tool_calls>"),
        (f"[TOOL_CALLS] [{WRITE}", "]"),
        (f"```json\n{PLAIN}\n", "```"),
        (f"<|START_ACTION|>[{WRITE}]", "<|END_ACTION|>"),
        ('<tool_call><function=run_command>{"command": "ls"}', "</function></tool_call>"),
    ],
)
def test_a_changing_call_without_its_closing_mark_is_asked_for_again(text: str, lacks: str) -> None:
    (call,) = _calls(text, "stop")
    assert isinstance(call, BadCall)
    assert call.message == (
        f"`{call.name}` was not run, and nothing was changed: its end ({lacks}) is missing; "
        "send the whole call again."
    )


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>\n{WRITE}\n</tool_call><|im_end|>",
        f"<tool_call>\n{WRITE}\n</tool_call><|eot_id|>\n",
        f"<tool_call><tool_call>\n{WRITE}\n</tool_call>",  # opened twice
        f"<tool_call>\n{WRITE}\n</function>",  # closed by another tag
        f"{PLAIN}\n</tool_call>",
        f"<|python_tag|>{WRITE}<|eom_id|>",
        f"<|tool_call|>[{WRITE}]",
        f"The tag is <tool_call>, so:\n\n<tool_call>\n{WRITE}\n</tool_call>",
    ],
)
def test_a_changing_call_that_is_closed_is_run(text: str) -> None:
    assert [call.name for call in _ran(text, "stop")] == ["write_file"]


def test_all_calls_in_an_open_wrapper_are_cut_and_none_before_it() -> None:
    inside = f"<tool_call>{WRITE}</tool_call>"
    other = inside.replace("a.py", "b.py")
    for text in (f"<tool_calls>{inside}{other}", f"<tool_calls>\n{inside}\n{other}\n</tool_cal"):
        assert not _ran(text, "stop")
    wrapped = f"<tool_calls>{inside}{other}</tool_calls>"
    assert [call.arguments["path"] for call in _ran(wrapped, "stop")] == ["a.py", "b.py"]


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>\n{READ}\n",
        f"<tool_calls>[{READ}]",
        f"```json\n{READ}\n",
        f"[TOOL_CALLS] [{READ}",
    ],
)
def test_a_call_that_only_reads_is_run_without_its_closing_mark(text: str) -> None:
    assert [call.name for call in _ran(text, "stop")] == ["read_file"]


def test_a_whole_changing_call_is_run_before_an_open_call_that_only_reads() -> None:
    text = f"<tool_call>{WRITE}</tool_call>\n<tool_call>{READ}"
    assert [call.name for call in _ran(text, "stop")] == ["write_file", "read_file"]
