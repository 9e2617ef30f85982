"""The library face: a whole reply on several texts, bytes in and out, and clear errors for a wrong type."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from holdfast import (
    Landed,
    Refused,
    Replace,
    WriteFile,
    decode,
    encode,
    explain,
    land,
    land_reply,
    locate,
    parse,
)

BLOCK = "{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"
FILES = {"a.py": "x = 1\ny = 2\n", "b.py": "z = 3\n"}


def block(path: str, old: str, new: str) -> str:
    return BLOCK.format(path=path, old=old, new=new)


def test_the_edits_of_a_reply_land_in_order_each_on_the_result_of_the_one_before() -> None:
    reply = (
        block("a.py", "x = 1", "x = 5")
        + block("b.py", "z = 3", "z = 4")
        + block("a.py", "x = 5", "x = 6")
    )
    result = land_reply(reply, FILES)
    assert result.landed
    assert result.files == {"a.py": "x = 6\ny = 2\n", "b.py": "z = 4\n"}
    assert [path for path, _ in result.outcomes] == ["a.py", "b.py", "a.py"]


def test_one_edit_that_cannot_land_refuses_the_reply_and_changes_nothing() -> None:
    files = dict(FILES)
    result = land_reply(block("a.py", "x = 1", "x = 5") + block("b.py", "q = 9", "q = 8"), files)
    assert isinstance(result, Refused)
    assert (result.landed, result.reason) == (False, "not_found")
    assert result.message.startswith("b.py: ")
    assert files == FILES


def test_a_file_is_created_deleted_and_renamed() -> None:
    diff = (
        "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+n = 1\n"
        "--- a/b.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-z = 3\n"
        "diff --git a/a.py b/c.py\nsimilarity index 100%\nrename from a.py\nrename to c.py\n"
    )
    result = land_reply(diff, FILES)
    assert result.landed, result
    assert result.files == {"new.py": "n = 1\n", "b.py": None, "a.py": None, "c.py": FILES["a.py"]}


@pytest.mark.parametrize(
    ("reply", "reason", "words"),
    [
        ("hello", "malformed", "there is no edit here"),
        (
            block("q.py", "x", "y"),
            "not_found",
            "q.py: there is no such file; the files are a.py, b.py.",
        ),
        ('{"path": "a.py", "content": "x"}', "conflict", "a.py: the file to create exists already"),
    ],
)
def test_a_reply_that_fits_no_file_says_why(reply: str, reason: str, words: str) -> None:
    result = land_reply(reply, FILES)
    assert isinstance(result, Refused)
    assert (result.reason, words in result.message) == (reason, True), result.message


def test_outcomes_say_whether_they_landed() -> None:
    assert land("a", Replace("a", "b")).landed is True
    assert land("a", Replace("q", "b")).landed is False


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: land(b"a", Replace("a", "b")), "land: text must be str, not bytes"),
        (
            lambda: land("a", {"old": "a"}),
            "land: request must be Replace, Patch, LineEdits, WriteFile, OneOf, not dict",
        ),
        (lambda: parse(b"a"), "parse: text must be str, not bytes"),
        (lambda: locate("a", None), "locate: old must be str, not NoneType"),
        (lambda: land_reply("a", ["a.py"]), "land_reply: files must be Mapping, not list"),
        (lambda: explain("a"), "explain: outcome must be Landed, Refused, not str"),
    ],
)
def test_a_wrong_type_is_named(call: object, message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        call()  # type: ignore[operator]


def test_bytes_come_back_as_they_were() -> None:
    data = b"\xef\xbb\xbfname = '\xc3\xa9'\r\nrest = 1\r\n"
    file = decode(data)
    outcome = land(file.text, Replace("rest = 1", "rest = 2"))
    assert isinstance(outcome, Landed)
    assert encode(outcome.text, file.encoding) == data.replace(b"1", b"2")


def test_the_edit_tool_of_the_documentation_works(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/landing.md").read_text(encoding="utf-8")
    source = page.split("```python\n", 1)[1].split("```", 1)[0]
    assert source.count("\n") <= 32
    names: dict[str, object] = {}
    exec(compile(source, "docs/landing.md", "exec"), names)  # noqa: S102 - the page's own example
    edit = names["edit"]
    (tmp_path / "a.py").write_bytes(b"x = 1\n")
    assert (
        edit(tmp_path, block("a.py", "x = 1", "x = 2")) == "a.py: Landed at line 1.\n-x = 1\n+x = 2"
    )  # type: ignore[operator]
    assert (tmp_path / "a.py").read_bytes() == b"x = 2\n"
    assert ".." in edit(tmp_path, block("../a.py", "x = 1", "x = 2"))  # type: ignore[operator]
    assert "not in the file" in edit(tmp_path, block("a.py", "q = 1", "q = 2"))  # type: ignore[operator]
    assert edit(tmp_path, '{"path": "sub/n.py", "content": "n = 1\\n"}').startswith(
        "sub/n.py: Landed"
    )  # type: ignore[operator]
    assert (tmp_path / "sub/n.py").read_text() == "n = 1\n"


def test_a_whole_file_in_a_fence_is_refused_in_markdown_too() -> None:
    fenced = WriteFile("```markdown\n# T\n\nNew.\n```\n")
    outcome = land("# T\n\nText.\n", fenced, path="README.md")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"
