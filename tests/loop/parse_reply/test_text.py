"""What stays of a text when calls, thoughts and tokens are taken out."""

from __future__ import annotations

import pytest

from holdfast.loop.parse_reply import BadCall
from holdfast.loop.parse_reply.control_tokens import cut_tokens
from holdfast.loop.reply import ModelReply
from holdfast.vocab.tool_calls import RawCall, ToolCall
from tests.loop.parse_reply.offered import SPECS, parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Done. ", "Done. "),
        ("Done.<|im_end|>", "Done."),
        ("<|im_start|>assistant\nDone.", "Done."),
        ("<|start_header_id|>assistant<|end_header_id|>\n\nDone.<|eot_id|>", "Done."),
        ("<|channel|>final<|message|>Done.<|return|>", "Done."),
        ("Done.<｜end▁of▁sentence｜>", "Done."),
        ("Done.</s>", "Done."),
        ("`<|im_end|>` ends it.", "`<|im_end|>` ends it."),
        ("```\n<|im_end|>\n```\nDone.<|im_end|>", "```\n<|im_end|>\n```\nDone."),
        ("a <| b |> c", "a <| b |> c"),
        ("std::vector<int> v; a < b || c > d", "std::vector<int> v; a < b || c > d"),
    ],
)
def test_control_tokens_are_cut_and_what_is_quoted_stays(text: str, expected: str) -> None:
    assert cut_tokens(text) == expected


def test_text_around_a_printed_call_stays() -> None:
    text = 'I read it.\n\n<tool_call>\n{"name": "read_file", "arguments": {"path": "a.py"}}\n</tool_call>\n\nThen I go on.'
    found = parse(ModelReply(text, finish="stop"), SPECS, prefix="step_3")
    assert found.text == "I read it.\n\nThen I go on."
    assert found.calls == (ToolCall("step_3_1", "read_file", {"path": "a.py"}, "printed as text"),)


def test_thoughts_of_both_channels_are_kept_apart_from_the_text() -> None:
    found = parse(ModelReply("<think>b</think>Done.", reasoning="a", finish="stop"), SPECS)
    assert (found.text, found.reasoning) == ("Done.", "a\nb")


def test_a_printed_call_beside_given_ones_stays_text() -> None:
    printed = '<tool_call>{"name": "list_dir", "arguments": {}}</tool_call>'
    reply = ModelReply(
        printed, calls=(RawCall("c", "read_file", '{"path": "a.py"}'),), finish="tool_calls"
    )
    found = parse(reply, SPECS)
    assert found.text == printed
    assert found.calls == (ToolCall("c", "read_file", {"path": "a.py"}),)


def test_calls_get_ids_of_their_own_where_they_have_none_or_share_one() -> None:
    calls = tuple(RawCall(name, "list_dir", "{}") for name in ("", "x", "x", " "))
    found = parse(ModelReply(calls=calls, finish="tool_calls"), SPECS)
    assert [call.id for call in found.calls] == ["call_1", "x", "call_3", "call_4"]


def test_a_refused_call_keeps_what_was_short_of_its_arguments() -> None:
    text = '{"path": "a.py", "text": "' + "x" * 5000 + '"}'
    (call,) = parse(
        ModelReply(calls=(RawCall("c", "write_file", text),), finish="length"), SPECS
    ).calls
    assert isinstance(call, BadCall)
    assert call.raw == text
    assert call.as_call().arguments == {"path": "a.py"}


def test_without_tools_the_message_asks_the_model_to_answer() -> None:
    (call,) = parse(
        ModelReply(calls=(RawCall("c", "read_file", "{}"),), finish="tool_calls"), ()
    ).calls
    assert isinstance(call, BadCall)
    assert (
        call.message
        == "There is no tool `read_file`; there are none in this step, so answer in words."
    )


def test_a_call_in_curly_quotes_is_read() -> None:
    body = '{“name”: “read_file”, “arguments”: {“path”: “it’s "a".py”}}'
    expected = {"path": 'it’s "a".py'}
    for text in (body, f"```json\n{body}\n```", f"I read it:\n\n{body}"):
        found = parse(ModelReply(text, finish="stop"), SPECS)
        assert [call.arguments for call in found.calls if isinstance(call, ToolCall)] == [expected]


def test_of_a_list_that_was_cut_the_whole_calls_run_and_the_cut_one_is_named() -> None:
    whole = '{"name": "read_file", "arguments": {"path": "a.py"}}'
    text = (
        f'[TOOL_CALLS][{whole}, {{"name": "write_file", "arguments": {{"path": "a.py", "text": "L'
    )
    first, second = parse(ModelReply(text, finish="length"), SPECS).calls
    assert isinstance(first, ToolCall)
    assert (first.name, first.arguments) == ("read_file", {"path": "a.py"})
    assert isinstance(second, BadCall)
    assert second.name == "write_file"
    assert "its arguments end in the middle" in second.message


def test_a_call_that_was_sent_almost_as_json_says_so() -> None:
    calls = (RawCall("c", "read_file", "{'path': 'a.py'}"),)
    found = parse(ModelReply(calls=calls, finish="tool_calls"), SPECS)
    assert found.calls == (
        ToolCall("c", "read_file", {"path": "a.py"}, "arguments were almost JSON"),
    )


def test_a_nameless_call_that_contains_one_call_is_that_call() -> None:
    inner = '{"name": "read_file", "arguments": {"path": "a.py"}}'
    found = parse(ModelReply(calls=(RawCall("c", " ", inner),), finish="tool_calls"), SPECS)
    assert found.calls == (ToolCall("c", "read_file", {"path": "a.py"}),)
    both = parse(ModelReply(calls=(RawCall("c", "", f"[{inner}, {inner}]"),)), SPECS)
    assert not any(isinstance(call, ToolCall) for call in both.calls)


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('[read_file(path="a.py")]', ["a.py"]),
        ('[read_file(path="a.py"), read_file(path="b.py")]', ["a.py", "b.py"]),
        ("[1, 2]", []),
        ('> [read_file(path="a.py")]', []),
        ('> <tool_call>{"name": "read_file", "arguments": {"path": "a.py"}}</tool_call>', []),
        ('```tool_code\nprint(read_file(path="a.py"))\n```', ["a.py"]),
        ('```python\nread_file(path="a.py")\n```', []),
    ],
)
def test_a_whole_message_that_is_a_list_of_calls_is_read_and_a_quoted_one_is_not(
    text: str, paths: list[str]
) -> None:
    found = parse(ModelReply(text, finish="stop"), SPECS)
    assert [call.arguments["path"] for call in found.calls if isinstance(call, ToolCall)] == paths


def test_a_printed_call_that_is_cut_inside_its_arguments_is_not_run_with_half_of_them() -> None:
    cut = '{"name": "write_file", "arguments": {"path": "a.py", "text": "x = 1'
    found = parse(ModelReply(cut, finish="length"), SPECS)
    [call] = found.calls
    assert isinstance(call, BadCall)
    assert call.name == "write_file"
    bare = parse(ModelReply('{"name": "read_file", "path": "a.py", "sta', finish="length"), SPECS)
    assert all(isinstance(call, BadCall) for call in bare.calls)
