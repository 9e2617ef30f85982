"""Three-way projection: exact where the edits stand apart, no answer where they touch."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdfast.changes.rebase.three_way import contains_edit, project_bytes, project_text, raw_lines

lines = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "d\r", "\n", "e\n"]), max_size=12)
texts = st.builds("".join, lines) | st.builds(
    lambda start, end: "".join(start) + end, lines, st.sampled_from(["", "x"])
)


@given(texts, texts)
def test_on_the_base_itself_the_wanted_text_comes_out(base: str, wanted: str) -> None:
    assert project_text(base, wanted, base) == wanted


@given(texts, texts)
def test_a_projection_of_nothing_leaves_the_present(base: str, present: str) -> None:
    assert project_text(base, base, present) == present


@given(texts, texts, texts)
def test_it_does_not_matter_which_of_the_two_edits_came_first(
    base: str, one: str, other: str
) -> None:
    assert project_text(base, one, other) == project_text(base, other, one)


@given(st.lists(st.integers(0, 9), min_size=8, max_size=20), st.data())
def test_edits_of_lines_that_are_apart_are_both_there_and_those_that_meet_have_no_answer(
    numbers: list[int], data: st.DataObject
) -> None:
    base = [f"{place} {number}\n" for place, number in enumerate(numbers)]
    mine, theirs = (data.draw(st.integers(0, len(base) - 1)) for _ in range(2))
    wanted = [*base[:mine], "mine\n", *base[mine + 1 :]]
    present = [*base[:theirs], "theirs\n", *base[theirs + 1 :]]
    projected = project_text("".join(base), "".join(wanted), "".join(present))
    if abs(mine - theirs) < 2:
        assert projected is None
    else:
        both = [*present[:mine], "mine\n", *present[mine + 1 :]]
        assert projected == "".join(both)


@given(texts, texts)
def test_what_was_done_alone_is_done_already(base: str, wanted: str) -> None:
    assert contains_edit(base.encode(), wanted.encode(), wanted.encode())


@given(st.integers(0, 7), st.integers(0, 7))
def test_what_somebody_did_by_hand_is_seen_beside_their_other_edits_and_not_where_they_wrote_over_it(
    mine: int, theirs: int
) -> None:
    base = [f"{place}\n" for place in range(8)]
    wanted = [*base[:mine], "mine\n", *base[mine + 1 :]]
    present = [*wanted[:theirs], "theirs\n", *wanted[theirs + 1 :]]
    texts = ["".join(lines).encode() for lines in (base, wanted, present)]
    assert contains_edit(*texts) == (mine != theirs)


def test_lines_that_came_in_and_have_twins_are_not_taken_for_gone() -> None:
    assert not contains_edit(b"x\nm\nx\nm\n", b"x\nm\n", b"z\nx\nm\nx\nQ\nm\n")
    assert contains_edit(b"x\nm\nx\nm\n", b"x\nm\n", b"z\nx\nm\n")


def test_line_endings_are_brought_back_as_they_were() -> None:
    before, after = "x\r\nb\nc\nd\n", "x\nb\nc\nd\n"
    assert project_text(after, before, "x\nb\nc\nD\n") == "x\r\nb\nc\nD\n"


def test_a_newline_at_the_end_is_taken_away_again() -> None:
    assert project_text("a\nb\nc\n", "a\nb\nc", "A\nb\nc\n") == "A\nb\nc"


def test_the_bytes_are_those_of_the_files_encoding() -> None:
    old, new, now = ("\ufeffä\nb\nc\n", "\ufeffö\nb\nc\n", "\ufeffä\nb\nß\n")
    encoded = [text.encode("utf-16-le") for text in (old, new, now)]
    assert project_bytes(*encoded) == "\ufeffö\nb\nß\n".encode("utf-16-le")


def test_what_is_no_text_or_another_kind_of_text_has_no_answer() -> None:
    assert project_bytes(b"a\nb\nc\0\n", b"A\nb\nc\0\n", b"a\nb\nd\0\n") is None
    assert project_bytes(b"a\nb\nc\n", b"A\nb\nc\n", b"\xef\xbb\xbfa\nb\nd\n") is None


def test_very_long_texts_are_not_compared_line_by_line() -> None:
    base = [f"{number}\n" for number in range(6000)]
    apart = ["one\n", *base[1:-1], "end\n"]
    assert (
        project_text("".join(base), "".join(apart), "".join([*base[:3000], "x\n", *base[3001:]]))
        is None
    )
    assert project_text(
        "".join(base), "one\n" + "".join(base[1:]), "".join([*base[:-1], "x\n"])
    ) == "".join(["one\n", *base[1:-1], "x\n"])


@given(texts)
def test_raw_lines_are_the_text(text: str) -> None:
    assert "".join(raw_lines(text)) == text


def test_the_second_of_two_edits_is_looked_for_where_the_first_has_moved_it() -> None:
    base, wanted = b"0\n1\n2\n3\n4\n5\n6\n7\n", b"0\nx\ny\n2\n3\n4\n5\nM\n7\n"
    assert not contains_edit(base, wanted, b"0\nx\ny\n2\n3\n4\n5\nOTHER\n7\n")
    assert contains_edit(base, wanted, b"0\nx\ny\n2\n3\nfour\n5\nM\n7\n")


def test_lines_that_went_are_not_seen_as_gone_beside_an_edit_that_touches_their_place() -> None:
    base, wanted = b"a\nb\nc\nd\ne\n", b"a\nb\nd\ne\n"
    assert not contains_edit(base, wanted, b"a\nB\nd\ne\n")
    assert not contains_edit(base, wanted, b"a\nb\nD\ne\n")
    assert contains_edit(base, wanted, b"A\nb\nd\ne\n")
    assert contains_edit(base, wanted, b"a\nb\nd\nE\n")


def test_no_edit_is_contained_in_what_is_no_text() -> None:
    assert not contains_edit(b"a\n", b"b\n", b"\0\1\2")
    assert not contains_edit(b"\0\1", b"\0\1", b"\0\1")
