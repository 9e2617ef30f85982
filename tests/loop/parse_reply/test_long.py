"""However long a reply is, and however it was made to be slow, nothing in it becomes a call that changes something.

That the time grows with the length and not with its square is measured by `make bench-growth`.
"""

from __future__ import annotations

import pytest

from bench.growth.measure import reply_of
from bench.growth.texts import REPLIES, LongText
from holdfast.vocab.tool_calls import ToolCall
from tests.loop.parse_reply.offered import SPECS, parse

CHANGING = {spec.name for spec in SPECS if spec.changes}


@pytest.mark.parametrize("text", REPLIES, ids=lambda text: text.name)
def test_a_long_reply_that_is_no_call_changes_nothing(text: LongText) -> None:
    found = parse(reply_of(text, 50_000), SPECS)
    assert [
        call for call in found.calls if isinstance(call, ToolCall) and call.name in CHANGING
    ] == []
