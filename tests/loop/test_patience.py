"""What the model is told about a reply that is no use."""

from __future__ import annotations

from holdfast.loop.classify import Class
from holdfast.loop.reply import ModelReply
from holdfast.loop.retry_policy import Drop, RetryPolicy, judge


def test_an_announcement_that_ends_in_a_fence_is_told_by_its_words_and_not_by_the_fence() -> None:
    reply = ModelReply('I will read it:\n```json\n{"name": "read_file"}\n```\n', finish="stop")

    verdict, _ = judge(Class.NARRATED_INTENT, reply, RetryPolicy(), calls=False)

    assert isinstance(verdict, Drop)
    assert verdict.nudge is not None
    assert verdict.nudge.startswith(
        'You wrote "{"name": "read_file"}" and stopped without a tool call'
    )
