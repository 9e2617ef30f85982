"""The token of a chat template that ends a reply, and a fence around the new text alone."""

from __future__ import annotations

import pytest

from holdfast import Landed, LineEdit, LineEdits, Patch, Replace, WriteFile, land, land_reply
from holdfast.vocab.requests import Request

FILE = "def one(a):\n    return a\n\n\nSIZE = 1\nWIDTH = 2\n"
EXPECTED = FILE.replace("WIDTH = 2", "WIDTH = 3")
OLD, NEW = "SIZE = 1\nWIDTH = 2\n", "SIZE = 1\nWIDTH = 3"
TOKENS = [
    "<|im_end|>",
    "<|eot_id|>",
    "<\uff5cend of sentence\uff5c>",
    "</s>",
    "<|im_end|><|eot_id|>",
    "[/INST]",
]


def requests_with(new: str) -> list[Request]:
    """Return each request that brings a new text of its own."""
    return [
        Replace(OLD, new),
        LineEdits((LineEdit(5, 6, new, old=OLD),)),
        LineEdits((LineEdit(5, 6, new),), shown=FILE),
        WriteFile(FILE.replace(OLD, new)),
    ]


@pytest.mark.parametrize("token", TOKENS)
@pytest.mark.parametrize("ending", ["{}\n", "{}", "\n{}\n"])
def test_a_token_that_ends_the_new_text_is_dropped(token: str, ending: str) -> None:
    for request in requests_with(NEW + ending.format(token)):
        outcome = land(FILE, request, "a.py")
        assert isinstance(outcome, Landed), (request, outcome)
        assert outcome.text.rstrip("\n") == EXPECTED.rstrip("\n"), request
        assert outcome.rung == "unmangled"
        assert "a token that ends a reply" in (outcome.warning or "")


@pytest.mark.parametrize("token", TOKENS)
def test_a_token_that_ends_a_diff_is_dropped(token: str) -> None:
    diff = f"@@ -5,2 +5,3 @@\n SIZE = 1\n WIDTH = 2\n+HEIGHT = 3{token}"
    outcome = land(FILE, Patch(diff), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text.rstrip("\n") == f"{FILE}HEIGHT = 3"
    assert "a token that ends a reply" in (outcome.warning or "")


@pytest.mark.parametrize(("path", "comment"), [("a.js", "// one"), ("a.py", "# one")])
def test_a_thought_above_a_whole_file_is_dropped(path: str, comment: str) -> None:
    file = f"{comment}\nlet = 1\nsize = 2\n"
    new = file.replace("2", "3")
    outcome = land(file, WriteFile(f"<think>\nOne change.\n</think>\n\n{new}"), path)
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == new
    assert "a thought above the text" in (outcome.warning or "")

    kept = land("", WriteFile(f"<think>\n{new}</think>\n"), "a.xml")
    assert isinstance(kept, Landed)
    assert kept.text == f"<think>\n{new}</think>\n"


@pytest.mark.parametrize(
    ("path", "file", "new"),
    [
        ("chat.py", 'END = "<|im_end|>"\nSIZE = 1\n', 'SIZE = 2  # "<|im_end|>"\n'),
        ("a.html", "<p>one</p>\nSIZE = 1\n", "<s>one</s>\n"),
        ("a.md", "one\n\nSIZE = 1\n", "It is <s>gone</s>\n"),
        ("a.html", "<s\nid=1>one\nSIZE = 1\n", "one</s>\n"),
    ],
)
def test_a_token_that_the_file_has_or_a_tag_of_markup_is_content(
    path: str, file: str, new: str
) -> None:
    outcome = land(file, Replace("SIZE = 1\n", new), path)
    assert isinstance(outcome, Landed)
    assert (outcome.text, outcome.rung) == (file.replace("SIZE = 1\n", new), "exact")


@pytest.mark.parametrize("path", ["a.md", "a.html", "a.php", "a.tsx"])
@pytest.mark.parametrize("token", ["</s>", "<eos>", "<end_of_turn>"])
def test_a_tag_that_closes_nothing_ends_a_reply_in_every_kind_of_file(
    path: str, token: str
) -> None:
    outcome = land("one\n<b>two</b>\n", WriteFile(f"1\n<b>two</b>\n{token}"), path)
    assert isinstance(outcome, Landed)
    assert outcome.text == "1\n<b>two</b>\n"


def test_a_fence_around_the_new_text_alone_is_dropped_from_edits_of_lines() -> None:
    fenced = f"```python\n{NEW}\n```\n"
    for request in requests_with(fenced)[:3]:
        outcome = land(FILE, request, "a.py")
        assert isinstance(outcome, Landed), (request, outcome)
        assert (outcome.text, outcome.rung) == (EXPECTED, "unmangled")


def test_a_fence_that_the_edit_adds_to_prose_stays() -> None:
    prose = "Run this:\n\nmake test\n\nThen look.\n"
    fenced = "```\nmake test\n```\n"
    outcome = land(prose, LineEdits((LineEdit(3, 3, fenced),), shown=prose), "a.md")
    assert isinstance(outcome, Landed)
    assert outcome.text == prose.replace("make test\n", fenced)


MARK = "\\ No newline at end of file\n"


def test_a_mark_about_the_end_of_the_file_counts_only_at_its_last_line() -> None:
    inside = f"@@ -1,2 +1,2 @@\n def one(a):\n-    return a\n+    return -a\n{MARK}"
    outcome = land(FILE, Patch(inside), "a.py")
    assert isinstance(outcome, Landed)
    assert outcome.text == FILE.replace("return a", "return -a")

    at_end = f"@@ -5,2 +5,2 @@\n SIZE = 1\n-WIDTH = 2\n+WIDTH = 3\n{MARK}"
    outcome = land(FILE, Patch(at_end), "a.py")
    assert isinstance(outcome, Landed)
    assert outcome.text == EXPECTED.removesuffix("\n")


def test_a_line_that_comes_back_is_undone_in_comments_too() -> None:
    file = "/*\n * one\n * two\n */\nint a;\nint b;\n"
    new = "/*\n\u00a0* one\n\u00a0* two\n\u00a0*/\nint a;\nint\u00a0c; // a\u00a0b and c\n"
    outcome = land(file, WriteFile(new), "a.c")
    assert isinstance(outcome, Landed)
    assert outcome.text == file.replace("int b;", "int c; // a b and c")


def test_the_blank_lines_that_a_token_took_the_place_of_come_back() -> None:
    text = "def one(a):\n    return a\n\n\nSIZE = 1\n"
    edit = Replace("    return a\n\n\n", "    return a + 1<|im_end|>\n")
    outcome = land(text, edit, "a.py")
    assert isinstance(outcome, Landed)
    assert outcome.text == text.replace("return a", "return a + 1")


def test_a_fence_around_one_new_line_is_dropped_in_markup() -> None:
    outcome = land(
        "<p>\n<b>one</b>\n</p>\n", Replace("<b>one</b>\n", "```\n<b>two</b>\n```\n"), "a.html"
    )
    assert isinstance(outcome, Landed)
    assert outcome.text == "<p>\n<b>two</b>\n</p>\n"


def test_a_closing_tag_in_brackets_that_the_new_text_opens_is_content() -> None:
    outcome = land("a = 1\n", Replace("a = 1\n", "a = 2\n# [INST] b [/INST]\n"), "a.py")
    assert outcome.landed
    assert outcome.text == "a = 2\n# [INST] b [/INST]\n"


SCRIPT = '#!/bin/sh\nset -e\n\npull "$@"\necho done\n'


def test_a_block_around_old_lines_that_is_written_wrongly_is_not_dropped() -> None:
    text = "def a():\n    first()\n    second()\n"
    old = "    first()\n    second()\n"
    new = f"    if ready() {{\n{old}    }}\n"
    outcome = land(text, Replace(old, new), "a.py")
    assert outcome.landed
    assert outcome.text == text.replace(old, new)
    assert "no longer parses as python" in (outcome.warning or "")


def test_a_pair_of_tags_with_which_the_file_no_longer_parses_is_dropped() -> None:
    old, new = 'pull "$@"\necho done\n', 'echo done\npull "$@" || exit 1\n'
    wrapped = f"<code>\n{new}</code>\n"
    for request in (Replace(old, wrapped), LineEdits((LineEdit(4, 5, wrapped, old=old),))):
        outcome = land(SCRIPT, request, "a.sh")
        assert outcome.landed
        assert outcome.text == SCRIPT.replace(old, new)


def test_tags_around_new_lines_of_a_language_with_tags_are_content() -> None:
    page = "export const A = () => (\n  <p>\n    {items}\n    {more}\n  </p>\n);\n"
    old = "    {items}\n    {more}\n"
    new = f"    <ul>\n{old}    </ul>\n"
    outcome = land(page, Replace(old, new), "a.tsx")
    assert outcome.landed
    assert outcome.text == page.replace(old, new)


def test_a_pair_of_tags_is_dropped_in_a_file_of_code_without_tags() -> None:
    old, new = "  size: 1\n  label: a\n", "  size: 2\n  label: a\n"
    wrapped = f"<code>\n{new}</code>\n"
    dropped = land(f"defmodule A\n{old}", Replace(old, wrapped), "a.zig")
    assert dropped.landed
    assert dropped.text == f"defmodule A\n{new}"

    kept = land(f"  <b>\n{old}", Replace(old, wrapped), "a.zig")
    assert kept.landed
    assert kept.text == f"  <b>\n{wrapped}"


def test_a_token_below_a_diff_or_json_is_no_part_of_the_reply() -> None:
    diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-a = 1\n+a = 2\n b = 1\n"
    for reply in (diff, '{"path": "a.py", "old": "a = 1", "new": "a = 2"}\n'):
        outcome = land_reply(f"{reply}<|im_end|>\n", {"a.py": "a = 1\nb = 1\n"})
        assert outcome.landed, outcome
        assert outcome.files == {"a.py": "a = 2\nb = 1\n"}


def test_a_token_on_a_line_of_its_own_leaves_no_blank_line() -> None:
    text = "http {\n    a 1;\n\n    b 2;\n}\n"
    outcome = land(text, Replace("http {\n    a 1;\n\n", "http {\n<|eot_id|>\n"), "a.conf")
    assert outcome.landed, outcome
    assert outcome.text == "http {\n    b 2;\n}\n"
