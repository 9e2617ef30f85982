"""Laws of the notations, for any text."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from typing import get_args

from hypothesis import assume, example, given
from hypothesis import strategies as st

from holdfast.landing.formats.begin_patch import read_patch
from holdfast.landing.formats.hunk_body import is_change
from holdfast.landing.formats.hunks import FileDiff, Hunk, HunkLine, Malformed, Mark
from holdfast.landing.formats.json_edits import read_json
from holdfast.landing.formats.parse import Format, parse
from holdfast.landing.formats.search_replace import read_blocks
from holdfast.landing.formats.unified import read_diff, read_shares
from holdfast.landing.text.lines import split_lines
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import (
    FileRequest,
    LineEdit,
    LineEdits,
    OneOf,
    Patch,
    Replace,
    WriteFile,
)

# ------------------------------------------------------------------------------------------------------ odd texts

MARKERS = [
    "--- a/x", "+++ b/x", "--- /dev/null", "+++ /dev/null", "--- -- x", "+++ ++ y", "--- ../x", "+++ /x", '--- "a/\\3',
    "@@", "@@ -1,2 +1,2 @@", "@@ -1 +1 @@ f", "@@ -0,0 +1,2 @@", "@@ def f", "@@ ... @@", "@@@", "@@ -9999999999999 +1 @@",
    "diff --git a/x b/x", "diff --git", "index 12..34 100644", "rename from x", "rename to y", "new file mode 100644",
    "deleted file mode 100644", "old mode 1", "copy from x", "Binary files a and b differ", "GIT binary patch",
    " context", "+added", "-removed", "+", "-", " ", "", "lost its marker", "\ttab", "\\ No newline at end of file",
    "```", "```diff", "~~~", "````", "<tool_call>", "</tool_call>", "<patch>", "</patch>", "<|im_end|>",
    "Sure! Here is the change.", "- an item of a list", "+ Another item", "---", "-- ", "2.40.1",
    "*** Begin Patch", "*** End Patch", "*** Update File: a", "*** Add File: b", "*** Delete File: c", "*** Move to: d",
    "*** End of File", " *** End Patch", "apply_patch <<'EOF'", "EOF",
    "<<<<<<< SEARCH", "<<<<< SEARCH x.py", "<<<<<<<<< SEARCH", "------- SEARCH", "=======", "=========", ">>>>>>> REPLACE",
    ">>>>> REPLACE", "+++++++ REPLACE", ":start_line:3", ":end_line:4", "-------", "<<<<<<< HEAD", ">>>>>>> branch",
    "src/a.py", "`b.py`:", "File: c d.py", "/etc/passwd",
    "{", "}", "[", "]", '{"path": "x", "old": "a", "new": "b"}', '"edits": [', '{"range": {"start": 1, "end": 2},', "null",
    "\x0c", "\u2028", "\x85", "\ufeff", "\udc80", "é", "\x00",
]  # fmt: skip

odd_lines = st.one_of(st.sampled_from(MARKERS), st.text(max_size=8))
odd_texts = st.tuples(
    st.lists(odd_lines, max_size=24),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\n"]),
).map(lambda drawn: drawn[1].join(drawn[0]) + drawn[2])


@given(odd_texts, st.sampled_from(get_args(Format)), st.booleans())
@example("[" * 100_000, "json", False)
@example('{"path": "x", "near_line": ' + "1" * 5000 + "}", "json", False)
@example("@@ -" + "1" * 5000 + " +1 @@\n+a", "diff", False)
def test_any_text_gives_requests_or_a_refusal_and_always_the_same(
    text: str, notation: Format, unwrap: bool
) -> None:
    found = parse(text, notation, unwrap)
    if isinstance(found, Refused):
        assert found.reason == "malformed"
        assert found.message.count("\n") in {1, *range(4, 8)}
        assert len(found.message.partition("\n")[0]) < 400
    else:
        assert found
        assert all(
            is_plain(path)
            for request in found
            for path in (request.path, request.to)
            if path is not None
        )
    assert parse(text, notation, unwrap) == found


def is_plain(path: str) -> bool:
    parts = path.split("/")
    return bool(path) and not {"", ".", ".."} & set(parts) and "\\" not in path


diff_lines = st.sampled_from(
    ["--- a/x", "+++ b/x", "--- old", "+++ new", "@@", "@@ -1,2 +1,2 @@", "@@ -3,4 +3,5 @@", "@@ f", "diff --git a/x b/x",
     "index 12..34", "*** End of File", " context", "+added", "-removed", " ", "", "lost", "\\ No newline", "```", "</patch>",
     "This is prose, really."]
)  # fmt: skip
likely_diffs = st.lists(diff_lines, max_size=16).map(
    lambda lines: "\n".join(["--- a/x", "+++ b/x", "@@", "-a", *lines])
)


@given(st.one_of(odd_texts, likely_diffs), st.booleans())
def test_each_share_of_a_diff_reads_back_as_itself(text: str, unwrap: bool) -> None:
    shares = read_shares(text, unwrap=unwrap)
    for share in () if isinstance(shares, Malformed) else shares:
        assert read_diff(share.text) == (share.diff,)


@given(st.one_of(odd_texts, likely_diffs))
def test_unwrapping_changes_nothing_about_a_bare_diff(text: str) -> None:
    bare = read_diff(text)
    if not isinstance(bare, Malformed):
        assert read_diff(text, unwrap=True) == bare


wrapped_diffs = st.tuples(
    st.lists(diff_lines, max_size=4), likely_diffs, st.lists(diff_lines, max_size=6)
).map(lambda parts: "\n".join(["```diff", *parts[0], parts[1], "```", *parts[2]]))


@given(st.one_of(odd_texts, likely_diffs, wrapped_diffs))
def test_unwrapping_drops_no_line_that_could_be_a_change(text: str) -> None:
    shares = read_shares(text, unwrap=True)
    if not isinstance(shares, Malformed):
        kept = Counter(line for share in shares for line in split_lines(share.text)[0])
        asked = Counter(
            line for line in split_lines(text.removeprefix("\ufeff"))[0] if is_change(line)
        )
        assert asked <= kept


# ------------------------------------------------------------------------------------------------- diffs by difflib

contents = st.one_of(
    st.sampled_from(
        ["", "a", "b", "c", " indented", "-- a comment", "++ a counter", "- item", "+ item", "@@ -1 +1 @@", "@@", "```diff",
         "```", "<tool_call>", "</patch>", "*** Begin Patch", "*** End of File", "\\ x", "\\ No newline at end of file",
         "diff --git a/x b/x", "<<<<<<< SEARCH", "=======", "\x0c", "a\u2028b", "\x85", "index 12..34", "rename from x",
         "Binary files a and b differ"]
    ),
    st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=6),
)  # fmt: skip
files = st.lists(contents, max_size=12)


@st.composite
def changes(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """A file's lines before and after, mostly the same."""
    before = draw(files)
    after = list(before)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(after)))
        after[at : at + draw(st.integers(0, 2))] = draw(st.lists(contents, max_size=2))
    assume(before != after)
    return before, after


def diff_of(before: list[str], after: list[str], path: str = "f", context: int = 3) -> str:
    lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}", n=context, lineterm="")
    return "".join(f"{line}\n" for line in lines)


def apply(before: list[str], diff: FileDiff) -> list[str]:
    """The lines after, by the numbers alone."""
    after: list[str] = []
    at = 0
    for hunk in diff.hunks:
        old = [line.text for line in hunk.lines if line.mark != "+"]
        assert hunk.start is not None
        start = hunk.start - 1 if old else hunk.start
        assert before[start : start + len(old)] == old
        after += before[at:start]
        after += [line.text for line in hunk.lines if line.mark != "-"]
        at = start + len(old)
    return after + before[at:]


def read(text: str, *, unwrap: bool = False) -> tuple[FileDiff, ...]:
    found = read_diff(text, unwrap=unwrap)
    assert not isinstance(found, Malformed), found.message
    return found


@given(changes(), st.integers(0, 3), st.sampled_from(["\n", "\r\n", "\r"]))
def test_what_difflib_writes_is_read_back_as_the_same_edit(
    change: tuple[list[str], list[str]], context: int, newline: str
) -> None:
    before, after = change
    (diff,) = read(diff_of(before, after, context=context).replace("\n", newline))
    assert (diff.old_path, diff.new_path) == ("f", "f")
    assert apply(before, diff) == after


@given(st.lists(changes(), min_size=2, max_size=4))
def test_the_diff_of_several_files_is_read_back_file_by_file(
    many: list[tuple[list[str], list[str]]],
) -> None:
    diffs = read("".join(diff_of(*change, path=f"f{i}") for i, change in enumerate(many)))
    assert [diff.new_path for diff in diffs] == [f"f{i}" for i in range(len(many))]
    assert [apply(before, diff) for (before, _), diff in zip(many, diffs, strict=True)] == [
        after for _, after in many
    ]


WRAPPERS = [
    ("```diff\n", "```\n"),
    ("Here is the change:\n\n~~~~\n", "~~~~\n\nIt is better now.\n"),
    ("<tool_call>\n", "</tool_call>\n"),
    ("Sure!\n<patch>\n", "</patch>\nDone.\n"),
    ("Here is the change.\n", ""),
    ("", "\nIt is better now.\n"),
    ("From 12\nSubject: x\n\n", "-- \n2.40.1\n"),
]


@given(changes(), st.sampled_from(WRAPPERS))
def test_a_wrapped_diff_is_refused_and_unwrapped_it_is_the_bare_one(
    change: tuple[list[str], list[str]], wrapper: tuple[str, str]
) -> None:
    bare = diff_of(*change)
    wrapped = f"{wrapper[0]}{bare}{wrapper[1]}"
    refused = read_diff(wrapped)
    assert isinstance(refused, Malformed)
    assert " outside the hunks; send the " in refused.message.partition("\n")[0]
    assert read(wrapped, unwrap=True) == read(bare)


@given(changes(), st.data())
def test_wrong_numbers_change_nothing_in_a_hunk_whose_lines_have_their_markers(
    change: tuple[list[str], list[str]], data: st.DataObject
) -> None:
    lines = diff_of(*change, context=99).split("\n")
    # Without counts nobody can tell these from headers, and a diff's author has to write the counts.
    assume(not any(line.startswith(("--- ", "+++ ")) for line in lines[3:]))
    lines[2] = data.draw(
        st.sampled_from(
            ["@@", "@@ -7,1 +7,1 @@", "@@ -1,99 +1,99 @@", "@@ ... @@", "@@ -0,0 +0,0 @@"]
        )
    )
    (diff,) = read("\n".join(lines))
    assert [line.mark + line.text for line in diff.hunks[0].lines] == lines[3:-1]


# ----------------------------------------------------------------------------------------------- other notations

words = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=8)


def lines_of(texts: list[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


@given(
    st.lists(st.one_of(words, st.just("=======")), min_size=1, max_size=6),
    st.lists(words, max_size=6),
)
def test_a_block_is_read_back_as_its_old_and_new_lines(old: list[str], new: list[str]) -> None:
    meant = Replace(lines_of(old), lines_of(new))
    found = read_blocks(f"a.py\n<<<<<<< SEARCH\n{meant.old}=======\n{meant.new}>>>>>>> REPLACE\n")
    if isinstance(found, Malformed):
        assert old[0] == "=======" or not any(old[: old.index("=======")])
        return
    (request,) = found
    assert (request.path, request.action) == ("a.py", "edit")
    assert request.request == meant or (
        isinstance(request.request, OneOf) and meant in request.request.readings
    )


@given(
    st.lists(st.one_of(words, st.sampled_from(MARKERS)), max_size=6).filter(
        lambda new: not any("\r" in x for x in new)
    )
)
def test_an_added_file_is_read_back_as_its_lines(new: list[str]) -> None:
    body = "".join(f"+{line}\n" for line in new)
    meant = (FileRequest("n.py", "create", WriteFile(lines_of(new))),)
    assert read_patch(f"*** Begin Patch\n*** Add File: n.py\n{body}*** End Patch\n") == meant
    assume(new)
    assert parse(f"--- /dev/null\n+++ b/n.py\n@@ -0,0 +1,{len(new)} @@\n{body}") == meant


marks: st.SearchStrategy[Mark] = st.sampled_from([" ", "+", "-"])
hunk_lines = st.lists(st.builds(HunkLine, marks, words), min_size=1, max_size=6).filter(
    lambda lines: any(line.mark != " " for line in lines)
)


@given(
    st.lists(
        st.tuples(st.lists(st.just("def f():"), max_size=2), hunk_lines, st.booleans()),
        min_size=1,
        max_size=3,
    )
)
def test_the_chunks_of_an_update_are_read_back_by_the_diff_reader(
    chunks: list[tuple[list[str], list[HunkLine], bool]],
) -> None:
    body = ""
    for anchors, lines, at_end in chunks:
        body += "".join(f"@@ {anchor}\n" for anchor in anchors) or "@@\n"
        body += "".join(f"{line.mark}{line.text}\n" for line in lines)
        body += "*** End of File\n" if at_end else ""
    assume("\n--- " not in body)
    found = read_patch(f"*** Begin Patch\n*** Update File: a.py\n{body}*** End Patch\n")
    assert not isinstance(found, Malformed)
    request = found[0].request
    assert isinstance(request, Patch)
    (diff,) = read(request.diff)
    assert diff.hunks == tuple(
        Hunk(tuple(lines), anchors=tuple(anchors), at_end=end) for anchors, lines, end in chunks
    )


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
numbers = st.integers(0, 10**6)
line_edits = st.lists(
    st.builds(LineEdit, numbers, numbers, texts, st.none() | texts), min_size=1, max_size=3
)


@given(texts, texts, st.none() | numbers, st.booleans(), line_edits)
def test_json_edits_are_read_back_as_they_were_meant(
    old: str, new: str, near: int | None, every: bool, edits: list[LineEdit]
) -> None:
    replace = {"path": "a.py", "old": old, "new": new, "near_line": near, "every": every}
    ranges = [
        {"range": {"start": edit.start, "end": edit.end}, "newText": edit.new, "oldText": edit.old}
        for edit in edits
    ]
    assert read_json(json.dumps([replace, {"path": "b.py", "edits": ranges}])) == (
        FileRequest("a.py", "edit", Replace(old, new, near, every)),
        FileRequest("b.py", "edit", LineEdits(tuple(edits))),
    )
