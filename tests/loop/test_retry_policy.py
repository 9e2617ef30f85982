"""The note to the model about a reply that cannot be used."""

from __future__ import annotations

from holdfast.loop.classify import ReplyKind
from holdfast.loop.reply import ModelReply
from holdfast.loop.retry_policy import Drop, RetryState, judge


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
