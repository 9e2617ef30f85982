from __future__ import annotations

from holdfast.loop.context.payload import Payload, merge_nudge
from holdfast.loop.context.token_count import weigh
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.transcript import AssistantSaid, Message, SystemText, ToolAnswered, UserText

SAID = AssistantSaid("", (ToolCall("1", "read_file", {"path": "a.py"}),))
START: tuple[Message, ...] = (SystemText("rules"), UserText("task"))


def test_messages_are_added_at_the_end_and_stay_the_same_objects() -> None:
    payload = Payload(START)
    before = payload.messages
    payload.add(SAID)
    payload.add(ToolAnswered("1", "read_file", "x = 1"))
    assert all(one is two for one, two in zip(before, payload.messages, strict=False))
    assert payload.weight == sum(map(weigh, payload.messages))


def test_a_nudge_stands_at_the_end_of_the_last_answer_of_a_tool() -> None:
    messages = (*START, SAID, ToolAnswered("1", "read_file", "x = 1"))
    assert merge_nudge(messages, "Stop that.") == (
        *START,
        SAID,
        ToolAnswered("1", "read_file", "x = 1\n\nStop that."),
    )


def test_a_nudge_stands_at_the_end_of_what_the_user_said() -> None:
    assert merge_nudge(START, "Stop that.") == (START[0], UserText("task\n\nStop that."))


def test_a_nudge_never_stands_in_what_the_model_said() -> None:
    messages = (*START, AssistantSaid("done"))
    assert merge_nudge(messages, "Go on.") == (
        START[0],
        UserText("task\n\nGo on."),
        AssistantSaid("done"),
    )


def test_without_a_nudge_the_payload_is_the_very_same() -> None:
    assert merge_nudge(START, None) is START


def test_a_nudge_stands_in_the_first_message_where_that_is_the_only_one_of_the_user() -> None:
    messages = (UserText("task"), AssistantSaid("done"))
    assert merge_nudge(messages, "Go on.") == (UserText("task\n\nGo on."), AssistantSaid("done"))


def test_a_nudge_without_a_message_to_stand_in_is_one_of_its_own() -> None:
    assert merge_nudge((SystemText("rules"),), "Go on.") == (
        SystemText("rules"),
        UserText("Go on."),
    )
