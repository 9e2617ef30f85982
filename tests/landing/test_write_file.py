"""Whole files."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from holdfast import Landed, Refused, Replace, WriteFile, land


def test_a_whole_file_replaces_the_text_and_shows_what_changed() -> None:
    outcome = land("a\nb\nc\n", WriteFile("a\nx\nc\n"))
    assert isinstance(outcome, Landed)
    assert (outcome.text, outcome.rung) == ("a\nx\nc\n", "exact")
    assert outcome.diff == "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"


@pytest.mark.parametrize(
    ("before", "new", "after"),
    [
        ("a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n"),
        ("\ufeffa\n", "b\n", "\ufeffb\n"),
        ("", "b\n", "b\n"),
        ("a\n", "", ""),
    ],
)
def test_the_files_newlines_and_byte_order_mark_stay(before: str, new: str, after: str) -> None:
    outcome = land(before, WriteFile(new))
    assert isinstance(outcome, Landed)
    assert outcome.text == after


@pytest.mark.parametrize(
    "line",
    [
        "# ... rest of code unchanged ...",
        "// ... existing code ...",
        "/* ... */",
        "<!-- rest of the page stays the same -->",
        "    # (rest of the methods remain unchanged)",
    ],
)
def test_a_placeholder_for_code_is_refused(line: str) -> None:
    outcome = land("a\nb\nc\n", WriteFile(f"a\n{line}\n"))
    assert isinstance(outcome, Refused)
    assert outcome.reason == "elision"
    assert line.strip() in outcome.message


def test_a_placeholder_that_the_file_has_already_is_content() -> None:
    assert isinstance(
        land("a\n# ... existing code ...\n", WriteFile("b\n# ... existing code ...\n")), Landed
    )


def test_an_ellipsis_that_is_code_is_no_placeholder() -> None:
    assert isinstance(
        land("", WriteFile("class P(Protocol):\n    def f(self) -> int:\n        ...\n")), Landed
    )


def test_the_same_text_is_no_change() -> None:
    outcome = land("a\n", WriteFile("a\n"))
    assert isinstance(outcome, Refused)
    assert outcome.reason == "no_change"


def test_a_fence_around_the_whole_file_is_refused_except_in_markdown() -> None:
    outcome = land("a = 1\n", WriteFile("```python\na = 2\n```\n"), path="a.py")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"
    assert isinstance(land("x\n", WriteFile("```sh\nmake\n```\n"), path="a.md"), Landed)


@pytest.mark.parametrize(
    ("before", "new", "after"),
    [
        ("a\nb\n", "a\r\nc\r\n", "a\nc\n"),
        ("a\r\nb\r\n", "a\r\nc\n", "a\r\nc\r\n"),
        ("a\r\nb\nc\n", "a\nb\nd\n", "a\r\nb\nd\n"),
        ("a\nb\n", "a\nc", "a\nc\n"),
        ("a\nb", "a\nc\n", "a\nc"),
        ("a\nb\n", "\ufeffa\nc\n", "a\nc\n"),
    ],
)
def test_the_file_keeps_its_own_conventions(before: str, new: str, after: str) -> None:
    outcome = land(before, WriteFile(new))
    assert isinstance(outcome, Landed)
    assert (outcome.text, outcome.warning) == (after, None)


CS = (
    "class S\n{\n    int A()\n    {\n        var a = 1;\n        return a;\n    }\n\n"
    "    int B()\n    {\n        var b = 2;\n        return b;\n    }\n\n"
    "    int C()\n    {\n        var c = 3;\n        return c;\n    }\n}\n"
)
B_BLOCK = CS[CS.index("    int B") : CS.index("    int C")]


def test_a_comment_in_the_place_of_a_block_is_a_placeholder() -> None:
    new = CS.replace(B_BLOCK, "    // unchanged\n").replace("a = 1", "a = 9")
    outcome = land(CS, WriteFile(new), "a.cs")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "elision"
    without = CS.replace(B_BLOCK, "").replace("a = 1", "a = 9")
    assert isinstance(land(CS, WriteFile(without), "a.cs"), Landed)
    # A comment where a block is replaced by another is about that block.
    other = CS.replace(B_BLOCK, "    // one line\n    int D() { return 4; }\n\n")
    assert isinstance(land(CS, WriteFile(other), "a.cs"), Landed)


def test_a_comment_is_about_new_lines_or_about_a_line_that_it_comments_out() -> None:
    checks = "def test():\n    with a:\n        b()\n    with c:\n        d()\n    e()\n"
    new = "def test():\n    # it returns an error now\n    x = b()\n    y = d()\n    f(x, y)\n"
    assert isinstance(land(checks, WriteFile(new), "a.py"), Landed)
    text = "a: 1\ngithub: x\nb: 2\n"
    assert isinstance(land(text, WriteFile(text.replace("github", "# github")), "a.yml"), Landed)


def test_words_in_brackets_for_rows_of_data_are_a_placeholder() -> None:
    csv = "id,name\n" + "".join(f"{n},x{n}\n" for n in range(9))
    new = "id,name\n0,z\n1,x1\n(rest unchanged)\n7,x7\n8,x8\n"
    assert isinstance(land(csv, WriteFile(new), "a.csv"), Refused)
    assert isinstance(land(csv, WriteFile(new.replace("(rest unchanged)\n", "")), "a.csv"), Landed)


def test_the_last_of_several_newlines_at_the_end_is_kept_unless_it_is_all_that_changes() -> None:
    text = "a = 1\nb = 2\n\n"
    changed = land(text, WriteFile("a = 9\nb = 2\n"), "a.py")
    assert isinstance(changed, Landed)
    assert changed.text == "a = 9\nb = 2\n\n"
    longer = land(text, WriteFile("a = 9\nb = 2\n\n\n"), "a.py")
    assert isinstance(longer, Landed)
    assert longer.text == "a = 9\nb = 2\n\n"
    another = land("a = 1\nb = 2\n", WriteFile("a = 1\nb = 3\n\n\n"), "a.py")
    assert isinstance(another, Landed)
    assert another.text == "a = 1\nb = 3\n"
    bare = land("a = 1\nb = 2", WriteFile("a = 1\nb = 3\n\n"), "a.py")
    assert isinstance(bare, Landed)
    assert bare.text == "a = 1\nb = 3"
    # Its twins: only the newline goes; another line is the last one.
    alone = land(text, WriteFile("a = 1\nb = 2\n"), "a.py")
    assert isinstance(alone, Landed)
    assert alone.text == "a = 1\nb = 2\n"
    other = land(text, WriteFile("a = 9\nb = 3\n"), "a.py")
    assert isinstance(other, Landed)
    assert other.text == "a = 9\nb = 3\n"


CODE = "def one(a):\n    return a / 2\n\n\ndef two(b):\n\treturn f'{b}'\n\n\nVALUE = one(1)\n"
CHANGED = CODE.replace("VALUE", "SIZE")


def each_line(mark: str) -> str:
    return "".join(f"{mark}{line}\n" for line in CHANGED.split("\n")[:-1])


@pytest.mark.parametrize(
    "new",
    [
        *map(each_line, ("+", "+ ", "> ", "    ", " ")),
        f"<content>\n{CHANGED}</content>\n",
        f'<file path="a.py">\n{CHANGED}</file>\n',
        f"{CHANGED}<|im_end|>\n",
        json.dumps(CHANGED),
        CHANGED.replace("\n", "  \n"),
        f"Here it is:\n\n```python\n{CHANGED}```\n\nDone.\n",
    ],
)
def test_what_is_around_a_whole_file_or_on_each_of_its_lines_is_undone(new: str) -> None:
    outcome = land(CODE, WriteFile(new), "src/a.py")
    assert isinstance(outcome, Landed), outcome
    assert (outcome.text, outcome.rung) == (CHANGED, "unmangled")
    assert "undone" in (outcome.warning or "")


@pytest.mark.parametrize(
    "new",
    [
        f"{CHANGED}```\n",
        f"{CHANGED}\n```\n",
        f"*** Begin Patch\n*** Add File: a.py\n{each_line('+')}*** End Patch\n",
        f"--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,9 @@\n{each_line('+')}",
        f"a.py\n<<<<<<< SEARCH\n=======\n{CHANGED}>>>>>>> REPLACE\n",
        f"**src/a.py**\n{CHANGED}",
    ],
)
def test_half_of_a_fence_and_marks_of_a_notation_around_a_whole_file_are_refused(new: str) -> None:
    outcome = land(CODE, WriteFile(new), "src/a.py")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "malformed"


def test_a_text_for_people_in_a_fence_with_many_new_lines_is_refused() -> None:
    text = "# One\n\ntwo\n\nthree\n"
    new = f"{text}\n## Four\n\nfive\n\nsix\n\nseven\n"
    outcome = land(text, WriteFile(f"Here it is:\n\n```markdown\n{new}```\n\nDone.\n"), "a.md")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"
    # Its twin: only some of the lines are in the fence.
    some = land(text, WriteFile("# One\n\n```\ntwo\n```\n\nthree\n"), "a.md")
    assert isinstance(some, Landed)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_trailing_blanks_that_the_lines_of_the_file_do_not_have_are_undone(newline: str) -> None:
    text, changed = CODE.replace("\n", newline), CHANGED.replace("\n", newline)
    new = CHANGED.replace(":\n", ":  \n").replace("2\n", "2 \n")
    outcome = land(text, WriteFile(new), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert (outcome.text, outcome.rung) == (changed, "unmangled")
    once = land(text, WriteFile(CHANGED.replace("b}'\n", "b}' \n")), "a.py")
    assert isinstance(once, Landed)
    assert once.text == changed
    # Its twin: the file has such a line, so blanks of a single line may be meant.
    kept = land(
        f"A = 1  {newline}{text}",
        WriteFile("A = 1  \n" + CHANGED.replace("b}'\n", "b}' \n")),
        "a.py",
    )
    assert isinstance(kept, Refused)
    assert "has trailing blanks where the file has plain characters" in kept.message


@pytest.mark.parametrize(
    ("path", "text", "new"),
    [
        # The mark is all that changes.
        ("a.md", "one\ntwo\nthree\n", "> one\n> two\n> three\n"),
        # The file has such a line, or is markup.
        ("a.diff", "--- a\n+++ b\n@@ -1 +1 @@\n-x\n", "--- c\n+++ b\n@@ -1 +1 @@\n-x\n"),
        ("a.txt", "<content>\none\n</content>\n", "<content>\ntwo\n</content>\n"),
        ("a.html", "<p>one</p>\n", "<content>\n<p>two</p>\n</content>\n"),
        ("a.md", "one\ntwo\n", "```\none\n```\ntwo three\n"),
        ("a.sql", "SELECT a;\n", "CREATE TABLE b AS c;\nSELECT a;\n"),
        ("a.md", "one\ntwo -- three\nfour -- five\n", "1\ntwo \u2014 three\nfour \u2014 five\n"),
    ],
)
def test_what_may_be_content_of_a_whole_file_stays(path: str, text: str, new: str) -> None:
    outcome = land(text, WriteFile(new), path)
    assert isinstance(outcome, Landed), outcome
    assert (outcome.text, outcome.warning) == (new, None)


@pytest.mark.parametrize(
    ("path", "text", "new"),
    [
        ("a.js", "f(1)\ng(2)\n", "f(1)\ng(3)\n"),
        ("a.php", "<?php\n\nf(1);\n", "<?php\n\nf(2);\n"),
        ("a.css", "a {\n}\nb {\n}\n", "a {\n}\nc {\n}\n"),
    ],
)
@pytest.mark.parametrize("name", ["file", "content", "document", "whatever"])
def test_a_pair_of_tags_around_a_whole_file_that_has_no_such_tags_is_undone(
    path: str, text: str, new: str, name: str
) -> None:
    for wrapped in (f"<{name}>\n{new}</{name}>\n", f'<{name} path="{path}">\n{new}</{name}>'):
        outcome = land(text, WriteFile(wrapped), path)
        assert isinstance(outcome, Landed), outcome
        assert (outcome.text, outcome.rung) == (new, "unmangled")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.toml", "a = [\n  1,\n]\n\n[b]\nc = 2\n"),
        ("a.py", CODE),
        ("a.json", '{\n  "a": 1,\n  "b": 2\n}\n'),
        ("Dockerfile", "FROM x\nRUN 1\nCMD y\n"),
        ("a.csv", "a,b\n1,2\n3,4"),
    ],
)
@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("<![CDATA[\n", "]]>"),
        ("<<<FILE\n", "FILE>>>\n"),
        ("[code]\n", "[/code]\n"),
    ],
)
def test_a_pair_of_lines_around_a_whole_file_that_cannot_be_its_own_is_refused(
    path: str, text: str, above: str, below: str
) -> None:
    changed = text.replace("1", "7")
    outcome = land(text, WriteFile(f"{above}{changed}{below}"), path)
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "malformed"


@pytest.mark.parametrize(
    ("path", "text", "above", "below"),
    [
        ("a.js", "f(1)\ng(2)\n", "(function () {\n", "})();\n"),
        ("a.cpp", "int a = 1;\nint b;\n", "namespace x {\n", "}\n"),
        ("a.yaml", "a: 1\nb: 2\n", "{{- if .Values.a }}\n", "{{- end }}\n"),
        ("a.less", ".a {\n  b: 1;\n}\n", "@media print {\n", "}\n"),
        ("a.sql", "SELECT 1;\nSELECT 2;\n", "BEGIN;\n", "END;\n"),
        ("a.h", "int a = 1;\nint b;\n", "#ifndef A\n#define A\n", "#endif\n"),
        ("a.toml", "a = 1\nb = 2\n", "# [[\n", "# ]]\n"),
        ("a.md", "one 1\ntwo\n", "[[\n", "]]\n"),
        ("a.ini", "[a]\nb = 1\n", "[c]\n", "[d]\n"),
    ],
)
def test_a_pair_of_lines_that_may_be_content_stays(
    path: str, text: str, above: str, below: str
) -> None:
    new = above + text.replace("1", "7") + below
    outcome = land(text, WriteFile(new), path)
    assert isinstance(outcome, Landed), outcome
    assert (outcome.text, outcome.rung) == (new, "exact")


def test_a_pair_of_tags_around_a_whole_file_of_markup_may_be_its_edit() -> None:
    text = "<p>one</p>\n<p>two</p>\n<p>end</p>\n"
    changed = text.replace("two", "2")
    wrapper = land(text, WriteFile(f"<file>\n{changed}</file>\n"), "a.html")
    assert isinstance(wrapper, Landed)
    assert wrapper.text == changed
    doubtful = land(text, WriteFile(f"<div>\n{changed}</div>\n"), "a.html")
    assert isinstance(doubtful, Refused)
    assert doubtful.message == (
        "a.html: `<div>` is around the whole file; send the content alone, or the new tags as an edit."
    )
    edit = land(text, Replace("<p>two</p>\n", "<div>\n<p>two</p>\n</div>\n"), "a.html")
    assert isinstance(edit, Landed)
    assert edit.text == text.replace("<p>two</p>\n", "<div>\n<p>two</p>\n</div>\n")


@pytest.mark.parametrize(
    "new", [f"Here is the updated file:\n\n{CHANGED}", f"{CHANGED}\nI changed the name only.\n"]
)
def test_a_sentence_above_or_below_code_is_refused(new: str) -> None:
    outcome = land(CODE, WriteFile(new), "a.py")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"
    comment = land(CODE, WriteFile(f"# Here is the updated file:\n{CHANGED}"), "a.py")
    assert isinstance(comment, Landed)


@pytest.mark.parametrize(
    "mangle",
    [
        ("'", "\\'"),
        ("/", "\\/"),
        ("\\", "\\\\"),
        ("\t", "\\t"),
        ("\u00e9", "\\u00e9"),
        ("_", "\\_"),
        ("--", "\u2014"),
        ("e", "e\u200b"),
        ("'", "\uff07"),
    ],
)
def test_characters_that_are_written_by_others_are_refused_in_a_whole_file(
    mangle: tuple[str, str],
) -> None:
    lines = ["x_y = '\u00e9 \\d'", "\tgo /a --b", "y_z = 'e\u00e9 \\w'", "\tgo /b --c", "z: 1"]
    text = "".join(f"{line}\n" for line in lines)
    new = text.replace("z: 1", "z: 2")
    outcome = land(text, WriteFile(new.replace(*mangle)), "a.sh")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "malformed"
    # Its twin, where it is all that changes, is the edit.
    alone = land(text, WriteFile(text.replace(*mangle)), "a.sh")
    assert isinstance(alone, Landed)
    assert alone.text == text.replace(*mangle)


TERRAFORM = 'terraform {\n  a = 1\n}\n\nresource "b" "c" {\n  d = 2\n  e = 3\n}\n'


@pytest.mark.parametrize("mark", ["| ", "\u2502 ", "~> "])
def test_a_mark_before_each_line_of_a_file_is_learned_from_its_lines(mark: str) -> None:
    new = TERRAFORM.replace("d = 2", "d = 4")
    shown = "".join(f"{mark}{line}\n" for line in new.splitlines())
    outcome = land(TERRAFORM, WriteFile(shown), "a.tf")
    assert isinstance(outcome, Landed), outcome
    assert (outcome.text, outcome.rung) == (new, "unmangled")


def test_a_mark_before_each_line_is_the_edit_if_nothing_else_changes() -> None:
    text = "One line.\nAnother line.\n"
    quoted = "| One line.\n| Another line.\n"
    outcome = land(text, WriteFile(quoted), "a.txt")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == quoted


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.conf", "worker 1;\nhttp {\n  a b;\n}\n"),
        ("Makefile", "A := 1\n\nall:\n\techo a\n"),
        ("a.html", "<!DOCTYPE html>\n<p>\n  a b.\n</p>\n"),
        ("a.xyz", "a 1\nb 2\nc 3\n"),
    ],
)
def test_a_sentence_outside_of_a_file_is_refused(path: str, text: str) -> None:
    for new in (
        f"Here's the fix.\n\n{text}",
        f"Sure! Here it is:\n{text}",
        f"Updated file:\n\n{text}",
        f"{text}\nHope this helps!\n",
    ):
        outcome = land(text, WriteFile(new.replace("a", "aa", 1)), path)
        assert isinstance(outcome, Refused), outcome
        assert "send the content alone" in outcome.message


def test_a_fence_around_a_page_that_has_fences_is_undone() -> None:
    text = "# A\n\nRun this:\n\n```\nmake\n```\n\nThen wait.\nThe end.\n"
    new = text.replace("wait", "rest")
    for fence in ("```", "```markdown"):
        outcome = land(text, WriteFile(f"{fence}\n{new}```\n"), "a.md")
        assert isinstance(outcome, Landed), outcome
        assert outcome.text == new


def test_a_sentence_is_content_where_the_file_ends_in_one() -> None:
    text = "<p>a</p>\nMade by hand in 2020.\n"
    outcome = land(text, WriteFile("<p>b</p>\nMade by hand in 2021.\n"), "a.html")
    assert isinstance(outcome, Landed), outcome


@pytest.mark.parametrize("line", ["=== a.tf ===", "File: a.tf", "--- src/a.tf ---", "**`a.tf`**"])
def test_the_name_of_the_file_above_it_is_refused(line: str) -> None:
    new = TERRAFORM.replace("d = 2", "d = 4")
    outcome = land(TERRAFORM, WriteFile(f"{line}\n{new}"), "src/a.tf")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "malformed"


def test_the_tag_of_a_lost_fence_is_refused() -> None:
    text = "import a\n\nb = a.c()\nd = b.e()\n"
    outcome = land(text, WriteFile("python\n" + text.replace("a.c", "a.f")), "x.py")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "malformed"


def numbered(text: str) -> str:
    return "".join(f"{n:5}\u2192{line}\n" for n, line in enumerate(text.splitlines(), 1))


@pytest.mark.parametrize(
    "around",
    [
        lambda text: f"<file>\n{numbered(text)}</file>\n",
        lambda text: f"```hcl\n{numbered(text)}```\n",
        lambda text: "```\n" + "".join(f"    {line}\n" for line in text.splitlines()) + "```\n",
        lambda text: f"\n\n{text}",
    ],
    ids=["tags", "a fence", "a fence, indented", "blank lines"],
)
def test_what_is_around_and_before_the_lines_of_a_file_is_undone_together(
    around: Callable[[str], str],
) -> None:
    new = TERRAFORM.replace("d = 2", "d = 4")
    outcome = land(TERRAFORM, WriteFile(around(new)), "src/a.tf")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == new


def test_what_announces_a_text_for_people_is_refused() -> None:
    text = "Title\n\nOne line.\nAnother line.\n"
    outcome = land(text, WriteFile(f"Here is the updated file:\n\n{text}More.\n"), "a.txt")
    assert isinstance(outcome, Refused), outcome


@pytest.mark.parametrize("number", ["", "{}| ", "{}\t"])
def test_a_file_on_one_line_has_its_line_breaks_again_also_between_numbered_lines(
    number: str,
) -> None:
    lines = ["import os", "", "def f():", "    return 1", "", "def g():", "    return 2"]
    text = "\n".join(lines) + "\n"
    lines[3] = "    return 3"
    sent = "\\n".join(f"{number.format(n)}{line}" for n, line in enumerate(lines, 1)) + "\\n"
    outcome = land(text, WriteFile(sent), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("return 1", "return 3")


def test_a_file_on_one_line_that_is_not_known_again_is_refused() -> None:
    text = "import os\n\ndef f():\n    return 1\n\ndef g():\n    return 2\n"
    outcome = land(text, WriteFile("a\\nb\\nc\\nd\\ne\\nf"), "a.py")
    assert isinstance(outcome, Refused), outcome
    assert outcome.message == (
        r"a.py: the text is one line with \n in the place of line breaks; send the file's content as it is."
    )


def test_the_tag_of_a_lost_fence_above_code_is_not_written_whatever_the_language_is() -> None:
    text = "module Store where\n\nmain = run 1\n"
    outcome = land(text, WriteFile("haskell\nmodule Store where\n\nmain = run 2\n"), "a.hs")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "malformed"
    ignored = land("dist\nnode_modules\n", WriteFile("build\ndist\nmodules\n"), ".gitignore")
    assert isinstance(ignored, Landed), ignored
    assert ignored.text == "build\ndist\nmodules\n"


def test_a_long_file_with_a_small_change_lands_in_linear_time() -> None:
    text = "".join(f"value_{n} = compute({n})\n" for n in range(50_000))
    started = time.process_time()
    for new in (
        "import os\n" + text,
        f"print()\n{text}print(1)\n",
        "(\n" * 25_000 + ")\n" * 25_000,
    ):
        outcome = land(text, WriteFile(new), path="a.py")
        assert isinstance(outcome, Landed)
        assert outcome.text == new
    assert time.process_time() - started < 30


@pytest.mark.parametrize(
    ("opening", "closing"), [("```\n", "```\n"), ("cat > a.py <<EOF\n", "EOF\n")]
)
def test_what_is_wrapped_without_end_is_refused(opening: str, closing: str) -> None:
    text = "a = 1\nb = 2\nc = 3\n"
    new = opening * 2_000 + text.replace("2", "4") + closing * 2_000
    outcome = land(text, WriteFile(new), path="a.py")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"
