"""Headers of diffs and patches that lack a part, each with a twin in which nothing is missing."""

from __future__ import annotations

import pytest

from holdfast import Landed, Patch, Refused, land, parse
from holdfast.vocab.outcomes import Outcome

FILE = "one\ntwo\nthree\n"
BODY = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"


def land_reply_on(text: str, reply: str) -> Outcome:
    read = parse(reply, unwrap=True)
    if isinstance(read, Refused):
        return read
    (wanted,) = read
    assert wanted.path == "a.txt"
    assert wanted.request is not None
    return land(text, wanted.request, wanted.path)


@pytest.mark.parametrize(
    "reply",
    [
        f"--- a/a.txt\n+++ b/a.txt\n{BODY}*** End Patch\n",
        f"```diff\n--- a/a.txt\n+++ b/a.txt\n{BODY}*** End Patch\n```\n",
    ],
)
def test_a_header_that_lacks_a_part_is_read(reply: str) -> None:
    outcome = land_reply_on(FILE, reply)
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "one\n2\nthree\n"


def test_a_new_name_without_an_old_one_is_refused() -> None:
    assert isinstance(parse(f"+++ b/a.txt\n{BODY}", unwrap=True), Refused)


def test_an_added_line_above_a_second_hunk_is_no_header() -> None:
    text = "one\ntwo\nthree\nfour\nfive\nsix\n"
    diff = "@@ -1,2 +1,3 @@\n one\n two\n+++ i\n@@ -5,2 +6,2 @@\n five\n-six\n+6\n"
    outcome = land(text, Patch(diff))
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "one\ntwo\n++ i\nthree\nfour\nfive\n6\n"


def test_marks_without_a_blank_are_content_of_a_block() -> None:
    text = "***Begin Patch\none\n"
    reply = f"a.txt\n<<<<<<< SEARCH\n{text}=======\n***Begin Patch\ntwo\n>>>>>>> REPLACE\n"
    outcome = land_reply_on(text, reply)
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "***Begin Patch\ntwo\n"
