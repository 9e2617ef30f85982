"""However long a reply is, and however it was made to be slow, it is read in time linear in its length."""

from __future__ import annotations

import time

import pytest

from holdfast.loop.classify import classify
from holdfast.loop.normalise import normalise
from holdfast.loop.reply import Reply
from holdfast.vocab.calls import RawCall, ToolCall
from tests.loop.normalise.offered import SPECS

CHANGING = {spec.name for spec in SPECS if spec.changes}
MILLION = 1_000_000
LONG = {
    "a cut string": ("call", '{"path": "a.py", "text": "' + "line\\n" * (MILLION // 6)),
    "a cut string with quotes": ("call", '{"path": "a.py", "text": "' + '\\"x' * (MILLION // 3)),
    "a cut string in single quotes": ("call", "{'path': 'a.py', 'text': '" + "\\'x" * (MILLION // 3)),
    "a cut list of numbers": ("call", '{"path": [' + "1, " * (MILLION // 3)),
    "raw line breaks, cut": ("call", '{"path": "a.py", "text": "' + "line\n" * (MILLION // 5)),
    "digits": ("call", '{"path": ' + "1" * MILLION),
    "the letter e": ("call", "{" + "e" * MILLION + "x"),
    "objects side by side": ("call", '{"path": "a"}' * (MILLION // 13)),
    "opening brackets": ("call", '{"a":' * (MILLION // 5)),
    "tags behind arguments": ("call", '{"path": "a"}' + "<a " * (MILLION // 3)),
    "markers": ("text", "<tool_call>" * (MILLION // 11)),
    "markers with objects": ("text", '<tool_call>{"name": "' * (MILLION // 21)),
    "functions": ("text", "<function=write_file>\n" * (MILLION // 22)),
    "parameters": ("text", "<function=write_file>\n" + "<parameter=text>" * (MILLION // 16)),
    "closed parameters": ("text", "<function=write_file>\n" + "<parameter=text>x</parameter>" * (MILLION // 29)),
    "values": ("text", "<tool_call>write_file\n" + "<arg_key>a</arg_key><arg_value>" * (MILLION // 31)),
    "backticks": ("text", "` `` ``` " * (MILLION // 9)),
    "fences": ("text", "````\n```\n" * (MILLION // 9)),
    "blanks": ("text", " " * MILLION),
    "line ends": ("text", "\n" * MILLION),
    "angle brackets": ("text", "<" * MILLION),
    "thoughts": ("text", "<think>" * (MILLION // 7)),
    "ends of thoughts": ("text", "x </think> " * (MILLION // 11)),
    "nested": ("text", "<write_file>\n<path>" * (MILLION // 19)),
    "nested fields": ("text", "<write_file>\n" + "<path>a</path>" * (MILLION // 14)),
    "channels": ("text", "<|channel|>commentary<|message|>{" * (MILLION // 33)),
    "recipients": ("text", "commentary to=functions.read_file json " * (MILLION // 39)),
    "quotes": ("text", "> a\n" * (MILLION // 4)),
    "python": ("text", "[" + 'read_file(path="a"), ' * (MILLION // 21)),
    "bare objects": ("text", '{"name": "read_file", "arguments": {"path": "a"}}\n' * (MILLION // 50)),
    "sentences": ("text", "Let me read the file. " * (MILLION // 22)),
    "one long word": ("text", "a" * MILLION),
    "a long answer": ("text", "Now I will read it: " + "word " * (MILLION // 5)),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_a_megabyte_is_read_in_a_moment(name: str) -> None:
    kind, text = LONG[name]
    reply = (
        Reply(calls=(RawCall("c", "write_file", text),), finish="stop")
        if kind == "call"
        else Reply(text, finish="stop")
    )

    began = time.process_time()
    found = normalise(reply, SPECS)
    classify(reply, SPECS)

    # Some tenths of a second are usual; what is quadratic takes minutes.
    assert time.process_time() - began < 3
    assert not [call for call in found.calls if isinstance(call, ToolCall) and call.name in CHANGING]
