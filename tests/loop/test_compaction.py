from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from holdfast.loop.context.compaction import Pass, Task, run_pass, tail_of
from holdfast.loop.context.history import compacted
from holdfast.loop.context.ledger import EMPTY, Ledger
from holdfast.loop.context.token_count import Gauge, weigh
from holdfast.loop.ports import ModelRequest
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.transcript import AssistantSaid, Message, SystemText, ToolAnswered, UserText
from tests.loop.playing import assert_valid

GAUGE = Gauge(window=4_000, output=500, overhead=0)
RULES = SystemText("rules")
PROMPT = "Mend the off-by-one."
LEDGER = Ledger(frozenset({"b.py", "a.py"}), frozenset({"b.py"}))
TASK = Task((PROMPT,), LEDGER)
SECTIONS = "## Files Read\n- a.py\n- b.py\n\n## Files Modified\n- b.py"


def group(number: int, said: int = 10, answered: int = 10) -> tuple[Message, ...]:
    call = ToolCall(str(number), "read_file", {"path": f"{number}.py"})
    return AssistantSaid("s" * said, (call,)), ToolAnswered(
        str(number), "read_file", "a" * answered
    )


def conversation(count: int, said: int = 10, answered: int = 10) -> tuple[Message, ...]:
    groups = [message for number in range(count) for message in group(number, said, answered)]
    return (RULES, UserText(PROMPT), *groups)


def passing(
    messages: tuple[Message, ...], task: Task, writer: Callable[[ModelRequest], str]
) -> Pass:
    passed = run_pass(messages, task, GAUGE, writer)
    assert passed is not None
    return passed


class Writer:
    """A model that writes the summary it was given."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.asks: list[ModelRequest] = []

    def __call__(self, ask: ModelRequest) -> str:
        self.asks.append(ask)
        return self.text


def test_old_tool_output_goes_first_and_no_model_is_asked() -> None:
    messages = conversation(10, answered=1_200)
    writer = Writer("## Goal\nnever asked")
    passed = passing(messages, TASK, writer)
    assert writer.asks == []
    assert passed.useful
    assert passed.done.summary == ""
    assert [type(message) for message in passed.messages] == [type(message) for message in messages]
    assert passed.messages[-passed.done.tail :] == messages[-passed.done.tail :]
    assert_valid(passed.messages)


def test_where_the_output_is_not_what_is_long_the_head_is_summarised() -> None:
    messages = conversation(10, said=1_200)
    writer = Writer("## Goal\nMend it.\n## Files Read\n- lies.py\n## Next Steps\nLook at a.py.")
    passed = passing(messages, TASK, writer)
    assert passed.useful
    summary = passed.messages[1]
    assert isinstance(summary, UserText)
    assert summary.text == passed.done.summary
    assert PROMPT in summary.text
    assert "## Goal\nMend it.\n## Next Steps\nLook at a.py." in summary.text
    assert SECTIONS in summary.text
    assert "lies" not in summary.text
    assert passed.messages[2:] == messages[-passed.done.tail :]
    assert passed.done.messages == len(messages) - 1 - passed.done.tail
    assert_valid(passed.messages)


def test_the_question_for_a_summary_has_the_template_and_the_ledger_and_no_tools() -> None:
    writer = Writer("## Goal\nx")
    passing(conversation(10, said=1_200), TASK, writer)
    (ask,) = writer.asks
    prompt = ask.messages[-1].text
    assert ask.tools == ()
    assert SECTIONS in prompt
    for heading in (
        "## Goal",
        "## Constraints",
        "## Progress",
        "### Done",
        "### In Progress",
        "### Blocked",
        "## Key Decisions",
        "## Errors & Fixes",
        "## Next Steps",
        "## Relevant Files",
    ):
        assert f"\n{heading}" in prompt
    assert sum(map(weigh, ask.messages)) < GAUGE.budget


def test_a_summary_that_is_empty_is_made_without_a_model() -> None:
    passed = passing(conversation(10, said=1_200), TASK, Writer("  \n"))
    assert passed.useful
    assert "### Done\n- read_file 0.py: aaaaaaaaaa" in passed.done.summary
    assert SECTIONS in passed.done.summary
    assert PROMPT in passed.done.summary


def test_a_summary_that_says_next_to_nothing_is_given_the_facts() -> None:
    passed = passing(conversation(10, said=1_200), TASK, Writer("Done."))
    assert (
        "# Summary\nDone.\n\n## Progress\n### Done\n- read_file 0.py: aaaaaaaaaa"
        in passed.done.summary
    )


def test_what_an_earlier_summary_says_survives_a_summary_without_a_model() -> None:
    first = passing(
        conversation(10, said=1_200), TASK, Writer("## Key Decisions\nKeep the old name.")
    )
    more = [message for number in range(20, 30) for message in group(number, said=1_200)]
    second = passing((*first.messages, *more), TASK, Writer(""))
    assert "## Key Decisions\nKeep the old name." in second.done.summary
    assert second.done.summary.count(PROMPT) == 1
    assert second.done.summary.count("## Files Read") == 1


def test_a_long_prompt_keeps_its_beginning_and_its_end() -> None:
    prompt = "Mend this: " + "x" * 20_000 + " and that."
    messages = (RULES, UserText(prompt), *conversation(10, said=800)[2:])
    passed = passing(messages, Task((prompt,), EMPTY), Writer("## Goal\nx"))
    assert "Mend this: " in passed.done.summary
    assert " and that." in passed.done.summary
    assert passed.useful


def test_nothing_to_give_back_is_a_useless_pass() -> None:
    passed = passing(
        (RULES, UserText(PROMPT), *group(1, answered=9_000)), TASK, Writer("## Goal\nx")
    )
    assert not passed.useful


MESSAGES = st.lists(
    st.one_of(
        st.builds(lambda size: ("said", size), st.integers(0, 3_000)),
        st.builds(lambda size: ("user", size), st.integers(0, 3_000)),
        st.builds(lambda size: ("call", size), st.integers(0, 3_000)),
    ),
    max_size=12,
)


def build(parts: list[tuple[str, int]]) -> tuple[Message, ...]:
    """A valid history: a turn of the model after each message of the user, calls answered."""
    messages: list[Message] = [RULES, UserText(PROMPT)]
    for number, (kind, size) in enumerate(parts):
        if kind == "call" and not (isinstance(messages[-1], AssistantSaid)):
            messages += group(number, 10, size)
        elif kind == "said" and not isinstance(messages[-1], AssistantSaid):
            messages.append(AssistantSaid("s" * size))
        elif kind == "user" and isinstance(messages[-1], AssistantSaid):
            messages.append(UserText("u" * size))
    if isinstance(messages[-1], AssistantSaid):
        messages.append(UserText("Go on."))
    return tuple(messages)


@given(MESSAGES, st.integers(0, 3_000))
def test_a_tail_begins_with_a_reply_and_never_parts_a_call_from_its_answer(
    parts: list[tuple[str, int]], weight: int
) -> None:
    messages = build(parts)
    tail = tail_of(messages, weight)
    assert_valid([UserText("summary"), *messages[len(messages) - tail :]])


@given(MESSAGES, st.sampled_from(["", "## Goal\nx", "y" * 40_000]))
def test_whatever_is_compacted_stays_valid_and_can_be_done_again(
    parts: list[tuple[str, int]], text: str
) -> None:
    messages = build(parts)
    passed = passing(messages, TASK, Writer(text))
    assert_valid(passed.messages)
    assert passed.messages == tuple(compacted(messages, passed.done))
    assert passed.done.read == ("a.py", "b.py")
