"""The table of malformed replies: a call is recovered, or asked for again in one sentence; a guess is never run."""

from __future__ import annotations

import json

import pytest

from holdfast.loop.parse_reply import BadCall
from holdfast.vocab.tool_calls import ToolCall
from tests.loop.malformed import REFUSED, ROWS, Row
from tests.loop.parse_reply.offered import SPECS, parse


def outcome_of(call: ToolCall | BadCall) -> object:
    return call.failure if isinstance(call, BadCall) else (call.name, dict(call.arguments))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_malformed_reply_becomes_the_call_that_was_meant_or_a_refusal(row: Row) -> None:
    found = parse(row.reply, SPECS, prints=row.prints)

    assert tuple(outcome_of(call) for call in found.calls) == row.expected
    assert found.text == (row.reply.text if row.text is None else row.text)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_whatever_comes_out_can_go_back_into_the_history(row: Row) -> None:
    for call in parse(row.reply, SPECS, prints=row.prints).calls:
        kept = call.as_call() if isinstance(call, BadCall) else call
        assert isinstance(
            json.loads(json.dumps(kept.arguments, allow_nan=False, ensure_ascii=False).encode()),
            dict,
        )
        assert kept.id
        assert kept.name.replace("_", "").replace("-", "").isalnum()


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.name)
def test_a_refusal_is_one_short_sentence(row: Row) -> None:
    for call in parse(row.reply, SPECS, prints=row.prints).calls:
        assert isinstance(call, BadCall)
        assert "\n" not in call.message
        assert len(call.message) < 400
        assert call.message.endswith(".")


def test_the_table_has_the_size_that_is_promised() -> None:
    names = [row.name for row in ROWS]
    assert len(set(names)) == len(names) >= 80
    assert len(REFUSED) * 3 >= len(ROWS)
    assert not any(isinstance(one, tuple) for row in REFUSED for one in row.expected)
