"""What people see of a reply while it arrives: words, and never the text of a call."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.loop.parse_reply.text_calls.streamed_text import StreamedText
from holdfast.loop.unparsed_call import shows_unread_call
from tests.loop.parse_reply.offered import SPECS
from tests.loop.parse_reply.test_cut_calls import DIALECTS

CALL = '{"name": "read_file", "arguments": {"path": "a.py"}}'


def _stream(text: str, size: int) -> tuple[str, str]:
    streamed = StreamedText(SPECS, partial(shows_unread_call, specs=SPECS))
    shown = "".join(streamed.feed(text[at : at + size]) for at in range(0, len(text), size))
    return shown, streamed.held


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    "call",
    [
        f"<tool_call>\n{CALL}\n</tool_call>",
        "<function=read_file>\n<parameter=path>a.py",
        '<invoke name="read_file">\n<parameter name="path">a.py</parameter>\n</invoke>',
        f"[TOOL_CALLS] [{CALL}]",
        f"```json\n{CALL}\n```",
        '```tool_code\nread_file(path="a.py")\n```',
        f"functools[{CALL}]",
        f"Action: ```json\n[{CALL}]\n```",
        f"<|START_ACTION|>[{CALL}]<|END_ACTION|>",
        CALL,
    ],
)
def test_a_call_is_held_back_however_it_is_split(call: str, size: int) -> None:
    assert _stream(f"I look at it.\n\n{call}", size) == ("I look at it.\n\n", call)


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_no_dialect_of_a_long_call_is_shown(dialect: str, size: int) -> None:
    call = DIALECTS[dialect]("write_file", {"path": "a.py", "text": "zebra\n" * 100})
    shown, _ = _stream(f"Now to it.\n\n{call}", size)
    assert "write_file" not in shown
    assert "zebra" not in shown


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    "text",
    [
        "A list:\n- one\n- two\n" * 9,
        "<div>\n  <p>Hello</p>\n</div>\n" * 9,
        "```python\nx = {'name': 1}\n```\n" * 9,
        '```json\n{"version": 1, "files": ["a.py"]}\n```\n' * 9,
        "a < b and [see](docs) " * 9,
        "squares = [f(x=1), f(x=2)]\n" * 9,
        "<b>one</b> and <user_id> [a(b)]\n" * 9,
    ],
)
def test_all_but_the_last_characters_of_an_answer_are_shown(text: str, size: int) -> None:
    shown, held = _stream(text, size)
    assert shown + held == text
    assert len(held) < 80


@given(st.text(alphabet='<[{`\nab|tool_call>"name:', max_size=200), st.integers(1, 30))
def test_nothing_is_lost(text: str, size: int) -> None:
    shown, held = _stream(text, size)
    assert shown + held == text


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    "text",
    [
        "<think>\nI could call <tool_call>{}</tool_call>, but no.\n</think>\n\nLIMIT is 3.",
        "<|channel|>analysis<|message|>It is 3.<|end|><|start|>assistant<|channel|>final<|message|>\n\nLIMIT is 3.",
        "<|START_THINKING|>I read.<|END_THINKING|>\n\nLIMIT is 3.<|END_OF_TURN_TOKEN|>",
    ],
)
def test_thoughts_and_tokens_are_not_shown(text: str, size: int) -> None:
    more = " And so on, until it is long enough to be shown at once." * 3
    shown, held = _stream(text + more, size)
    assert shown.startswith("\n\nLIMIT is 3. And so on")
    assert "<|" not in shown
    assert "think" not in shown.partition("And")[0]
    assert len(held) < 80


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_call_in_the_middle_of_a_line_is_held_back(size: int) -> None:
    call = 'to=functions.read_file json{"path": "a.py"}'
    assert _stream(f"I look.assistantcommentary {call}", size)[1] == call
