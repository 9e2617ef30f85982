"""The laws of landing, for any text: what holds whatever a model writes."""

from __future__ import annotations

import re
from typing import Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from holdfast import (
    Ambiguous,
    Exact,
    Landed,
    LineEdit,
    LineEdits,
    Patch,
    Refused,
    Replace,
    WriteFile,
    explain,
    land,
    locate,
)
from holdfast.landing.ladder.elision import is_gap
from holdfast.landing.text.byte_order_mark import MARK
from holdfast.landing.text.languages import is_comment_like
from holdfast.landing.text.line_keys import indent_of, key_of
from holdfast.landing.text.line_tokens import cuts_token
from holdfast.landing.text.lines import contents_of, split_lines
from holdfast.vocab.requests import Request

pytestmark = pytest.mark.slow  # seconds together: `make quick` does without

# Everything that has fooled an editor: odd line ends, form feed, U+2028, BOM, zero width, lone surrogates, marks.
ODD: Final = "ab1_ \t(){}=.\"'\\$&;#+-@|`<>/\n\r\x0b\x0c\u2028\u00a0\u200b\ufeff\u2019\u201c\u2026e\u0301\u00e9\udcff\U0001f600"
WORDS: Final = (
    "foo",
    "bar",
    "load_user",
    "load_users",
    "x = 1",
    "x = 10",
    "return",
    "}",
    "{",
    "",
    "    ",
    "\t",
    "# ...",
)

chars = st.text(ODD, max_size=40)
lines = st.lists(
    st.one_of(
        st.text("ab(1)= ", min_size=1, max_size=8),
        st.builds("{}{}".format, st.sampled_from(("", "  ", "    ", "\t")), st.sampled_from(WORDS)),
    ),
    max_size=12,
)
newlines = st.sampled_from(("\n", "\r\n", "\r"))


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A file: lines with one kind of ending or several, with or without the last one; or any characters at all."""
    if draw(st.integers(0, 3)) == 0:
        return draw(chars)
    kind = draw(newlines)
    mixed = draw(st.integers(0, 4)) == 0
    out = "".join(line + (draw(newlines) if mixed else kind) for line in draw(lines))
    return out if draw(st.booleans()) else out[: len(out) - 1]


@st.composite
def parts(draw: st.DrawFn, text: str) -> str:
    """A piece of the text, or of something like it."""
    if not text or draw(st.integers(0, 4)) == 0:
        return draw(chars)
    start = draw(st.integers(0, len(text) - 1))
    stop = draw(st.integers(start + 1, len(text)))
    return text[start:stop]


@st.composite
def requests(draw: st.DrawFn, text: str) -> Request:
    """A request of any kind that may or may not fit the text."""
    old, new = draw(parts(text)), draw(st.one_of(chars, parts(text)))
    match draw(st.integers(0, 4)):
        case 0:
            return Replace(old, new, draw(st.none() | st.integers(-2, 14)), draw(st.booleans()))
        case 1:
            body = [" " + line for line in contents_of(old)] + [
                "+" + line for line in contents_of(new)
            ]
            return Patch(
                "\n".join([f"@@ -{draw(st.integers(0, 9))},3 +1,4 @@", *body]),
                unwrap=draw(st.booleans()),
            )
        case 2:
            return Patch(draw(chars) + old, unwrap=draw(st.booleans()))
        case 3:
            edit = LineEdit(
                draw(st.integers(-1, 14)),
                draw(st.integers(-1, 14)),
                new,
                draw(st.none() | st.just(old)),
            )
            return LineEdits((edit,), draw(st.none() | st.just(text) | texts()))
        case _:
            return WriteFile(new)


cases = texts().flatmap(lambda text: st.tuples(st.just(text), requests(text)))
replaces = texts().flatmap(
    lambda text: st.tuples(st.just(text), parts(text), st.one_of(chars, parts(text)))
)


@given(cases)
def test_any_text_and_any_request_give_an_outcome_and_a_sentence(case: tuple[str, Request]) -> None:
    text, request = case
    for path in (None, "a.py", "a.ts"):
        outcome = land(text, request, path)
        assert isinstance(outcome, Landed | Refused)
        assert all(explain(outcome, audience) for audience in ("model", "person", "json"))


@given(cases)
def test_the_same_input_gives_the_same_outcome(case: tuple[str, Request]) -> None:
    text, request = case
    assert land(text, request) == land(text, request)


# Most requests that are drawn are refused, and the law is about the others.
MOST_ARE_REFUSED = settings(
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)


@MOST_ARE_REFUSED
@given(cases)
def test_nothing_outside_the_landed_spans_changes(case: tuple[str, Request]) -> None:
    text, request = case
    outcome = land(text, request)
    assume(isinstance(outcome, Landed))
    assert isinstance(outcome, Landed)
    assert outcome.text != text
    first, last = outcome.spans[0], outcome.spans[-1]
    tail = len(text) - last.end
    assert outcome.text[: first.start] == text[: first.start]
    assert text[last.end :] == outcome.text[len(outcome.text) - tail :]
    kept = [text[a.end : b.start] for a, b in zip(outcome.spans, outcome.spans[1:], strict=False)]
    pattern = ".*?".join(map(re.escape, [text[: first.start], *kept, text[last.end :]]))
    assert re.fullmatch(pattern, outcome.text, re.DOTALL)


def _unindented(text: str) -> str:
    """Return the text without the white space that its lines begin with."""
    lines, ends = split_lines(text)
    bare = [line[len(indent_of(line)) :] for line in lines]
    return "".join(line + end for line, end in zip(bare, ends, strict=True))


def _has_placeholder(outcome: Refused, written: str) -> bool:
    """Return whether the refusal names a line that would be written, like a comment, for which lines vanish."""
    named = re.search(r"`(.*)`, and lines", outcome.message)
    if outcome.reason != "elision" or named is None:
        return False
    return is_comment_like(named[1]) and named[1] in map(str.strip, contents_of(written))


@given(replaces)
def test_text_that_stands_once_and_cuts_no_token_is_found_exactly_and_landing_is_splicing(
    case: tuple[str, str, str],
) -> None:
    text, old, new = case
    assume(
        key_of(old) and old != new and text.count(old) == 1 and text.find(old) == text.rfind(old)
    )
    # The mark is no part of the text: it stays, whatever a request says of it.
    assume(not text.startswith(MARK))
    assume(not any(map(is_gap, [*contents_of(old), *contents_of(new)])))
    at = text.index(old)
    assume(cuts_token(text, at, at + len(old)) == (False, False))
    if old[-1] in "\r\n" and text.endswith(old.rstrip("\r\n")):
        # The last line has no newline, and is the old text all the same.
        assert isinstance(locate(text, old), Ambiguous)
        assert not land(text, Replace(old, new)).landed
        return
    assert locate(text, old) == Exact(locate(text, old).span)  # type: ignore[union-attr]
    kinds = {end for end in split_lines(text)[1] if end}
    assume(
        {end for end in split_lines(new + "x")[1] if end} <= kinds
        if len(kinds) == 1
        else "\n" not in new
    )
    assume(len(kinds) <= 1 or "\r" not in new)
    outcome = land(text, Replace(old, new))
    spliced = text[:at] + new + text[at + len(old) :]
    lead = re.split(r"[\r\n]", text[:at])[-1]
    if lead and not lead.strip():
        # The old text begins in the indentation of a line: how the new lines are indented is a matter of lines.
        # A file without any line ending does not show how its lines end.
        assume(kinds or "\r" not in new)
        assert not isinstance(outcome, Landed) or _unindented(outcome.text) == _unindented(spliced)
        return
    if isinstance(outcome, Refused):
        # A mark that the file has nowhere is refused; the sentence names it.
        is_foreign = "where the file has plain characters" in outcome.message and not new.isascii()
        assert (
            is_foreign
            or outcome.reason == "already_applied"
            or _has_placeholder(outcome, new + "\n" + spliced)
        )
        return
    assert outcome.text == spliced
    assert outcome.rung == "exact"


@MOST_ARE_REFUSED
@given(replaces)
def test_landing_and_landing_the_reverse_gives_the_file_back_or_is_honestly_refused(
    case: tuple[str, str, str],
) -> None:
    text, old, new = case
    # Half of a line ending in a request is made a whole one, which the way back cannot know.
    assume(not old.endswith("\r") and not new.endswith("\r"))
    there = land(text, Replace(old, new))
    assume(isinstance(there, Landed) and there.rung == "exact")
    assert isinstance(there, Landed)
    back = land(there.text, Replace(new, old))
    if (
        isinstance(back, Landed)
        and back.rung == "exact"
        and back.spans[0].start == there.spans[0].start
    ):
        assert split_lines(back.text)[0] == split_lines(text)[0]


@given(replaces)
def test_a_request_landed_twice_never_edits_the_same_place_again(
    case: tuple[str, str, str],
) -> None:
    text, old, new = case
    # To take one of two blanks away leaves one to take away: nothing in the text says that it was done.
    assume(key_of(old) != key_of(new))
    once = land(text, Replace(old, new))
    assume(isinstance(once, Landed))
    assert isinstance(once, Landed)
    again = land(once.text, Replace(old, new))
    if isinstance(again, Refused):
        return
    # What lands again was there before the first landing, beside it; it is not what the first landing wrote.
    first, last = once.spans[0].start, once.spans[-1].end + len(once.text) - len(text)
    assert (
        again.spans[-1].end <= first
        or again.spans[0].start >= last
        or old not in once.text[first:last]
    )


@given(lines, lines, st.data())
def test_lines_that_say_something_and_were_written_once_are_not_written_twice(
    above: list[str], below: list[str], data: st.DataObject
) -> None:
    wanted = data.draw(
        st.lists(
            st.sampled_from(("first = load(1)", "second = save(2)", "    third(3)")),
            min_size=1,
            max_size=3,
        )
    )
    anchor = "anchor = begin()"
    text = "\n".join([*above, anchor, *below]) + "\n"
    request = Replace(anchor, "\n".join([anchor, *wanted]))
    once = land(text, request)
    assume(isinstance(once, Landed))
    assert isinstance(once, Landed)
    again = land(once.text, request)
    assert isinstance(again, Refused)
    assert again.reason == "already_applied"


@given(
    texts(),
    st.lists(st.tuples(st.integers(1, 12), st.text("xyz", max_size=3)), min_size=2, max_size=4),
)
def test_line_edits_land_wholly_and_in_any_order_or_not_at_all(
    text: str, wanted: list[tuple[int, str]]
) -> None:
    edits = tuple(LineEdit(n, n, new) for n, new in wanted)
    one = land(text, LineEdits(edits, shown=text))
    other = land(text, LineEdits(edits[::-1], shown=text))
    assert isinstance(one, Landed) == isinstance(other, Landed)
    if not isinstance(one, Landed):
        return
    assert one.text == other.text  # type: ignore[union-attr]
    before, after = split_lines(text)[0], split_lines(one.text)[0]
    numbers = {n - 1: new for n, new in wanted}
    expected = [
        line
        for n, old in enumerate(before)
        for line in (contents_of(numbers[n]) if n in numbers else [old])
    ]
    assert after == expected or (expected and expected[-1] == "" and after == expected[:-1])


@given(texts(), st.data())
def test_line_endings_and_the_missing_last_newline_are_kept(text: str, data: st.DataObject) -> None:
    mark = MARK if text.startswith(MARK) else ""
    body, ends = split_lines(text.removeprefix(MARK))
    assume(body)
    at = data.draw(st.integers(0, len(body) - 1))
    outcome = land(text, LineEdits((LineEdit(at + 1, at + 1, "fresh_line"),), shown=text))
    assume(isinstance(outcome, Landed))
    assert isinstance(outcome, Landed)
    assert outcome.text.startswith(mark)
    assert split_lines(outcome.text.removeprefix(mark)) == (
        [*body[:at], "fresh_line", *body[at + 1 :]],
        ends,
    )


@MOST_ARE_REFUSED
@given(cases)
def test_a_byte_order_mark_stays_in_front(case: tuple[str, Request]) -> None:
    text, request = MARK + case[0].lstrip(MARK), case[1]
    outcome = land(text, request)
    assume(isinstance(outcome, Landed))
    assert isinstance(outcome, Landed)
    assert outcome.text.startswith(MARK)


@given(st.text(ODD, max_size=200))
def test_lines_end_at_newlines_only(text: str) -> None:
    body, ends = split_lines(text)
    assert "".join(line + end for line, end in zip(body, ends, strict=True)) == text
    assert set(ends) <= {"\n", "\r\n", "\r", ""}
    assert not any("\n" in line or "\r" in line for line in body)
