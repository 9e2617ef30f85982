"""Faults that a reviewer found in the engine, each with the smallest text that showed it."""

from __future__ import annotations

import pytest

from holdfast import (
    Landed,
    LineEdit,
    LineEdits,
    Patch,
    Refused,
    Replace,
    WriteFile,
    land,
    land_reply,
)
from holdfast.vocab.requests import Request

MARK = "\ufeff"


def text_of(outcome: Landed | Refused) -> str:
    assert isinstance(outcome, Landed), outcome
    return outcome.text


def reason_of(outcome: Landed | Refused) -> str:
    assert isinstance(outcome, Refused), outcome
    return outcome.reason


def first_difference(outcome: Landed | Refused) -> tuple[str, str]:
    """Return the reason, and the sentence about the first line that differs."""
    assert isinstance(outcome, Refused), outcome
    return outcome.reason, outcome.message.partition("not in the file. ")[2].partition(". Copy")[0]


@pytest.mark.slow  # more than a second
def test_every_means_every_one_of_many() -> None:
    assert text_of(land("a b\n" * 20_000, Replace("a b", "c d", every=True))) == "c d\n" * 20_000


def test_a_number_picks_one_of_very_many() -> None:
    outcome = land("a b\n" * 20_000, Replace("a b", "c d", near_line=15_000))
    assert text_of(outcome).split("\n")[14_999] == "c d"


def test_a_file_of_blank_lines_is_not_an_empty_file() -> None:
    assert reason_of(land("\n" * 6, Patch("@@ -2,1 +2,2 @@\n \n+z\n"))) == "malformed"


@pytest.mark.parametrize(
    ("request_", "after"),
    [
        (
            Patch("@@ -1,2 +1,2 @@\n-import os\n+import re\n import sys\n"),
            "import re\nimport sys\n",
        ),
        (
            Patch("@@ -1,2 +1,3 @@\n+import re\n import os\n import sys\n"),
            "import re\nimport os\nimport sys\n",
        ),
        (LineEdits((LineEdit(1, 1, "import re\n", old="import os"),)), "import re\nimport sys\n"),
        (
            LineEdits((LineEdit(1, 1, "import re"),), shown=f"{MARK}import os\nimport sys\n"),
            "import re\nimport sys\n",
        ),
        (Replace("import os \nimport sys ", "import re \nimport sys "), "import re\nimport sys\n"),
        (Replace(f"{MARK}import os\n", f"{MARK}import re\n"), "import re\nimport sys\n"),
        (Replace("import os", "import re"), "import re\nimport sys\n"),
        (WriteFile("x\n"), "x\n"),
        (WriteFile(f"{MARK}x\n"), "x\n"),
    ],
)
def test_the_byte_order_mark_stays_in_front(request_: Request, after: str) -> None:
    text = f"{MARK}import os\nimport sys\n"
    outcome = land(text, request_)
    assert text_of(outcome) == MARK + after
    assert isinstance(outcome, Landed)
    assert outcome.text[: outcome.spans[0].start] == text[: outcome.spans[0].start]


@pytest.mark.parametrize(
    "new",
    [
        "```py\na()\nc()\n```\n\nDone.",
        "Sure:\n```py\na()\nc()\n```",
        "<tool_call>\na()\nc()\n</tool_call>\nDone.",
    ],
)
def test_a_wrapper_that_cannot_be_taken_off_the_new_text_does_not_reach_the_file(new: str) -> None:
    first, last = ("<tool_call>", "</tool_call>") if "tool_call" in new else ("```py", "```")
    outcome = land("a()\nb()\n", Replace(f"{first}\na()\nb()\n{last}", new))
    assert reason_of(outcome) == "malformed"


def test_markup_is_no_wrapper() -> None:
    page = '<div id="one">\n  <b>x</b>\n</div>\n<div id="two">\n  <p>Ho</p>\n  <b>y</b>\n</div>\n'
    old = '<div id="three">\n  <p>Ho</p>\n  <b>y</b>\n</div>'
    assert first_difference(land(page, Replace(old, old.replace("Ho", "Hi")), "a.html")) == (
        "not_found",
        'Line 4 differs first: the request has `<div id="three">`, the file `<div id="two">`',
    )
    section = "<section>\n<p>Ho</p>\n</section>"
    assert first_difference(land("<p>Ho</p>\n", Replace(section, section.replace("Ho", "Hi")))) == (
        "not_found",
        "Line 1 differs first: the request has `<section>`, the file `<p>Ho</p>`",
    )


def test_to_change_a_fence_of_a_page_is_an_edit() -> None:
    outcome = land("```sh\nmake\n```\n", Replace("```bash\nmake\n```", "```python\nmake\n```"))
    assert reason_of(outcome) == "not_found"


def test_a_range_that_inserts_and_names_old_text_is_a_contradiction() -> None:
    edit = LineEdit(5, 4, "# c", old="[client]")
    assert reason_of(land("[s]\nh\n\n[client]\nx\n", LineEdits((edit,)))) == "conflict"


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("def f():\n    a = 1\n    return 0\n\n\ndef g():\n    b = 2\n    return x\n", "def f():\n    # ... existing code ...\n    return x\n"),
        (".a {\n  margin: 0;\n}\n.b {\n  color: red;\n}\n", ".a {\n  /* ... */\n  color: red;\n"),
    ],
)  # fmt: skip
def test_a_gap_does_not_leave_what_it_is_in(text: str, old: str) -> None:
    new = old.replace("return x", "return y").replace("red", "blue")
    gap, inside = (text_.split("\n")[1].strip() for text_ in (old, text))
    assert first_difference(land(text, Replace(old, new))) == (
        "not_found",
        f"Line 2 differs first: the request has `{gap}`, the file `{inside}`",
    )


def test_context_that_belongs_to_the_neighbour_rules_a_place_out() -> None:
    text = ".a {\n  color: red;\n  margin: 1px;\n}\n.b {\n  color: red;\n  margin: 0;\n}\n"
    # With the whole head of the neighbour the new text is what the first rule has; but the removed line is there too.
    for tail, reason in (("\n.b", "not_found"), ("\n.b {", "not_found")):
        old = f"  color: red;\n  margin: 0;\n}}{tail}"
        assert (
            reason_of(land(text, Replace(old, old.replace("margin: 0", "margin: 1px")), "a.css"))
            == reason
        )


@pytest.mark.parametrize(
    ("there", "asked"),
    [
        ("prod = Config(", "stage = Config("),
        ("const prod = {", "const stage = {"),
        ("it('accepts an empty name', () => {", "it('rejects an empty name', () => {"),
        ("router.get('/teams', (req, res) => {", "router.post('/teams', (req, res) => {"),
        ("## Install", "## Remove"),
        ("    case 'b':", "    case 'c':"),
    ],
)
def test_a_line_that_names_another_thing_is_another_place(there: str, asked: str) -> None:
    body = "\n    host = 'b'\n    port = 2\n    done = 3\n"
    outcome = land(
        there + body, Replace(asked + body, (asked + body).replace("port = 2", "port = 4"))
    )
    assert first_difference(outcome) == (
        "not_found",
        f"Line 1 differs first: the request has `{asked.strip()}`, the file `{there.strip()}`",
    )


@pytest.mark.parametrize(
    ("text", "old"),
    [
        (".a {\n  background-color: red;\n}\n", "color: red;"),
        ("max-timeout: 10\n", "timeout: 10"),
        ('<a data-id="3">\n', 'id="3"'),
    ],
)
def test_a_name_with_hyphens_is_not_cut(text: str, old: str) -> None:
    assert (
        reason_of(
            land(text, Replace(old, old.replace("red", "blue").replace("1", "2").replace("3", "4")))
        )
        == "not_found"
    )


def test_a_minus_between_names_is_no_hyphen() -> None:
    assert text_of(land("n = a - count\n", Replace("count", "total"))) == "n = a - total\n"
    assert text_of(land("n = x-count\n", Replace("count", "total"))) == "n = x-total\n"


def test_a_number_and_a_section_that_disagree_pick_nothing() -> None:
    text = "def a():\n    one()\n    two()\n    three()\n\ndef b():\n    one()\n    two()\n    four()\n"
    wrong = Patch("@@ -7,3 +7,3 @@ def a():\n     one()\n-    two()\n+    TWO()\n")
    assert reason_of(land(text, wrong)) == "ambiguous"


TWINS = "[server]\nhost = localhost\nport = 80\n\n[client]\nhost = localhost\nport = 80\n"


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (Replace("host = localhost\n", "", near_line=6), "ambiguous"),
        (LineEdits((LineEdit(6, 6, "", old="host = localhost"),)), "ambiguous"),
        (Replace("port = 80", "port = 81", near_line=7), "already_applied"),
        (Patch("@@ -6,2 +6,1 @@\n host = localhost\n-port = 80\n"), "ambiguous"),
    ],
)
def test_what_a_number_picked_is_not_done_to_the_twin_as_well(
    request_: Request, reason: str
) -> None:
    once = text_of(land(TWINS, request_))
    assert reason_of(land(once, request_)) == reason


def test_a_deletion_does_not_take_the_twin_with_another_indentation() -> None:
    text = "def a():\n    log_event(user)\n    x()\n\nclass B:\n    def b():\n        log_event(user)\n        y()\n"
    request = Replace("        log_event(user)\n", "")
    once = text_of(land(text, request))
    assert first_difference(land(once, request)) == (
        "not_found",
        "Line 2 differs first: 4 spaces, where the request has 8 spaces",
    )


@pytest.mark.parametrize(
    "edit", [LineEdit(1, 0, "import re\n"), LineEdit(4, 3, "end()\n"), LineEdit(2, 1, "x = 1\n")]
)
def test_an_insertion_by_number_is_not_done_twice(edit: LineEdit) -> None:
    shown = "import os\nimport sys\nprint(1)\n"
    request = LineEdits((edit,), shown=shown)
    once = text_of(land(shown, request))
    assert reason_of(land(once, request)) in {"stale", "already_applied"}


def test_what_changes_nothing_has_not_landed() -> None:
    outcome = land("alpha\nfoo()\n\n", Patch("@@ -1,3 +1,3 @@\n alpha\n+foo()\n \n-foo()\n"))
    assert reason_of(outcome) == "already_applied"


def test_new_text_elsewhere_and_an_old_text_that_drifted_is_said_to_be_doubtful() -> None:
    text = "def a(x):\n    y = load(x)\n    return y.total\n\ndef b(x):\n    y = load(x)\n    return y.count\n"
    outcome = land(
        text, Replace("  y = load(x)\n  return y.count\n", "  y = load(x)\n  return y.total\n")
    )
    assert reason_of(outcome) == "ambiguous"
    assert isinstance(outcome, Refused)
    assert outcome.candidates == (6, 2)


def test_lines_shown_long_ago_are_still_found_in_a_long_file() -> None:
    shown = "".join(f"line {n}\n" for n in range(6_000))
    text = f"top\n{shown}bottom\n"
    outcome = land(text, LineEdits((LineEdit(3_001, 3_001, "changed"),), shown=shown))
    assert text_of(outcome) == text.replace("line 3000\n", "changed\n")


def test_a_whole_file_keeps_the_endings_of_the_lines_it_keeps() -> None:
    assert text_of(land("a\r\nb\nc\r\n", WriteFile("a\nx\nc\n"))) == "a\r\nx\nc\r\n"


def test_a_placeholder_with_nothing_beside_it_is_not_ambiguous() -> None:
    outcome = land(
        "def f():\n    a()\n    b()\n    c()\n",
        Replace("def f():\n    # ...\n", "def f():\n    # ...\n    z()\n"),
    )
    assert reason_of(outcome) == "not_found"


def test_a_second_divider_at_the_end_of_a_text_is_refused_unless_old_ends_in_an_underline() -> None:
    block = "a.txt\n<<<<<<< SEARCH\n{old}=======\n{new}=======\n>>>>>>> REPLACE\n"
    text = "The first one.\nThe end came at 13.\n\nTitle\n-----\n"
    old, new = "The end came at 13.\n", "The end came at 14.\n"
    assert not land_reply(block.format(old=old, new=new), {"a.txt": text}).landed
    heading = land_reply(block.format(old="Title\n-----\n", new="Title\n"), {"a.txt": text})
    assert heading.landed
    assert heading.files == {"a.txt": text.replace("-----", "=======")}
