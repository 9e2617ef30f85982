"""A reply that is an edit in a notation of its own: read, or asked for, and never taken for the answer."""

from __future__ import annotations

import pytest

from holdfast.loop.classify import ReplyKind
from holdfast.loop.parse_reply import BadCall
from holdfast.loop.reply import ModelReply
from holdfast.vocab.tool_calls import ToolCall
from tests.loop.parse_reply.offered import SPECS, kind_of, parse

DIFF = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n"
PATCH = "*** Begin Patch\n*** Update File: x.py\n@@\n-a\n+b\n*** End Patch\n"
BLOCK = "x.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"


@pytest.mark.parametrize(
    ("text", "diff"), [(PATCH, PATCH), (BLOCK, BLOCK), (f"```diff\n{DIFF}```", DIFF)]
)
def test_an_edit_that_shows_its_end_is_run(text: str, diff: str) -> None:
    found = parse(ModelReply(text, finish="stop"), SPECS)
    call = ToolCall("call_1", "write_patch", {"diff": diff}, "printed as text")
    assert (found.calls, found.text) == ((call,), "")


@pytest.mark.parametrize(
    "text",
    [
        DIFF,
        f"diff --git a/x.py b/x.py\n{DIFF}",
        PATCH.removesuffix("*** End Patch\n"),
        BLOCK.removesuffix(">>>>>>> REPLACE\n"),
    ],
)
def test_an_edit_that_may_be_cut_is_asked_for(text: str) -> None:
    reply = ModelReply(text, finish="stop")
    assert kind_of(reply) is ReplyKind.TRUNCATED
    assert [type(call) for call in parse(reply, SPECS).calls] == [BadCall]


@pytest.mark.parametrize(
    "text", [f"The change is this:\n\n{DIFF}", "--- a rule\n\nSome words.", "<<<<<<< HEAD\na\n"]
)
def test_words_with_a_diff_and_other_marks_are_an_answer(text: str) -> None:
    assert kind_of(ModelReply(text, finish="stop")) is ReplyKind.FINAL


def test_without_the_tool_an_edit_is_text() -> None:
    found = parse(ModelReply(PATCH, finish="stop"), SPECS[:4])
    assert (found.calls, found.text) == ((), PATCH)
