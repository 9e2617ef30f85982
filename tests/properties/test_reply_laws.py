"""Laws of replies: what holds whatever a model writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.loop.classify import ReplyKind
from holdfast.loop.parse_reply import BadCall, ParsedReply
from holdfast.loop.ports import FailPiece
from holdfast.loop.reply import Finish, ModelReply
from holdfast.vocab.tool_calls import RawCall, ToolCall
from tests.loop.malformed import ROWS
from tests.loop.parse_reply.offered import SPECS, kind_of, parse

pytestmark = pytest.mark.slow  # seconds together: `make quick` does without

CHANGING = {spec.name for spec in SPECS if spec.changes}

# ------------------------------------------------------------------------------------------------------- odd replies

MARKS = [
    "<tool_call>", "</tool_call>", "<function=", "<function=launch>", "</function>", "<parameter=path>", "<parameter=text> ", "</parameter>",
    '<invoke name="launch">', "</invoke>", '<parameter name="path">', "[TOOL_CALLS]", "[ARGS]", "<|tool_call|>", "<|channel|>commentary",
    "<|message|>", " to=functions.", "json", "<|end|>", '<｜DSML｜invoke name="launch">', "<‖DSML‖tool_calls>", "functions.launch:0 ",
    "<|tool_call_argument_begin|>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "[Calling tool: ", "launch(", "launch",
    "<think>", "</think>", "<think", "`", "```", "```json\n", "~~~\n", "> ", "\n", "\n\n", " ", "{", "}", "[", "]", "(", ")", ":", ",",
    '"', "'", "\\", '{"name": "launch", ', '"arguments": ', '{"path": "a"}', '{"a": "', "NaN", "1e999", "null", "True", "path=", "\\ud83d",
    "<escape>", '<|"|>', "analysisX", "assistantfinalY", "<tool_response>", "\ud83d", "\ufeff", "\x00", "é", "Let me ", "接下来",
]  # fmt: skip

odd = st.lists(st.sampled_from(MARKS) | st.text(max_size=6), max_size=20).map("".join)
tools = [spec.name for spec in SPECS]
loud = st.lists(
    st.sampled_from([*MARKS, *tools, *(row.reply.text for row in ROWS if row.reply.text)]),
    max_size=10,
)
finishes: st.SearchStrategy[Finish | None] = st.sampled_from(
    ["stop", "tool_calls", "length", "content_filter", "unknown", None]
)
names = st.sampled_from([*tools, "Bash", "view", "str_replace_editor", ""]) | odd
calls = st.lists(
    st.builds(
        RawCall,
        odd,
        names,
        odd | st.sampled_from([c.arguments for r in ROWS for c in r.reply.calls]),
    )
)
replies = st.builds(
    ModelReply,
    odd | loud.map("".join),
    odd,
    calls.map(tuple),
    finishes,
    st.none(),
    st.none() | st.builds(FailPiece, st.sampled_from(["cut", "bad", "server"]), odd),
)


def runnable(found: ParsedReply) -> list[ToolCall]:
    return [call for call in found.calls if isinstance(call, ToolCall)]


@given(replies)
def test_any_reply_has_a_class_and_a_form_for_the_history(reply: ModelReply) -> None:
    found = parse(reply, SPECS)

    assert isinstance(kind_of(reply, SPECS), ReplyKind)
    kept: list[Any] = [found.text, found.reasoning]
    for call in found.calls:
        one = call.as_call() if isinstance(call, BadCall) else call
        kept += [one.id, one.name, one.arguments, one.note]
        assert isinstance(one.arguments, dict)
    json.dumps(kept, ensure_ascii=False, allow_nan=False).encode("utf-8")
    assert len({call.id for call in found.calls}) == len(found.calls)


@given(replies)
def test_the_same_reply_always_gives_the_same_calls(reply: ModelReply) -> None:
    assert parse(reply, SPECS) == parse(reply, SPECS)


@given(replies)
def test_a_reply_that_is_not_whole_never_changes_anything(reply: ModelReply) -> None:
    if not reply.whole or kind_of(reply, SPECS) is ReplyKind.TRUNCATED:
        assert not [call for call in runnable(parse(reply, SPECS)) if call.name in CHANGING]


@given(replies)
def test_what_can_be_run_has_the_name_and_the_required_fields_of_a_tool(reply: ModelReply) -> None:
    specs = {spec.name: spec for spec in SPECS}
    for call in runnable(parse(reply, SPECS)):
        assert set(specs[call.name].schema["required"]) <= call.arguments.keys()


@given(odd, odd, finishes)
def test_a_reply_without_the_name_of_a_tool_runs_nothing(
    text: str, more: str, finish: Finish | None
) -> None:
    reply = ModelReply(
        text, more, (RawCall("", "launch", text), RawCall("c", "lunch", more)), finish
    )
    assert not runnable(parse(reply, SPECS))
    assert not runnable(parse(ModelReply(text, more, (), finish), SPECS))


# ----------------------------------------------------------------------------------------------------- whole and cut

words = st.text(st.characters(codec="utf-8"), max_size=30)
lines = st.text("ab '\"\\{}[],:</>`\n", max_size=30)
texts = words | lines
numbers = st.none() | st.integers(1, 10**6)
whole = st.one_of(
    st.tuples(
        st.just("read_file"),
        st.fixed_dictionaries({"path": texts}, optional={"start": numbers, "end": numbers}),
    ),
    st.tuples(st.just("write_file"), st.fixed_dictionaries({"path": texts, "text": texts})),
    st.tuples(
        st.just("run_command"),
        st.fixed_dictionaries({"command": texts}, optional={"timeout": numbers}),
    ),
    st.tuples(
        st.just("edit_file"),
        st.fixed_dictionaries(
            {"path": texts, "old": texts, "new": texts},
            optional={"near_line": numbers, "every": st.booleans()},
        ),
    ),
)
changing = whole.filter(lambda call: call[0] in CHANGING)
complete: st.SearchStrategy[Finish] = st.sampled_from(["stop", "tool_calls"])


@given(whole, complete)
def test_a_valid_call_passes_unchanged(call: tuple[str, dict[str, Any]], finish: Finish) -> None:
    name, arguments = call
    reply = ModelReply(calls=(RawCall("c", name, json.dumps(arguments)),), finish=finish)
    assert parse(reply, SPECS) == ParsedReply("", (ToolCall("c", name, arguments),))
    assert kind_of(reply, SPECS) is ReplyKind.TOOL_CALLS


@given(changing, st.data(), finishes, st.booleans())
def test_a_changing_call_that_is_cut_anywhere_is_not_run(
    call: tuple[str, dict[str, Any]], data: st.DataObject, finish: Finish | None, twice: bool
) -> None:
    name, arguments = call
    text = json.dumps(json.dumps(arguments)) if twice else json.dumps(arguments)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    assert not runnable(parse(ModelReply(calls=(RawCall("c", name, cut),), finish=finish), SPECS))


def tagged(name: str, arguments: dict[str, Any]) -> str:
    fields = "".join(
        f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in arguments.items()
    )
    return f"<tool_call>\n<function={name}>\n{fields}</function>\n</tool_call>"


def invoked(name: str, arguments: dict[str, Any]) -> str:
    fields = "".join(
        f'<parameter name="{key}">{value}</parameter>\n' for key, value in arguments.items()
    )
    return f'<function_calls>\n<invoke name="{name}">\n{fields}</invoke>\n</function_calls>'


def paired(name: str, arguments: dict[str, Any]) -> str:
    fields = "".join(
        f"<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n"
        for key, value in arguments.items()
    )
    return f"<tool_call>{name}\n{fields}</tool_call>"


def as_json(name: str, arguments: dict[str, Any]) -> str:
    return json.dumps({"name": name, "arguments": arguments})


DIALECTS: dict[str, Callable[[str, dict[str, Any]], str]] = {
    "tagged": tagged,
    "invoked": invoked,
    "paired": paired,
    "bare": as_json,
    "list": lambda name, arguments: f"[{as_json(name, arguments)}]",
    "fenced": lambda name, arguments: f"```json\n{as_json(name, arguments)}\n```",
    "hermes": lambda name, arguments: (
        f"I do it.\n<tool_call>\n{as_json(name, arguments)}\n</tool_call>"
    ),
    "devstral": lambda name, arguments: f"[TOOL_CALLS]{name}[ARGS]{json.dumps(arguments)}",
    "harmony": lambda name, arguments: (
        f"<|channel|>commentary to=functions.{name} json<|message|>{json.dumps(arguments)}"
    ),
    "kimi": lambda name, arguments: (
        f"functions.{name}:0 <|tool_call_argument_begin|> {json.dumps(arguments)}"
    ),
    "nested": lambda name, arguments: (
        f"<{name}>\n{''.join(f'<{k}>{v}</{k}>' for k, v in arguments.items())}\n</{name}>"
    ),
    "told": lambda name, arguments: f"[Assistant tool call]: {name}({json.dumps(arguments)})",
    "python": lambda name, arguments: (
        f"[{name}({', '.join(f'{key}={json.dumps(value)}' for key, value in arguments.items())})]"
    ),
}
plain = st.text("abc xyz01.\n_-=()", min_size=1, max_size=30).filter(
    lambda text: text.strip("\n ") == text
)
written = st.one_of(
    st.tuples(st.just("write_file"), st.fixed_dictionaries({"path": plain, "text": plain})),
    st.tuples(st.just("run_command"), st.fixed_dictionaries({"command": plain})),
    st.tuples(
        st.just("edit_file"), st.fixed_dictionaries({"path": plain, "old": plain, "new": plain})
    ),
)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(call=written)
def test_a_printed_call_is_recovered_in_every_dialect(
    dialect: str, call: tuple[str, dict[str, Any]]
) -> None:
    found = parse(ModelReply(DIALECTS[dialect](*call), finish="stop"), SPECS)
    assert [(one.name, one.arguments) for one in runnable(found)] == [call]


@pytest.mark.parametrize("dialect", DIALECTS)
@given(call=written, data=st.data(), finish=finishes)
def test_a_printed_call_that_is_cut_is_run_as_it_was_meant_or_not_at_all(
    dialect: str, call: tuple[str, dict[str, Any]], data: st.DataObject, finish: Finish | None
) -> None:
    text = DIALECTS[dialect](*call)
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    ran = runnable(parse(ModelReply(cut, finish=finish), SPECS))
    assert [(one.name, one.arguments) for one in ran] in ([], [call])


@given(texts, st.sampled_from(list(DIALECTS)), written)
def test_a_call_in_a_fence_with_words_around_it_is_not_run(
    words_before: str, dialect: str, call: tuple[str, dict[str, Any]]
) -> None:
    shown = f"Here is how:\n\n````\n{DIALECTS[dialect](*call)}\n````\n\n{words_before.replace('`', '')} It works."
    if "{" not in words_before and "[" not in words_before:
        assert not parse(ModelReply(shown, finish="stop"), SPECS).calls
