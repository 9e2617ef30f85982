"""Diffs in fences and tags, with prose around them, where a caller unwraps them."""

from __future__ import annotations

import pytest

from holdfast import Refused, land_reply

DIFF = "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+b\n"
OTHER = DIFF.replace("x", "y")
FILES = {"x": "a\n", "y": "a\n"}
ONE, BOTH = {"x": "b\n"}, {"x": "b\n", "y": "b\n"}


@pytest.mark.parametrize(
    ("reply", "after"),
    [
        (f"```diff\n{DIFF}```\n", ONE),
        (f"Text.\n```diff\n{DIFF}```\nMore.\n", ONE),
        (f"```sh\nls\n```\n```diff\n{DIFF}```\n", ONE),
        (f"```sh\nls\n```\n{DIFF}", ONE),
        (f"~~~\n{DIFF}~~~\n", ONE),
        (f"````diff\n{DIFF}````\n", ONE),
        (f"```diff\n{DIFF}````\n", ONE),
        (f"<patch>\n{DIFF}</patch>\n", ONE),
        (f"<a>\n<patch>\n{DIFF}</patch>\n", ONE),
        (f"Text <b>\n{DIFF}", ONE),
        (f"```diff\n{DIFF}```\n```diff\n{OTHER}```\n", BOTH),
        (f"```diff\n{DIFF}```\n\nThen:\n\n```diff\n{OTHER}```\n\nThat is all.\n", BOTH),
    ],
)
def test_a_diff_is_read_out_of_its_fence_or_tag(reply: str, after: dict[str, str]) -> None:
    outcome = land_reply(reply, FILES, unwrap=True)
    assert not isinstance(outcome, Refused), outcome
    assert outcome.files == after
    assert isinstance(land_reply(reply, FILES), Refused)


@pytest.mark.parametrize(
    ("reply", "line"),
    [(f"```diff\n{DIFF}", 1), (f"````diff\n{DIFF}```\n", 1), (f"Text.\n~~~\n{DIFF}```\n", 2)],
)
def test_a_fence_that_is_not_closed_by_one_as_long_is_named(reply: str, line: int) -> None:
    outcome = land_reply(reply, FILES, unwrap=True)
    assert isinstance(outcome, Refused)
    assert outcome.message.startswith(
        f"line {line}: a Markdown fence is outside the hunks; send the bare diff, without a fence:"
    )


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("```diff\n--- a/x\n+++ b/x\n```\n", "line 2: this file has no hunk with a + or - line;"),
        ("--- a/x\n+++ b/x\n", "line 1: this file has no hunk with a + or - line;"),
        (f"{DIFF}</patch>\n", "line 6: the markup </patch> is outside the hunks;"),
        (f"<patch>\n{DIFF}", "line 1: the markup <patch> is outside the hunks;"),
    ],
)
def test_a_fault_is_at_the_line_of_the_reply(reply: str, message: str) -> None:
    outcome = land_reply(reply, FILES, unwrap=True)
    assert isinstance(outcome, Refused)
    assert outcome.message.startswith(message)
