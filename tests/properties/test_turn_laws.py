"""Laws of a turn: whatever a model says and whatever its tools do, it ends, and what it sends is valid."""

from __future__ import annotations

import json
from itertools import cycle, pairwise
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.guards.step_cap import StepCaps
from holdfast.loop.context.history import rebuild
from holdfast.loop.limits import LoopLimits
from holdfast.loop.ports import ModelRequest
from holdfast.vocab.events import CallEnded, Compacted, Said
from holdfast.vocab.tool_calls import FAILURE_KINDS, ToolCall
from holdfast.vocab.tool_outcome import ToolOutcome
from holdfast.vocab.transcript import AssistantSaid, Message, UserText
from tests.loop.playing import (
    DONE,
    EMPTY,
    PROMPT,
    SYSTEM,
    Pieces,
    Played,
    ScriptedTools,
    Switch,
    assert_valid,
    calls,
    fails,
    play,
    says,
    thinks,
    using,
)

INTERVENTIONS = {"mistake_recovery", "doom_loop", "cap_hit"}

NAMES = st.sampled_from(
    ["read_file", "search", "write_file", "run_command", "no_such_tool", "", "Read_File"]
)
ARGUMENTS: st.SearchStrategy[dict[str, Any] | str] = st.one_of(
    st.sampled_from(
        [
            {"path": "a.py"},
            {"path": "b.py", "text": "x"},
            {"pattern": "x"},
            {"command": "pytest"},
            "{",
            '{"path": "a.py", "te',
            "[]",
            "{}{}",
            '{"path": "a"}{"path": "b"}',
            "",
            '"x"',
        ]
    ),
    st.text(max_size=20),
)
CALLS = st.lists(st.tuples(NAMES, ARGUMENTS), min_size=1, max_size=3)
WORDS = st.sampled_from(
    [
        "Done.",
        "Now let me write the file.",
        "<think>hm</think>",
        '<tool_call>{"name": "read_file", "arguments": {"path": "a.py"}}</tool_call>',
        "<function=write_file><parameter=path>a.py",
        "I will end the turn. " * 60,
        "x" * 3_000,
        "\ud800 half a pair",
    ]
)
REPLIES = st.one_of(
    st.builds(
        lambda made, text, finish: calls(*made, text=text, finish=finish),
        CALLS,
        WORDS,
        st.sampled_from(["tool_calls", "stop", "length", "unknown"]),
    ),
    st.builds(lambda made: calls(*made), CALLS),
    st.builds(says, WORDS),
    st.builds(thinks, WORDS),
    st.just(EMPTY),
    st.just(DONE),
    st.just(()),
    st.builds(
        fails,
        st.sampled_from(
            ["overflow", "cut", "bad", "server", "refused", "unreachable", "cancelled"]
        ),
    ),
    st.builds(
        lambda text, kind: (*says(text)[:1], *fails(kind)), WORDS, st.sampled_from(["cut", "bad"])
    ),
    st.builds(using, st.integers(0, 20_000), st.builds(says, WORDS)),
)
OUTCOMES = st.builds(
    ToolOutcome,
    st.sampled_from(["ok", "", "exit 1", "y = 2\n" * 400]) | st.text(max_size=10),
    st.sampled_from((None, None, None, *FAILURE_KINDS)),
    read=st.sampled_from([(), ("a.py",), ("b.py", "c.py")]),
    modified=st.sampled_from([(), ("a.py",)]),
    unanswered=st.sampled_from((False,) * 9 + (True,)),
)


def played(
    replies: list[Pieces],
    outcomes: list[ToolOutcome],
    context: int,
    cancel_after: int | None = None,
) -> Played:
    """A turn in which replies and outcomes come round and round, up to 25 steps."""
    said, done = cycle(replies), cycle(outcomes)
    switch, left = Switch(), [cancel_after]

    def reply(ask: ModelRequest) -> Pieces:
        return next(said)

    def outcome(call: ToolCall) -> ToolOutcome:
        return next(done)

    def count(event: object) -> None:
        if left[0] is not None:
            left[0] -= 1
            switch.on = switch.on or left[0] < 0

    return play(
        [reply],
        ScriptedTools(outcome),
        context=context,
        limits=LoopLimits(StepCaps(soft=15, hard=25)),
        cancel=switch,
        then=count,
    )


SCRIPTS = (
    st.lists(REPLIES, min_size=1, max_size=8),
    st.lists(OUTCOMES, min_size=1, max_size=5),
    st.sampled_from([700, 2_000, 8_000, 200_000]),
)


@given(*SCRIPTS)
def test_every_turn_ends_and_every_payload_is_valid(
    replies: list[Pieces], outcomes: list[ToolOutcome], context: int
) -> None:
    turn = played(replies, outcomes, context)
    assert turn.ended.steps <= 25
    assert turn.kinds.count("turn_ended") == 1
    for ask in turn.model.asks:
        assert_valid(ask.messages)
        json.dumps([message.text for message in ask.messages], ensure_ascii=False).encode()


@given(*SCRIPTS)
def test_there_is_at_most_one_intervention_in_a_step(
    replies: list[Pieces], outcomes: list[ToolOutcome], context: int
) -> None:
    in_step = 0
    for event in played(replies, outcomes, context).events:
        if event.kind == "step_started":
            in_step = 0
        elif event.kind == "sentinel" and event.sentinel.kind in INTERVENTIONS:
            in_step += 1
            assert in_step == 1


@given(*SCRIPTS)
def test_each_payload_begins_with_what_stays_of_the_one_before(
    replies: list[Pieces], outcomes: list[ToolOutcome], context: int
) -> None:
    turn = played(replies, outcomes, context)
    if turn.of(Compacted):
        return
    for one, two in pairwise(ask for ask in turn.model.asks if ask.tools):
        assert all(
            before is after for before, after in zip(one.messages[:-1], two.messages, strict=False)
        )
        assert without_nudge(two.messages[len(one.messages) - 1]) == without_nudge(one.messages[-1])


def without_nudge(message: Message) -> str:
    return message.text.partition("[Note from Holdfast")[0].rstrip("\n")


@given(*SCRIPTS, st.none() | st.integers(0, 60))
@example(
    [calls(("read_file", "00"), text="Now let me write the file."), EMPTY],
    [ToolOutcome("ok")],
    700,
    35,
)
def test_what_is_stored_gives_back_a_valid_history_that_begins_with_what_was_sent(
    replies: list[Pieces], outcomes: list[ToolOutcome], context: int, cancel_after: int | None
) -> None:
    turn = played(replies, outcomes, context, cancel_after)
    again = rebuild([UserText(PROMPT), *turn.events], SYSTEM)
    continued = rebuild([UserText(PROMPT), *turn.events, UserText("Go on.")], SYSTEM)
    assert_valid(continued.messages)
    said = sum(len(event.calls) for event in turn.of(Said))
    assert len(turn.of(CallEnded)) == said
    asks = [ask for ask in turn.model.asks if ask.tools]
    last_step = len(turn.kinds) - turn.kinds[::-1].index("step_started") if asks else 0
    in_last_step = turn.kinds[last_step:]
    # A turn that is cancelled as its last step begins sends nothing in that step, and may have compacted before it.
    is_last_step_sent = in_last_step != ["turn_ended"]
    if asks and is_last_step_sent and "compacted" not in in_last_step:
        sent = asks[-1].messages
        assert again.messages[: len(sent) - 1] == sent[:-1]
        assert without_nudge(again.messages[len(sent) - 1]) == without_nudge(sent[-1])
    for message in again.messages:
        if isinstance(message, AssistantSaid):
            assert "[Note from Holdfast" not in message.text
