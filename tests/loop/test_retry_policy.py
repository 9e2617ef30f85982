"""The note to the model about a reply that cannot be used."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.guards.repetition import Repetition
from holdfast.loop.classify import ReplyKind
from holdfast.loop.ports import FailPiece
from holdfast.loop.reply import ModelReply
from holdfast.loop.retry_policy import Again, Drop, RetryState, Use, judge


def test_an_announcement_that_ends_in_a_fence_is_recognised_by_its_words_and_not_by_the_fence() -> (
    None
):
    reply = ModelReply('I will read it:\n```json\n{"name": "read_file"}\n```\n', finish="stop")

    verdict, _ = judge(ReplyKind.NARRATED_INTENT, reply, RetryState(), calls=False)

    assert isinstance(verdict, Drop)
    assert verdict.nudge is not None
    assert verdict.nudge.startswith(
        'You wrote "{"name": "read_file"}" and stopped without a tool call'
    )


@pytest.mark.parametrize("kind", [ReplyKind.NARRATED_INTENT, ReplyKind.TRUNCATED])
def test_an_empty_reply_after_a_reply_of_another_kind_is_again_the_first_one(
    kind: ReplyKind,
) -> None:
    _, state = judge(ReplyKind.EMPTY, ModelReply(), RetryState(), calls=False)
    _, state = judge(kind, ModelReply("Let me look."), state, calls=False)
    verdict, state = judge(ReplyKind.EMPTY, ModelReply(), state, calls=False)
    assert verdict == Again("the reply was empty")
    verdict, state = judge(ReplyKind.EMPTY, ModelReply(), state, calls=False)
    assert isinstance(verdict, Drop)
    assert (verdict.counted, verdict.nudge is None) == (False, False)
    verdict, _ = judge(ReplyKind.EMPTY, ModelReply(), state, calls=False)
    assert verdict == Drop("the reply was empty", counted=True)


def test_the_third_reply_in_a_row_that_is_cut_counts_as_a_mistake() -> None:
    state = RetryState()
    counted = []
    for _ in range(3):
        verdict, state = judge(ReplyKind.TRUNCATED, ModelReply("x"), state, calls=False)
        assert isinstance(verdict, Drop)
        counted.append(verdict.counted)
    assert counted == [False, False, True]


def test_the_third_announcement_in_a_row_is_the_answer_and_a_call_begins_anew() -> None:
    reply = ModelReply("Let me look.")
    state = RetryState()
    verdicts = []
    for _ in range(3):
        verdict, state = judge(ReplyKind.NARRATED_INTENT, reply, state, calls=False)
        verdicts.append(type(verdict))
    assert verdicts == [Drop, Drop, Use]
    assert judge(ReplyKind.TRUNCATED, reply, state, calls=True) == (Use(), RetryState())
    used, same = judge(ReplyKind.NARRATED_INTENT, reply, state, calls=False)
    assert (used, same) == (Use(), state)


def test_a_failure_is_tried_once_more_and_then_counts() -> None:
    reply = ModelReply(failure=FailPiece("bad", "it broke."))
    verdict, state = judge(ReplyKind.EMPTY, reply, RetryState(), calls=False)
    assert verdict == Again("it broke.")
    assert judge(ReplyKind.EMPTY, reply, state, calls=False) == (
        Drop("it broke.", counted=True),
        state,
    )


@pytest.mark.parametrize("channel", ["text", "arguments"])
def test_a_chant_is_tried_otherwise_once_and_then_counts(channel: Any) -> None:
    reply = ModelReply(repetition=Repetition(channel, "x"))
    verdict, state = judge(ReplyKind.FINAL, reply, RetryState(), calls=False)
    assert verdict == Again("the model repeated itself endlessly", changed=True)
    verdict, _ = judge(ReplyKind.FINAL, reply, state, calls=False)
    assert isinstance(verdict, Drop)
    assert verdict.counted
    # What a model repeats in arguments it means to write.
    assert (verdict.nudge is not None) == (channel == "arguments")
