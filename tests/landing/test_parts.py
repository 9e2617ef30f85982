"""Parts of the engine by themselves: tables of whole values, limits on both sides."""

from __future__ import annotations

import json

import pytest

from holdfast import LineEdit, LineEdits, Patch, Refused, Replace, WriteFile, land, land_reply
from holdfast.landing.closest import first_difference
from holdfast.landing.formats.hunk_body import Body, read_body
from holdfast.landing.formats.hunks import HunkLine
from holdfast.landing.ladder.elision import leaves_block
from holdfast.landing.ladder.mark_columns import without_diff_marks
from holdfast.landing.ladder.strict_match import Hint, choose, stands_at
from holdfast.landing.ladder.unmangle import readings
from holdfast.landing.new_text import PlainText
from holdfast.landing.occurrence import Occurrence, occurrence_of_lines
from holdfast.landing.placement import Placement, SeveralPlaces
from holdfast.landing.projection.splices import Splice, landed, lines_at
from holdfast.landing.readers.replacement_text import read_replacement
from holdfast.landing.text.code_spans import CodeSpans, code_spans
from holdfast.landing.text.edit_script import ScriptEdit, script_of
from holdfast.landing.text.languages import known_name, language_of, name_of
from holdfast.landing.text.lines import Doc
from holdfast.vocab.outcomes import Landed

# ------------------------------------------------------------------------------- lines and names


def test_each_offset_is_on_the_line_whose_ending_is_not_behind_it() -> None:
    text = "a\r\nb\rc\n\n"
    assert lines_at(text, range(len(text) + 1)) == [1, 1, 1, 2, 2, 3, 3, 4, 5]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/Makefile", "makefile"),
        ("a.b/c", "c"),
        ("a\\B.py", "b.py"),
        ("a/b\\c.py", "c.py"),
        ("A.PY", "a.py"),
        ("", ""),
        (None, ""),
    ],
)
def test_the_name_of_a_file_has_no_directory(path: str | None, name: str) -> None:
    assert name_of(path) == name


def test_the_language_is_known_by_the_name_and_never_by_a_directory() -> None:
    assert known_name("src.py/Dockerfile", {"dockerfile", "py"}) == "dockerfile"
    assert known_name("src.py/a", {"py"}) == ""
    assert language_of("lib/a.py") is language_of("a.py")
    assert language_of("a.py/b") is language_of(None)


def test_each_line_begins_below_the_ending_of_the_one_above() -> None:
    assert Doc("a\r\nbb\nc").starts == [0, 3, 6, 7]
    assert Doc("").starts == [0]


def test_a_string_or_a_comment_covers_what_is_behind_its_beginning_and_before_its_end() -> None:
    text = "a 'b' # c"
    spans = code_spans(text, language_of("a.py"))
    assert spans == CodeSpans([2, 6], [5, 9])
    assert [n for n in range(len(text) + 1) if spans.covers(n)] == [2, 3, 4, 6, 7, 8]


def lines_by_turns(count: int, changed: str) -> list[str]:
    """Three lines, and so many of which every other one is changed."""
    lines = [f"{changed}{n}" if n % 2 else f"stays {n}" for n in range(count)]
    return ["one", "two", "three", *lines]


@pytest.mark.parametrize(
    ("count", "blocks"), [(2, 1), (1000, 500), (1001, 500), (1002, 501), (1003, 501)]
)
def test_the_changes_of_a_long_middle_are_told_apart(count: int, blocks: int) -> None:
    script = script_of(lines_by_turns(count, "old "), lines_by_turns(count, "new "))
    assert len(script.edits) == blocks
    assert (script.edits[0].o1, script.edits[-1].n2) == (4, 4 + 2 * ((count - 2) // 2) + 1)


@pytest.mark.parametrize(("count", "blocks"), [(500, 500), (501, 1)])
def test_a_long_middle_in_which_no_line_is_single_is_one_block(count: int, blocks: int) -> None:
    old, new = ["old", "stays"] * count, ["new", "stays"] * count
    assert len(script_of(old[:-1], new[:-1]).edits) == blocks


def test_of_single_lines_that_changed_places_the_longest_run_in_order_stays() -> None:
    lines = [f"line {n}" for n in range(1200)]
    moved = ["first", *lines[3:500], *lines[:3], *lines[500:], "last"]
    assert script_of(lines, moved).edits == (
        ScriptEdit(0, 3, 0, 1),
        ScriptEdit(500, 500, 498, 501),
        ScriptEdit(1200, 1200, 1201, 1202),
    )


@pytest.mark.parametrize("new", [["x"] * 1300, [], ["line 7", *["x"] * 1300, "line 3"]])
def test_a_script_of_long_texts_makes_the_new_one(new: list[str]) -> None:
    old = [f"line {n}" for n in range(1100)]
    script = script_of(old, new)
    made = [*old]
    for edit in reversed(script.edits):
        made[edit.o1 : edit.o2] = new[edit.n1 : edit.n2]
    assert made == new


@pytest.mark.parametrize(("count", "alone"), [(1400, True), (1600, False)])
def test_the_diff_of_a_long_change_has_its_middle_as_one_block(count: int, alone: bool) -> None:
    old, new = (
        "".join(f"{line}\n" for line in lines_by_turns(count, changed))
        for changed in ("old ", "new ")
    )
    above, below = "above\n" * 5, "e1\ne2\ne3\ne4\n"
    splice = Splice(len(above), len(above) + len(old), new)
    diff = landed(above + old + below, [splice], "exact").diff
    lines = Doc(diff).lines
    assert lines[0] == f"@@ -7,{count + 5} +7,{count + 5} @@"
    middle_old, middle_new = Doc(old).lines[4:], Doc(new).lines[4:]
    if alone:
        middle = []
        for line, other in zip(middle_old, middle_new, strict=True):
            middle += [f" {line}"] if line == other else [f"-{line}", f"+{other}"]
    else:
        middle = [f"-{line}" for line in middle_old] + [f"+{line}" for line in middle_new]
    assert lines[1:] == [" two", " three", " stays 0", *middle, " e1", " e2", " e3"]


def test_changes_that_are_near_are_in_one_hunk_of_the_diff() -> None:
    text = "".join(f"l{n}\n" for n in range(1, 31))

    def at(number: int) -> int:
        return text.index(f"l{number}\n")

    splices = [
        Splice(at(25), at(27), ""),
        Splice(at(12), at(13), "twelve\nb\n"),
        Splice(at(5), at(6), "five\n"),
        Splice(at(9), at(9), "new\n"),
    ]
    assert landed(text, splices, "exact").diff == (
        "@@ -2,14 +2,16 @@\n l2\n l3\n l4\n-l5\n+five\n l6\n l7\n l8\n+new\n l9\n l10\n l11\n"
        "-l12\n+twelve\n+b\n l13\n l14\n l15\n"
        "@@ -22,8 +24,6 @@\n l22\n l23\n l24\n-l25\n-l26\n l27\n l28\n l29\n"
    )


# ---------------------------------------------------------------------------------- which place


def at_line(line: int) -> Placement:
    return Placement({0: line}, "exact")


@pytest.mark.parametrize(
    ("starts", "hint", "chosen"),
    [
        ((12, 20), Hint(10, reach=5), 12),
        ((12, 18), Hint(10, reach=5), 12),
        ((12, 17), Hint(10, reach=5), None),
        ((12, 18), Hint(10, reach=2), 12),
        ((12, 18), Hint(10, reach=1), None),
        ((12, 1, 40), Hint(10, reach=9), 12),
        ((8, 12), Hint(10, reach=9), None),
        ((10, 12), Hint(10), 10),
        ((10, 12), Hint(9), None),
        ((12,), Hint(9), 12),
        ((3, 12), Hint(), None),
        ((3, 12), Hint(None, range(1, 4)), 3),
        ((3, 12), Hint(None, range(1, 13)), None),
        ((3, 12), Hint(None, range(4, 12)), None),
        ((3, 12), Hint(12, range(1, 13)), 12),
        ((3, 12), Hint(12, range(1, 4)), None),
    ],
)
def test_a_number_picks_the_place_that_is_four_times_as_near_as_all_others(
    starts: tuple[int, ...], hint: Hint, chosen: int | None
) -> None:
    expected = SeveralPlaces(starts) if chosen is None else at_line(chosen)
    assert choose(list(map(at_line, starts)), hint) == expected


def test_at_most_two_blank_lines_above_the_first_old_line_are_counted_for_a_number() -> None:
    exact = [stands_at(Placement({j: 10}, "exact"), 10 - j) for j in range(5)]
    assert exact == [True, True, True, False, False]
    assert not stands_at(at_line(10), 9)
    assert not stands_at(at_line(10), None)


@pytest.mark.parametrize(
    ("hint", "lines"),
    [
        (Hint(5, reach=2), range(0)),
        (Hint(6, reach=2), range(4, 9)),
        (Hint(6), range(6, 7)),
        (Hint(), range(0)),
    ],
)
def test_the_lines_that_may_be_named_instead_are_within_reach(hint: Hint, lines: range) -> None:
    assert hint.lines_but(at_line(5)) == lines


@pytest.mark.parametrize(
    ("path", "text", "leaving"),
    [
        ("a.js", "if (x) {\n\nb\nfunction f() {\nc\n}\n", set()),
        ("a.py", "def a():\n  def b():\nd\n  c\n", {(2, 3)}),
        ("a.py", "def a():\ndef b():\n  c\n", {(1, 2)}),
        ("a.py", "  def a():\n  def b():\nc\n", set()),
        ("a.py", "  def a():\n  def b():\n  c\n", set()),
        ("a.py", "x\ndef b():\n  c\n", set()),
        ("a.py", "def a():\n\n  x\n  def b():\n  c\n", set()),
        ("a.js", "function a() {\nif (b) {\n  c\n", {(1, 2)}),
        ("a.js", "function a() {\n  if (b) {\n  c\n", set()),
        ("a.js", "function a()\nif (b) {\n  c\n", set()),
        ("a.js", "function a() {\nif (b)\n  c\n", set()),
    ],
)
def test_a_gap_leaves_a_block_at_a_line_further_left_or_at_another_block_beside_it(
    path: str, text: str, leaving: set[tuple[int, int]]
) -> None:
    doc = Doc(text, language_of(path))
    gaps = [(i, j) for i in range(1, len(doc.solid)) for j in range(i, len(doc.solid))]
    assert {gap for gap in gaps if leaves_block(doc, *gap)} == leaving


# ------------------------------------------------------------------------------ what is undone


@pytest.mark.parametrize(
    ("old", "new", "bare"),
    [
        ("one\n", "two\n", None),
        (" one\n-  two\n", " one\n+  zwei\n", ("one\n  two\n", "one\n  zwei\n")),
        ("  one\n--  two\n", "  one\n++  zwei\n", ("one\n  two\n", "one\n  zwei\n")),
        ("- one\n-   two\n", "+ one\n", ("one\n  two\n", "one\n")),
        (" one\n   two\n", "+ x\n one\n   two\n", ("one\n  two\n", " x\none\n  two\n")),
        (" one\n   two\n", " one\n   two\n\n+x\n", ("one\n  two\n", "one\n  two\n\nx\n")),
        (" one\n   two\n", " one\n   two\n zwei\n", None),
        ("-one\n-  two\n", "plain\n", None),
        ("-one\n-  x\n-three\n", "+a\n", ("one\n  x\nthree\n", "a\n")),
        ("-one\n-  x\n-y\n", "+a\n", None),
        ("-one\n-  two\n-y\n three\n", "+a\n three\n", ("one\n  two\ny\nthree\n", "a\nthree\n")),
    ],
)
def test_the_marks_of_a_diff_go_where_the_file_has_most_lines_without_them(
    old: str, new: str, bare: tuple[str, str] | None
) -> None:
    doc = Doc("one\n  two\nthree\n")
    reading = without_diff_marks(doc, Doc(old).lines, Doc(new).lines)
    found = None if reading is None else (reading.old, reading.new)
    assert found == bare


def test_what_is_mangled_in_several_ways_is_read_with_the_fewest_undone_first() -> None:
    old = "```\n<old>\n&lt;a\\n\n</old>\n```"
    new = "```\n<new>\n&lt;b\n</new>\n```"
    assert [reading.old for reading in readings(Doc("a\n"), old, new)] == [
        "<old>\n&lt;a\\n\n</old>\n",
        "```\n<old>\n&lt;a\n</old>\n```",
        "```\n<old>\n<a\\n\n</old>\n```",
        "&lt;a\\n\n",
        "<old>\n&lt;a\n</old>\n",
        "<old>\n<a\\n\n</old>\n",
        "```\n<old>\n<a\n</old>\n```",
        "&lt;a\n",
        "<a\\n\n",
        "<old>\n<a\n</old>\n",
        "<a\n",
    ]


def test_a_backslash_in_the_new_text_alone_is_content() -> None:
    doc = Doc("a\n")
    assert list(readings(doc, "a\n", "b\\\\n\n")) == []
    assert [(one.old, one.new) for one in readings(doc, "a\\\\b\n", "b\\\\n\n")] == [
        ("a\\b\n", "b\\n\n")
    ]


@pytest.mark.parametrize("tag", ["js", "python", "", "md"])
@pytest.mark.parametrize(
    ("path", "text", "bare_tags"),
    [
        ("a.py", "x = 1\ny = 2\n", {"js", "python", "", "md"}),
        ("a.py", "x = 1\n```\ny = 2\n```\n", set()),
        ("a.md", "x = 1\ny = 2\n", {"md"}),
        ("a.md", "x = 1\n```\ny = 2\n```\n", {"md"}),
    ],
)
def test_a_fence_around_the_new_text_is_content_where_a_fence_may_be(
    path: str, text: str, bare_tags: set[str], tag: str
) -> None:
    new = f"```{tag}\nx = 2\n```\n"
    expected = PlainText("x = 2\n", ("a Markdown fence",)) if tag in bare_tags else PlainText(new)
    assert read_replacement(text, "x = 1\n", new, path) == expected


def test_both_sides_of_an_edit_in_the_place_of_the_new_lines_are_refused() -> None:
    shown = "a = 1\nb = 2\nc = 3\n"
    edit = LineEdit(2, 2, "-b = 2\n+b = 3\n")
    landed_ = land(f"z = 0\n{shown}", LineEdits((edit,), shown=shown), "a.toml")
    assert isinstance(landed_, Refused)
    assert landed_.reason == "malformed"


# ------------------------------------------------------------------------------------------ diffs

HUNK = ("@@ -1,2 +1,2 @@", " a", "-b", "+c")
LINES = (HunkLine(" ", "a"), HunkLine("-", "b"), HunkLine("+", "c"))


@pytest.mark.parametrize(
    ("below", "body"),
    [
        ((), Body(LINES, 4, 4)),
        (("", "", "*** End of File", "x"), Body(LINES, 7, 8, at_end=True)),
        (("*** End of File ",), Body(LINES, 5, 5, at_end=True)),
        (("", "x", "*** End of File"), Body(LINES, 4, 7)),
        (("\\ No newline at end of file",), Body((*LINES[:2], HunkLine("+", "c", True)), 5, 5)),
        (("@@ -9 +9 @@", "*** End of File"), Body(LINES, 4, 4)),
    ],
)
def test_only_blank_lines_are_between_a_hunk_and_the_mark_of_the_end_of_the_file(
    below: tuple[str, ...], body: Body
) -> None:
    assert read_body([*HUNK, *below], 1, (2, 2)) == body


@pytest.mark.parametrize(
    ("sides", "deleted"),
    [
        ("a/x.txt b/x.txt", "x.txt"),
        ("x.txt x.txt", "x.txt"),
        ("a/x z b/x z", "x z"),
        ('"a/x z" "b/x z"', "x z"),
        ("a/x.txt b/y.txt", None),
        ('"a/x z" "b/y z"', None),
        ("a/x b/x.txt", None),
        ("", None),
    ],
)
def test_an_empty_file_is_deleted_if_both_sides_of_its_command_are_one_path(
    sides: str, deleted: str | None
) -> None:
    files = {"x.txt": "", "y.txt": "", "x z": "", "y z": "", "x": ""}
    diff = f"diff --git {sides}\ndeleted file mode 100644\nindex e69de29..0000000\n"
    outcome = land_reply(diff, files)
    if deleted is None:
        assert isinstance(outcome, Refused)
        assert outcome.message.startswith("the diff names no file;")
    else:
        assert not isinstance(outcome, Refused), outcome
        assert outcome.files == {deleted: None}


@pytest.mark.parametrize(
    ("text", "reason", "message", "candidates"),
    [
        ("aaaa = 2\nb\ncccc = 3\n", "conflict", "hunk 1 is already applied (line 1), others are not; ", (1,)),
        ("aaaa = 1\nb\ncccc = 4\n", "conflict", "hunk 2 is already applied (line 3), others are not; ", (3,)),
        ("aaaa = 2\nb\ncccc = 4\n", "already_applied", "hunk 1: the new text is already in the file, ", (1,)),
        ("aaaa = 0\nb\ncccc = 3\n", "not_found", "hunk 1: the old text is not in the file. ", ()),
        ("aaaa = 1\nb\ncccc = 0\n", "not_found", "hunk 2: the old text is not in the file. ", ()),
    ],
)  # fmt: skip
def test_a_hunk_that_is_applied_or_has_no_place_is_named(
    text: str, reason: str, message: str, candidates: tuple[int, ...]
) -> None:
    hunks = "@@ -1,1 +1,1 @@\n-aaaa = 1\n+aaaa = 2\n@@ -3,1 +3,1 @@\n-cccc = 3\n+cccc = 4\n"
    outcome = land(text, Patch(f"--- a/x\n+++ b/x\n{hunks}"))
    assert isinstance(outcome, Refused)
    assert (outcome.reason, outcome.candidates) == (reason, candidates)
    assert outcome.message.startswith(message)


@pytest.mark.parametrize(("named", "at"), [(1, 1), (3, 3), (4, 4)])
def test_a_deletion_is_refused_at_another_line_than_the_named_one(named: int, at: int) -> None:
    diff = f"--- a/x\n+++ b/x\n@@ -{named},1 +{named - 1},0 @@\n-b = 2\n"
    outcome = land("a = 1\nb = 2\nc = 3\nd = 4\n", Patch(diff), "a.py")
    assert isinstance(outcome, Refused)
    assert (outcome.reason, outcome.candidates) == ("ambiguous", (2,))
    assert outcome.message == (
        f"a.py: the old text is at line 2, and line {at} was named; it may have been deleted there already. "
        "Read the file again, and add a line of context."
    )


# -------------------------------------------------------------------------------------- refusals


def test_the_first_difference_is_that_of_the_best_place_and_not_of_a_worse_one() -> None:
    body = "def f():\n    alpha(one)\n    beta(two)\n    gamma(three)\n    return x\n"
    worse = body.replace("gamma(three)", "gamma(thr)").replace("alpha(one)", "alpha(on)")
    old = Doc(body.replace("gamma(three)", "gamma(tree)")).lines
    for text in (f"{body}\nmid = 1\n\n{worse}", body):
        assert first_difference(Doc(text), old, 0) == (
            "Line 4 differs first: the request has `gamma(tree)`, the file `gamma(three)`. "
        )


def test_an_edit_of_lines_that_fails_is_named_if_there_are_several() -> None:
    fine, fails = LineEdit(1, 1, "x\n", "a = 1\n"), LineEdit(2, 2, "y\n", "nowhere\n")
    messages = []
    for edits in ((fails,), (fails, fine), (fine, fails)):
        outcome = land("a = 1\nb = 2\n", LineEdits(edits))
        assert isinstance(outcome, Refused)
        messages.append(outcome.message[:13])
    assert messages == ["the old text ", "edit 1: the o", "edit 2: the o"]


SIMILAR = "def f():\n    alpha(one)\n    beta(two)\n    # a note\n    gamma(three)\n    return x\n"


@pytest.mark.parametrize(
    ("old", "rung", "similarity"),
    [
        ("    alpha(one)\n", "exact", 1.0),
        ("  alpha(one)\n  beta(two)\n", "whitespace", 1.0),
        ("def f():\n    alpha(one)\n    beta(two)\n    gamma(three)\n", "similar", 1.0),
        ("def f():\n    alpha(one)\n    betta(two)\n    # a note\n    gamma(three)\n", "similar", 0.9792),
    ],
)  # fmt: skip
def test_the_similarity_is_the_share_of_equal_characters(
    old: str, rung: str, similarity: float
) -> None:
    outcome = land(SIMILAR, Replace(old, old.replace("one", "eins")), "a.py")
    assert isinstance(outcome, Landed)
    assert (outcome.rung, round(outcome.similarity, 4)) == (rung, similarity)
    assert outcome.text == SIMILAR.replace("one", "eins")


@pytest.mark.parametrize(
    ("above", "named"),
    [
        (("x/a.py",), "x/a.py"),
        (("x/a.py", "one"), "x/a.py"),
        (("x/a.py", "one", "two"), "x/a.py"),
        (("x/a.py", "", "one", "", "two"), "x/a.py"),
        (("x/a.py", "one", "two", "three"), "x/a.py"),
        (("x/a.py", "one", "two", "three", "four"), ""),
        (("in the file `x/a.py` is", "one"), ""),
        (("Change `x/a.py` so:",), "x/a.py"),
        (("Change `x/a.py` so:", "", "```python"), "x/a.py"),
        (("Change `x/a.py` so:", "and then:"), "x/a.py"),
        (("### `x/a.py`", "```python"), "x/a.py"),
        (("```python x/a.py",), "x/a.py"),
    ],
)
def test_the_path_of_a_block_is_in_the_four_lines_above_or_within_a_sentence_there(
    above: tuple[str, ...], named: str
) -> None:
    block = ("<<<<<<< SEARCH", "a", "=======", "b", ">>>>>>> REPLACE", "")
    outcome = land_reply("\n".join((*above, *block)), {"x/a.py": "a\n", "y.py": "a\n"})
    if named == "x/a.py":
        assert not isinstance(outcome, Refused), outcome
        assert outcome.files == {named: "b\n"}
        return
    assert isinstance(outcome, Refused)
    assert outcome.message.startswith(f"line {len(above) + 1}: this block names no file;")


STEPS = "import a\n\ndef f():\n    one()\n    two()\n    three()\n\ndef g():\n    four()\n"


@pytest.mark.parametrize(
    ("old", "new", "in_part", "in_whole"),
    [
        ("    two()\n    three()\n", "    # the rest of the steps\n", False, False),
        ("    two()\n    three()\n", "    # note\n", False, False),
        ("    two()\n    three()\n", "    # note\n    other()\n", True, True),
        ("    two()\n", "    # two\n", True, True),
        ("    three()\n", "    # end\n", True, False),
        ("    four()\n", "    # ...\n", False, False),
        ("    four()\n", "    # four\n", True, True),
    ],
)
def test_one_line_may_become_a_comment_but_not_in_a_whole_file(
    old: str, new: str, in_part: bool, in_whole: bool
) -> None:
    after = STEPS.replace(old, new)
    requests = (Replace(STEPS, after), WriteFile(after))
    outcomes = [land(STEPS, request, "a.py") for request in requests]
    reasons = [getattr(outcome, "reason", "") for outcome in outcomes]
    assert reasons == ["" if lands else "elision" for lands in (in_part, in_whole)]


@pytest.mark.parametrize(("path", "is_text"), [(None, True), ("a.txt", True), ("a.tf", False)])
def test_a_sentence_is_content_without_a_path(path: str | None, is_text: bool) -> None:
    new = "Sure! Here is the change you asked for:\n\nset b 3\n"
    outcome = land("set a 1\nset b 2\n", Replace("set b 2\n", new), path)
    expected = f"set a 1\n{new}" if is_text else "malformed"
    assert (outcome.text if isinstance(outcome, Landed) else outcome.reason) == expected


@pytest.mark.parametrize("old", ["b = 2", "b = 2\n", "b = 2\nc = 3", "b = 2\nc = 3\n"])
def test_an_edit_without_its_last_line_replaces_as_many_lines_as_its_old_text_has(old: str) -> None:
    text = "a = 1\nb = 2\nc = 3\nd = 4\n"
    edit = {"start": 2, "old": old, "new": "x = 1\n"}
    outcome = land_reply(json.dumps({"path": "a.py", "edits": [edit]}), {"a.py": text})
    assert not isinstance(outcome, Refused), outcome
    assert outcome.files == {"a.py": text.replace(f"{old.rstrip()}\n", "x = 1\n")}


@pytest.mark.parametrize(
    ("new", "as_text", "as_lines"),
    [
        ("two", {1}, set()),
        ("two x\nthree", {1}, {1}),
        ("two x\n", {1}, {1}),
        ("wo", set(), set()),
        ("three", {2}, {2}),
        ("x", {1}, set()),
        ("nowhere", set(), set()),
        ("", {0, 1, 2}, {0, 1, 2}),
        ("  ", {0, 1, 2}, {0, 1, 2}),
    ],
)
def test_a_new_text_is_at_a_line_if_it_begins_there_and_cuts_no_word(
    new: str, as_text: set[int], as_lines: set[int]
) -> None:
    doc = Doc("one\ntwo x\nthree")
    text = Occurrence(doc, 0, "one", new)
    lines = occurrence_of_lines(doc, ["one"], new.split("\n"), 0)
    assert {line for line in range(-1, 5) if text.has_new_at(line)} == as_text
    assert {line for line in range(-1, 5) if lines.has_new_at(line)} == as_lines
