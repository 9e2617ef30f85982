"""SEARCH/REPLACE blocks."""

from __future__ import annotations

import pytest

from holdfast import ReplyLanded, land_reply, parse
from holdfast.landing.formats.hunks import Malformed
from holdfast.landing.formats.search_replace import EXAMPLE, read_blocks
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import FileRequest, OneOf, Replace, WriteFile

BLOCK = "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n"
REPLACE = Replace("old\n", "new\n")


def refusal(text: str) -> str:
    found = read_blocks(text)
    assert isinstance(found, Malformed), found
    return found.message.partition("\n")[0]


@pytest.mark.parametrize(
    "above",
    [
        "src/a.py",
        "./src/a.py",
        "src/a.py:",
        "`src/a.py`",
        "`src/a.py`:",
        "**src/a.py**",
        "**`src/a.py`**:",
        "# src/a.py",
        "### src/a.py",
        "### `src/a.py`",
        "// src/a.py",
        "> src/a.py",
        "- src/a.py",
        "1. src/a.py",
        "File: src/a.py",
        "file: `src/a.py`",
        "**File:** src/a.py",
        "path: src/a.py",
        "Path = src/a.py",
        "Filename: src/a.py",
        "src/a.py (new)",
        "In `src/a.py`, change this:",
        "src/a.py\n",
        "src/a.py\n\n\n",
        "src/a.py\n```python",
        "```python\nsrc/a.py",
        "```python\n# src/a.py",
        "````\nsrc/a.py",
        "```python src/a.py",
        "```src/a.py",
        "```python:src/a.py",
        "src/a.py\nHere we rename it.\n```python",
        "src/a.py\nOne.\n\nTwo.\n```",
    ],
)
def test_the_path_stands_above_the_block_with_any_decoration(above: str) -> None:
    fence = "```\n" if "```" in above else ""
    assert read_blocks(f"Sure, here you go.\n\n{above}\n{BLOCK}{fence}\nDone.\n") == (
        FileRequest("src/a.py", "edit", REPLACE),
    )


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Makefile", "Makefile"),
        ("Dockerfile", "Dockerfile"),
        ("LICENSE", "LICENSE"),
        (".gitignore", ".gitignore"),
        ("a.py", "a.py"),
        ("File: my docs/the plan.md", "my docs/the plan.md"),
        ("src/no_extension", "src/no_extension"),
    ],
)
def test_a_path_may_lack_a_folder_or_an_extension(name: str, path: str) -> None:
    assert read_blocks(f"{name}\n{BLOCK}") == (FileRequest(path, "edit", REPLACE),)


@pytest.mark.parametrize(
    "block",
    [
        BLOCK,
        BLOCK.replace("<<<<<<< SEARCH", "<<<<<<<SEARCH").replace(
            ">>>>>>> REPLACE", ">>>>>>>REPLACE  "
        ),
        BLOCK.replace("SEARCH", "SEARCH>"),
        BLOCK.replace("SEARCH", "SEARCH:"),
        BLOCK.replace("<<<<<<< SEARCH", "------- SEARCH").replace(
            ">>>>>>> REPLACE", "+++++++ REPLACE"
        ),
        BLOCK.replace("<<<<<<< SEARCH", "------- SEARCH"),
        BLOCK.replace("\n", "\r\n"),
    ],
)
def test_the_markers_may_be_spelt_in_several_ways(block: str) -> None:
    assert read_blocks(f"a.py\n{block}") == (FileRequest("a.py", "edit", REPLACE),)


@pytest.mark.parametrize(
    "opener", ["<<<<<<< SEARCH src/b.py", "<<<<<<< SEARCH: src/b.py", "<<<<<<< SEARCH `src/b.py`"]
)
def test_the_path_may_stand_behind_the_opening_marker(opener: str) -> None:
    text = BLOCK.replace("<<<<<<< SEARCH", opener)
    assert read_blocks(f"a.py\n{text}") == (FileRequest("src/b.py", "edit", REPLACE),)


def test_a_path_is_kept_for_the_following_blocks_until_another_is_named() -> None:
    text = f"a.py\n{BLOCK}{BLOCK}\nAnd once more.\n\n{BLOCK}\nb.py\n{BLOCK}Then `c.py` uses it.\n{BLOCK}"
    found = read_blocks(text)
    assert not isinstance(found, Malformed)
    assert [request.path for request in found] == ["a.py", "a.py", "a.py", "b.py", "b.py"]


def test_an_empty_search_makes_a_new_file() -> None:
    text = "n.py\n<<<<<<< SEARCH\n=======\none\n\ntwo\n>>>>>>> REPLACE\n"
    assert read_blocks(text) == (FileRequest("n.py", "create", WriteFile("one\n\ntwo\n")),)


def test_an_empty_replacement_removes_whole_lines() -> None:
    text = "a.py\n<<<<<<< SEARCH\none\ntwo\n=======\n>>>>>>> REPLACE\n"
    assert read_blocks(text) == (FileRequest("a.py", "edit", Replace("one\ntwo\n", "")),)


@pytest.mark.parametrize(
    "prefix",
    [":start_line:12\n-------\n", ":start_line:12\n:end_line:14\n-------\n", ":start_line: 12\n"],
)
def test_a_start_line_is_a_hint_and_no_content(prefix: str) -> None:
    text = f"a.py\n<<<<<<< SEARCH\n{prefix}old\n=======\nnew\n>>>>>>> REPLACE\n"
    assert read_blocks(text) == (
        FileRequest("a.py", "edit", Replace("old\n", "new\n", near_line=12)),
    )


def test_dashes_without_a_start_line_are_content() -> None:
    text = "a.md\n<<<<<<< SEARCH\n-------\nold\n=======\nnew\n>>>>>>> REPLACE\n"
    assert read_blocks(text) == (FileRequest("a.md", "edit", Replace("-------\nold\n", "new\n")),)


def test_several_dividers_give_every_reading() -> None:
    text = (
        "a.md\n<<<<<<< SEARCH\nTitle\n=======\nold\n=======\nTitle\n=======\nnew\n>>>>>>> REPLACE\n"
    )
    assert read_blocks(text) == (
        FileRequest(
            "a.md",
            "edit",
            OneOf(
                (
                    Replace("Title\n", "old\n=======\nTitle\n=======\nnew\n"),
                    Replace("Title\n=======\nold\n", "Title\n=======\nnew\n"),
                    Replace("Title\n=======\nold\n=======\nTitle\n", "new\n"),
                )
            ),
        ),
    )


def test_a_divider_as_long_as_the_opening_marker_is_the_divider() -> None:
    text = "a.md\n<<<<<<<<< SEARCH\n=======\nT\n=======\n=========\nU\n=======\n>>>>>>>>> REPLACE\n"
    assert read_blocks(text) == (
        FileRequest("a.md", "edit", Replace("=======\nT\n=======\n", "U\n=======\n")),
    )


def test_longer_markers_hold_a_whole_block_as_content() -> None:
    text = f"a.md\n<<<<<<<<< SEARCH\nold\n=========\n{BLOCK}>>>>>>>>> REPLACE\n"
    assert read_blocks(text) == (FileRequest("a.md", "edit", Replace("old\n", BLOCK)),)


@pytest.mark.parametrize(
    "text",
    [
        "a.py\n<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
        "a.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>> REPLACE\n<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n",
        BLOCK.replace("<<<<<<<", "<<<<<"),
        BLOCK.replace("<<<<<<<", "<<<<<<<<<").replace(">>>>>>>", ">>>>>"),
        BLOCK.replace("=======", "========="),
        *(
            "<<<<<<< SEARCH\na\n=======\nb\n" + BLOCK.replace("<<<<<<< SEARCH", second)
            for second in ("<<<<<< SEARCH", "<<<<<<<< SEARCH", "------- SEARCH")
        ),
    ],
)
def test_a_block_with_markers_of_several_lengths_is_refused(text: str) -> None:
    assert "this block " in refusal(f"a.py\n{text}")


def test_conflict_markers_are_content() -> None:
    conflict = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n"
    found = read_blocks(f"a.py\n<<<<<<< SEARCH\n{conflict}=======\nours\n>>>>>>> REPLACE\n")
    assert not isinstance(found, Malformed)
    request = found[0].request
    assert isinstance(request, OneOf)
    assert Replace(conflict, "ours\n") in request.readings


def test_form_feeds_in_a_block_are_content() -> None:
    text = "a.py\n<<<<<<< SEARCH\na\x0cb\n=======\na\u2028b\n>>>>>>> REPLACE\n"
    assert read_blocks(text) == (FileRequest("a.py", "edit", Replace("a\x0cb\n", "a\u2028b\n")),)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Nothing to do.\n", "there is no line `<<<<<<< SEARCH`; write each edit so:"),
        (
            BLOCK,
            "line 1: this block names no file; put its path on the line above, such as src/a.py or ./name:",
        ),
        (
            f"Here is the change:\n{BLOCK}",
            "line 2: this block names no file; put its path on the line above, such as src/a.py or ./name:",
        ),
        (
            "a.py\n<<<<<<< SEARCH\nold\n=======\nnew\n",
            "line 2: this block is not closed; end it with `>>>>>>> REPLACE`:",
        ),
        (
            f"a.py\n<<<<<<< SEARCH\nold\n=======\nnew\n{BLOCK}",
            "line 2: this block is not closed; end it with `>>>>>>> REPLACE`:",
        ),
        (
            "a.py\n<<<<<<< SEARCH\nold\nnew\n>>>>>>> REPLACE\n",
            "line 2: this block has no line `=======` between the old and the new lines:",
        ),
        (
            f"/etc/hosts\n{BLOCK}",
            "line 2: the path /etc/hosts is absolute; write it from the project root, such as src/a.py.",
        ),
        (
            f"../a.py\n{BLOCK}",
            "line 2: the path ../a.py leaves the project; write it from the project root, such as src/a.py.",
        ),
        (
            f"C:\\a.py\n{BLOCK}",
            "line 2: the path C:\\a.py is absolute; write it from the project root, such as src/a.py.",
        ),
        (
            f"src\\a.py\n{BLOCK}",
            "line 2: the path src\\a.py has backslashes; write it with /, from the project root.",
        ),
        (
            f"a.py\n{BLOCK}".replace("SEARCH", "SEARCH for it"),
            'line 2: "for it" is no path; put the path on the line above SEARCH:',
        ),
        (
            f"a.py\n{BLOCK}\n--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-a\n+b\n",
            'line 8: "--- a/b.py" is outside of all blocks; write each edit so:',
        ),
        (
            f"a.py\n{BLOCK}\n<<<<<<<\nold\n=======\nnew\n>>>>>>>\n",
            'line 8: "<<<<<<<" is outside of all blocks; write each edit so:',
        ),
        (
            f"a.py\n<<<SEARCH>\nold\n===\nnew\n>>>>>>> REPLACE\n{BLOCK}",
            'line 2: "<<<SEARCH>" is outside of all blocks; write each edit so:',
        ),
        (
            f"a.py\n{BLOCK}\n  SEARCH\nold\n=======\nnew\n  >>> replace\n",
            'line 8: "SEARCH" is outside of all blocks; write each edit so:',
        ),
        (
            f"*** Update File: a.py\n{BLOCK}",
            'line 1: "*** Update File: a.py" is outside of all blocks; write each edit so:',
        ),
    ],
)
def test_what_is_wrong_is_said_with_the_place_and_the_cure(text: str, sentence: str) -> None:
    assert refusal(text) == sentence
    found = read_blocks(text)
    assert isinstance(found, Malformed)
    assert found.message == f"{sentence}\n{EXAMPLE}"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            "=======\nTitle\n=======\n=======\nNew\n",
            id="a new file, or an old text that begins so",
        ),
        pytest.param("x\n" + "=======\n" * 9, id="too many readings"),
    ],
)
def test_a_block_that_cannot_be_split_is_refused_with_longer_markers_as_the_cure(body: str) -> None:
    found = read_blocks(f"a.rst\n<<<<<<< SEARCH\n{body}>>>>>>> REPLACE\n")
    assert found == Malformed(
        "line 2: a.rst: the block contains several lines `=======`; write it with longer markers, which those are not:\n"
        "src/file.py\n<<<<<<<<< SEARCH\nthe old lines\n=========\nthe new lines\n>>>>>>>>> REPLACE"
    )


def test_a_word_above_a_block_does_not_replace_a_path_that_was_named() -> None:
    block = "<<<<<<< SEARCH\n{0}\n=======\ny\n>>>>>>> REPLACE\n"
    read = read_blocks(f"a.py\n{block.format('x')}\nAlso\n{block.format('z')}")
    assert not isinstance(read, Malformed)
    assert [request.path for request in read] == ["a.py", "a.py"]


@pytest.mark.parametrize(
    ("opener", "closer"), [("search", "replace"), ("ORIGINAL", "UPDATED"), ("Original", "Updated")]
)
def test_a_block_may_be_marked_by_other_words(opener: str, closer: str) -> None:
    text = f"a.py\n<<<<<<< {opener}\nx\n=======\ny\n>>>>>>> {closer}\n"
    assert read_blocks(text) == (FileRequest("a.py", "edit", Replace("x\n", "y\n")),)
    # Its twin: the marks of a merge conflict.
    conflict = text.replace(opener, "HEAD").replace(closer, "topic")
    assert isinstance(read_blocks(conflict), Malformed)


def test_markers_of_a_block_may_be_longer_if_all_are_so_and_are_not_indented() -> None:
    long = BLOCK.replace("<" * 7, "<" * 12).replace("=" * 7, "=" * 12).replace(">" * 7, ">" * 12)
    change = FileRequest("a.py", "edit", Replace("old\n", "new\n"))
    assert read_blocks(f"a.py\n{BLOCK}{long}") == (change, change)
    indented = "  <<<<<<< SEARCH\nold\n  =======\nnew\n  >>>>>>> REPLACE\n"
    short = BLOCK.replace("<<<<<<<", "<<<").replace("=======", "===").replace(">>>>>>>", ">>>")
    for block in (indented, short):
        assert isinstance(parse(f"a.py\n{block}"), Refused)
        assert isinstance(parse(f"a.py\n{block}{BLOCK}"), Refused)


def test_a_prompt_is_no_marker_of_a_block() -> None:
    text = "a.md\n<<<<<<< SEARCH\n>>> replace\n=======\n>>> search\n>>>>>>> REPLACE\n"
    change = Replace(">>> replace\n", ">>> search\n")
    assert read_blocks(text) == (FileRequest("a.md", "edit", change),)


def test_a_marker_that_is_written_twice_is_refused() -> None:
    assert "is outside of all blocks" in refusal(f"a.py\n{BLOCK}>>>>>>> REPLACE\n")
    assert "is not closed" in refusal(f"a.py\n<<<<<<< SEARCH\n{BLOCK}")


GUIDE = "Guide\n=======\nRun it.\n\nLog\n=======\nNone.\n"
RENAMED = "a.md\n<<<<<<< SEARCH\n{old}\n=======\nManual\n=======\nRun it.\n>>>>>>> REPLACE\n"


def test_of_several_dividers_the_one_below_the_longest_old_text_of_the_file_counts() -> None:
    outcome = land_reply(RENAMED.format(old="Guide\n=======\nRun it."), {"a.md": GUIDE})
    assert isinstance(outcome, ReplyLanded)
    assert outcome.files == {"a.md": GUIDE.replace("Guide", "Manual")}


def test_a_divider_that_the_file_has_below_the_old_text_does_not_end_it() -> None:
    outcome = land_reply(RENAMED.format(old="Guide\n=======\nRun that thing."), {"a.md": GUIDE})
    assert isinstance(outcome, Refused)
    assert outcome.reason == "ambiguous"
