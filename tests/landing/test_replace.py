"""Text for text: where a replacement lands, and what it leaves alone."""

from __future__ import annotations

import pytest

from holdfast import Landed, Refused, Replace, land


def landed(text: str, old: str, new: str, **hints: object) -> Landed:
    outcome = land(text, Replace(old, new, **hints))  # type: ignore[arg-type]
    assert isinstance(outcome, Landed), outcome
    return outcome


def refused(text: str, old: str, new: str, **hints: object) -> Refused:
    outcome = land(text, Replace(old, new, **hints))  # type: ignore[arg-type]
    assert isinstance(outcome, Refused), outcome
    return outcome


@pytest.mark.parametrize(
    ("name", "text", "old", "new", "expected", "rung"),
    [
        ("exact text is spliced", "a = 1\nb = 2\n", "b = 2", "b = 3", "a = 1\nb = 3\n", "exact"),
        ("a part of a line is enough", "x = f(a, b)\n", "f(a, b)", "f(b)", "x = f(b)\n", "exact"),
        (
            "a dollar sign is a dollar sign",
            "x = 1\n",
            "x = 1",
            r"x = '$1 $& \1'",
            "x = '$1 $& \\1'\n",
            "exact",
        ),
        (
            "trailing blanks of the request are dropped",
            "a()\nb()\n",
            "a()  \nb()\t",
            "a()  \nc()\t",
            "a()\nc()\n",
            "whitespace",
        ),
        (
            "trailing blanks of kept lines stay",
            "a() \nb()\n",
            "a()\nb()",
            "a()\nc()",
            "a() \nc()\n",
            "whitespace",
        ),
        (
            "a dedented request is indented again",
            "class A:\n    def f(self):\n        return 1\n",
            "def f(self):\n    return 1",
            "def f(self):\n    if x:\n        return 2\n    return 1",
            "class A:\n    def f(self):\n        if x:\n            return 2\n        return 1\n",
            "whitespace",
        ),
        (
            "blanks become the file's tabs",
            "func f() {\n\tif a {\n\t\tb()\n\t}\n}\n",
            "func f() {\n    if a {\n        b()\n    }\n}",
            "func f() {\n    if a {\n        b()\n        c()\n    }\n}",
            "func f() {\n\tif a {\n\t\tb()\n\t\tc()\n\t}\n}\n",
            "whitespace",
        ),
        (
            "tabs become the file's blanks, by level",
            "a:\n  b:\n    c: 1\n",
            "a:\n\tb:\n\t\tc: 1",
            "a:\n\tb:\n\t\tc: 1\n\t\td: 2\n\te: 3",
            "a:\n  b:\n    c: 1\n    d: 2\n  e: 3\n",
            "whitespace",
        ),
        (
            "a blank line left out stays",
            "a()\n\nb()\nc()\n",
            "a()\nb()\nc()",
            "a()\nb()\nd()",
            "a()\n\nb()\nd()\n",
            "whitespace",
        ),
        (
            "a blank line too many is ignored",
            "a()\nb()\n",
            "a()\n\nb()",
            "a()\n\nc()",
            "a()\nc()\n",
            "whitespace",
        ),
        ("CRLF stays", "a\r\nb\r\nc\r\n", "b\nc", "x\ny\nc", "a\r\nx\r\ny\r\nc\r\n", "whitespace"),
        ("the missing last newline stays missing", "a\nb", "b", "b\nc", "a\nb\nc", "exact"),
        (
            "curly quotes of the request are undone",
            'a("x")\nb("y")\n',
            "a(\u201cx\u201d)\nb(\u201cy\u201d)",
            "a(\u201cx\u201d)\nc(\u201cy\u201d, \u2018z\u2019)",
            'a("x")\nc("y", \'z\')\n',
            "unicode",
        ),
        (
            "curly quotes of the file stay, also on the changed line",
            "say(\u201chello\u201d, 1)\nend\n",
            'say("hello", 1)\nend',
            'say("hello", 2)\nend',
            "say(\u201chello\u201d, 2)\nend\n",
            "unicode",
        ),
        (
            "composed and decomposed are one",
            "# caf\u00e9\na()\n",
            "# cafe\u0301\na()",
            "# cafe\u0301\nb()",
            "# caf\u00e9\nb()\n",
            "unicode",
        ),
        (
            "what cannot be seen is ignored",
            "a()\nb()\n",
            "a()\u200b\nb()",
            "a()\u200b\nc()",
            "a()\nc()\n",
            "unicode",
        ),
        (
            "a byte order mark stays",
            "\ufeffa = 1\nb = 2\n",
            "a = 1\nb = 2",
            "a = 9\nb = 2",
            "\ufeffa = 9\nb = 2\n",
            "exact",
        ),
        (
            r"literal \n is undone in both",
            'a("x")\nb()\n',
            r"a(\"x\")\nb()",
            r"a(\"z\")\nb()",
            'a("z")\nb()\n',
            "unmangled",
        ),
        (
            "entities are undone in both",
            "if a < b:\n    c()\n",
            "if a &lt; b:\n    c()",
            "if a &gt; b:\n    c()",
            "if a > b:\n    c()\n",
            "unmangled",
        ),
        (
            "a fence is undone in both",
            "a()\nb()\n",
            "```py\na()\nb()\n```",
            "```py\na()\nc()\n```",
            "a()\nc()\n",
            "unmangled",
        ),
        (
            "a tag pair is undone in both",
            "a()\nb()\n",
            "<tool_call>\na()\nb()\n</tool_call>",
            "a()\nc()",
            "a()\nc()\n",
            "unmangled",
        ),
        (
            "a listing's numbers are undone",
            "x\n  a()\n  b()\n",
            "  2|   a()\n  3|   b()",
            "  2|   a()\n  3|   c()",
            "x\n  a()\n  c()\n",
            "unmangled",
        ),
        (
            "a gap in both keeps the file's lines",
            "def f():\n    a()\n    b()\n    c()\n    return 1\n",
            "def f():\n    # ... existing code ...\n    return 1",
            "def f():\n    # ... existing code ...\n    return 2",
            "def f():\n    a()\n    b()\n    c()\n    return 2\n",
            "elision",
        ),
        (
            "a reworded comment is context",
            "def load(path):\n    # read it all\n    data = read(path)\n    return parse(data)\n",
            "def load(path):\n    # read everything at once\n    data = read(path)\n    return parse(data)",
            "def load(path):\n    # read everything at once\n    data = read(path)\n    return parse(data, 1)",
            "def load(path):\n    # read it all\n    data = read(path)\n    return parse(data, 1)\n",
            "similar",
        ),
        (
            "a misspelt word in the context is not written",
            "def load(path):\n    data = read(path)\n    total = count(data)\n    return total\n",
            "def load(path):\n    data = raed(path)\n    total = count(data)\n    return total",
            "def load(path):\n    data = raed(path)\n    total = count(data)\n    return total + 1",
            "def load(path):\n    data = read(path)\n    total = count(data)\n    return total + 1\n",
            "similar",
        ),
    ],
)
def test_it_lands(name: str, text: str, old: str, new: str, expected: str, rung: str) -> None:
    path = "a.py" if "def " in text else None
    outcome = land(text, Replace(old, new), path)
    assert isinstance(outcome, Landed), outcome
    assert (outcome.text, outcome.rung) == (expected, rung), name


@pytest.mark.parametrize(
    ("name", "text", "old", "new", "reason"),
    [
        ("a number is not cut in two", "timeout = 100\n", "timeout = 10", "timeout = 20", "not_found"),
        ("a name is not cut in two", "load_users()\n", "load_user", "load_account", "not_found"),
        ("a fraction is not cut in two", "x = 1.5\n", "x = 1", "x = 2", "not_found"),
        ("a typo beside a real name is no match", "load_user(1)\nsave()\n", "load_users(1)\nsave()", "load_users(2)\nsave()", "not_found"),
        ("two equal places are ambiguous", "a = 1\nb\na = 1\n", "a = 1", "a = 2", "ambiguous"),
        ("two places equal but for white space are ambiguous", "  a()\n  b()\n\n    a()\n    b()\n", "a() \nb()", "a() \nc()", "ambiguous"),
        ("an insert that stands below is applied", "a()\nb()\nc()\n", "a()", "a()\nb()", "already_applied"),
        ("an insert that stands above is applied", "a()\nb()\nc()\n", "c()", "b()\nc()", "already_applied"),
        ("a wrapping that stands there is applied", "x = g(f(a))\n", "f(a)", "g(f(a))", "already_applied"),
        ("new text in the file and no old one is applied", "total = 2\nend()\n", "total = 1\nend()", "total = 2\nend()", "already_applied"),
        ("the same text is no change", "a\n", "a", "a", "no_change"),
        ("an empty old text is refused", "a\n", "", "b", "empty_old"),
        ("white space alone is no old text", "a\n    b\n", "    ", "  ", "empty_old"),
        ("a removed line that differs is stale", "a()\nprice = 10\nb()\n", "a()\nprice = 12\nb()", "a()\nprice = 13\nb()", "not_found"),
        ("another definition is another place", "def save_all(x):\n    go(x)\n    end(x)\n", "def save_one(x):\n    go(x)\n    end(x)", "def save_one(x):\n    go(x)\n    stop(x)", "not_found"),
        ("a gap in new alone is refused", "a()\nb()\nc()\n", "a()\nb()\nc()", "a()\n# ... rest unchanged ...", "elision"),
    ],
)  # fmt: skip
def test_it_is_refused(name: str, text: str, old: str, new: str, reason: str) -> None:
    assert refused(text, old, new).reason == reason, name


def test_an_exact_line_number_picks_one_of_two_places() -> None:
    assert landed("a\nb\na\n", "a", "x", near_line=3).text == "a\nb\nx\n"
    assert refused("a\nb\na\n", "a", "x", near_line=2).reason == "ambiguous"


def test_a_second_run_does_not_edit_the_twin() -> None:
    once = landed("a\nb\na\n", "a", "x", near_line=3)
    assert refused(once.text, "a", "x", near_line=3).reason == "already_applied"


def test_every_takes_all_places_and_spares_those_done() -> None:
    assert landed("f(a)\nf(b)\nf(a)\n", "f(a)", "f(c)", every=True).text == "f(c)\nf(b)\nf(c)\n"
    assert landed("g(f(a))\nf(a)\n", "f(a)", "g(f(a))", every=True).text == "g(f(a))\ng(f(a))\n"
    assert refused("g(f(a))\n", "f(a)", "g(f(a))", every=True).reason == "already_applied"
    assert refused("aaa", "aa", "b", every=True).reason in {"overlap", "not_found"}


def test_every_place_of_a_word_includes_those_in_names_with_hyphens_but_not_in_other_words() -> (
    None
):
    text = "version = 1\nrust-version = 2\nversions = 3\nmy_version = 4\n"
    expected = "edition = 1\nrust-edition = 2\nversions = 3\nmy_version = 4\n"
    assert landed(text, "version", "edition", every=True).text == expected
    # Its twin: one place is meant, and the other name is not it.
    one = text.replace("version = 1", "edition = 1", 1)
    assert landed(text, "version", "edition").text == one


def test_a_refusal_names_the_lines_and_the_difference() -> None:
    ambiguous = refused("a = 1\nb\na = 1\n", "a = 1", "a = 2")
    assert ambiguous.candidates == (1, 3)
    assert "lines 1, 3" in ambiguous.message
    missing = refused(
        "def f():\n\treturn compute(1)\n",
        "def f():\n    return compute(2)",
        "def f():\n    return 3",
    )
    assert "2| \treturn compute(1)" in missing.closest
    assert "return compute(2)" in missing.message


def test_the_tab_that_differs_is_named() -> None:
    text = "if a:\n\tgo(1)\nif b:\n\tgo(1)\n\tstop(1)\n"
    outcome = refused(text, "if b:\n    go(1)\n    halt(1)", "if b:\n    go(2)\n    halt(1)")
    assert outcome.reason == "not_found"
    assert "4|" in outcome.closest


def test_in_a_mixed_file_each_line_keeps_its_own_ending() -> None:
    text = "a\r\nb\nc\r\nd\n"
    assert landed(text, "b\nc\r\nd", "b\nx\nd").text == "a\r\nb\nx\r\nd\n"


def test_undecodable_bytes_survive() -> None:
    text = b"name = '\xe9'\nvalue = 1\n".decode("utf-8", "surrogateescape")
    outcome = landed(text, "value = 1", "value = 2")
    assert outcome.text.encode("utf-8", "surrogateescape") == b"name = '\xe9'\nvalue = 2\n"


def test_form_feed_and_line_separator_are_content() -> None:
    text = "a\x0cb\nc\u2028d\n"
    assert landed(text, "c\u2028d", "e").text == "a\x0cb\ne\n"


def test_the_diff_of_a_landing_applies_to_the_old_text() -> None:
    text = "".join(f"line {n}\n" for n in range(30))
    outcome = landed(text, "line 12\nline 13\n", "line 12\nnew\nline 13\n")
    assert outcome.diff.startswith("@@ -11,6 +11,7 @@\n")
    assert "+new\n" in outcome.diff
    assert outcome.spans[0].line == 13


def test_the_span_of_a_marked_text_counts_the_mark() -> None:
    outcome = land("\ufeffa = 1\n", Replace("a", "bc"))
    assert isinstance(outcome, Landed)
    assert [(span.start, span.end, span.line) for span in outcome.spans] == [(1, 2, 1)]


def test_old_text_that_begins_in_an_indentation_is_edited_where_it_occurs_and_at_no_twin() -> None:
    text = "}\nfoo\n  }\n  \n"
    assert landed(text, "}\n  ", "").text == "}\nfoo\n  \n"


def test_a_byte_order_mark_in_new_text_is_content_unless_the_old_text_has_one_that_the_file_has_not() -> (
    None
):
    text = "  a = 1\n"
    assert landed(text, "a = 1\n", "\ufeffb = 2\nc = 3\n").text == "  \ufeffb = 2\n  c = 3\n"
    assert landed(text, "\ufeffa = 1\n", "\ufeffb = 2\n").text == "  b = 2\n"


def test_a_newline_that_only_one_text_has_is_neither_added_nor_lost_in_an_indentation() -> None:
    text = "  a = 1\nb = 2\n"
    assert landed(text, "a = 1\n", "a = (\n1) + ").text == "  a = (\n1) + b = 2\n"
    assert landed(text, "a = 1", "a = 1\nc = 3\n").text == "  a = 1\n  c = 3\n\nb = 2\n"


def test_new_lines_at_the_place_that_a_number_picks_are_indented_as_its_line() -> None:
    text = "if a:\n    run()\nif b:\n        run()\n"
    new = "if c:\n    run()\n"
    want = "if a:\n    run()\nif b:\n        if c:\n            run()\n"
    assert landed(text, "run()\n", new, near_line=4).text == want
    # Its twin, within a line, is spliced.
    assert landed(text, "run", "stop", near_line=4).text == text[:-6] + "stop()\n"
    assert refused(text, "run()\n", new).reason == "ambiguous"


def test_a_part_of_an_indentation_does_not_pick_one_of_several_lines() -> None:
    file = "size = 1\nif a:\n        size = 1\n"
    outcome = land(file, Replace("   size = 1\n", "   size = 2\n"), path="a.py")
    assert isinstance(outcome, Refused)
    assert (outcome.reason, outcome.candidates) == ("ambiguous", (1, 3))

    alone = file.replace("size = 1\n", "", 1)
    outcome = land(alone, Replace("   size = 1\n", "   size = 2\n"), path="a.py")
    assert isinstance(outcome, Landed)
    assert outcome.text == alone.replace("1", "2")


def test_a_new_line_that_is_the_files_own_shows_that_only_the_first_lost_its_indentation() -> None:
    text = "sub a\n  real x\nend\n"
    done = land(text, Replace("real x", "real x\n\nsub b\n  real x"), "a.f90")
    assert isinstance(done, Landed)
    assert done.text == "sub a\n  real x\n\nsub b\n  real x\nend\n"


@pytest.mark.parametrize(
    ("path", "text", "spelt"),
    [
        ("a.txt", "One \u2018two\u2019.\nThree.\nFour.\n", "One 'two'."),
        ("a.js", "import a from 'a'\nimport b from 'b'\ncall(c)\n", 'import a from "a"'),
        ("a.py", "    one = 1  \n    two = 2\n    three = 3\n", "one = 1"),
    ],
)
def test_a_line_that_moves_keeps_the_text_of_the_file(path: str, text: str, spelt: str) -> None:
    first, second, third = text.splitlines()
    indent = first[: len(first) - len(first.lstrip())]
    old = f"{indent}{spelt}\n{second}\n{third}\n"
    moved = f"{second}\n{third}\n{indent}{spelt}\n"
    outcome = land(text, Replace(old, moved), path)
    assert isinstance(outcome, Landed)
    assert outcome.text == f"{second}\n{third}\n{first}\n"


@pytest.mark.parametrize("own", ["}\t", "go\u200b()"])
def test_a_copy_of_a_line_that_stays_is_written_as_the_request_has_it(own: str) -> None:
    plain = own.rstrip().replace("\u200b", "")
    text = f"one()\n{own}\ntwo()\n"
    request = Replace(f"one()\n{plain}\ntwo()\n", f"one()\n{plain}\n2()\n{plain}\n")
    outcome = land(text, request)
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == f"one()\n{own}\n2()\n{plain}\n"


@pytest.mark.parametrize("path", ["a.mk", "a.sh"])
@pytest.mark.parametrize(("own", "theirs"), [("  ", "\t"), ("\t", "    ")])
def test_new_lines_that_are_indented_as_no_line_of_the_file_are_refused(
    path: str, own: str, theirs: str
) -> None:
    text = f"ifdef A\n{own}B = 1\nendif\nC = 2\n"
    outcome = land(text, Replace("C = 2 \n", f"run:\n{theirs}./run.sh\nC = 2 \n"), path)
    assert isinstance(outcome, Refused)
    # With one step as the file has it they land.
    plain = f"run:\n{own}./run.sh\nC = 2"
    done = land(text, Replace("C = 2 \n", f"{plain} \n"), path)
    assert isinstance(done, Landed)
    assert done.text == text.replace("C = 2", plain)


def test_the_blank_line_at_the_end_of_a_listing_is_a_newline_in_a_text_without_numbers() -> None:
    text = "a = 1\nb = 2\n\nc = 3\n"
    for end in ("2| b = 2\n3| ", "  2\tb = 2\n  3\t"):
        assert landed(text, f"{end}", "b = 9\n").text == text.replace("2", "9")
        assert landed(text, f"{end}\n", "b = 9\n").text == "a = 1\nb = 9\nc = 3\n"


def test_a_new_text_that_is_only_a_divider_lands() -> None:
    outcome = land("a = 1\nb = 2\n", Replace("a = 1", "======="), "x.py")
    assert isinstance(outcome, Landed)
    assert outcome.text == "=======\nb = 2\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [("\nb()\n", "c()\n"), ("b()\n", "c()"), ("\n\tb()\n", "\tc()\n")],
    ids=["above", "below", "above, indented"],
)
def test_new_text_is_not_joined_with_the_lines_beside_it(old: str, new: str) -> None:
    text = f"a(){old if old[0] == chr(10) else chr(10) + old}d()\n"
    refusal = land(text, Replace(old, new), "a.py")
    assert isinstance(refusal, Refused)
    assert (refusal.reason, "joined" in refusal.message) == ("malformed", True)
    corrected = ("\n" * old.startswith("\n")) + new.strip("\n") + "\n"
    assert land(text, Replace(old, corrected), "a.py").landed
    # Of a text without a path nobody knows that it is made of lines.
    assert landed(text, old, new).text == text.replace(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [("b(\n", "b("), ("b(\n", "bb( "), ("b(\n", ""), ("a()\nb(", "a() b(")],
    ids=["nothing else differs", "a blank joins", "a deletion", "a newline inside"],
)
def test_lines_are_joined_where_the_request_says_so(old: str, new: str) -> None:
    text = "a()\nb(\nd)\n"
    outcome = land(text, Replace(old, new), "a.txt")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace(old, new)


def test_every_place_is_refused_if_new_text_is_joined_at_one() -> None:
    outcome = land("b()\nb()\nd()\n", Replace("b()\n", "c()", every=True), "a.py")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "malformed"


ROWS = (
    'def load(path):\n    data = open(path).read()\n    rows = data.split(",")\n    return rows\n'
)


@pytest.mark.parametrize(
    "new",
    [
        '    data = open(path, "r").read()\n    rows = data.split(",")\n',
        '    data = open(path, "r").read()\n    rows = data.split(",")\n    return rows\n',
        'def load(path):\n    data = open(path, "r").read()\n',
    ],
    ids=["the next line", "the next two lines", "the line above"],
)
def test_a_line_beside_the_old_text_is_not_written_twice(new: str) -> None:
    old = "    data = open(path).read()\n"
    outcome = land(ROWS, Replace(old, new), "a.py")
    assert isinstance(outcome, Refused), outcome
    assert (outcome.reason, "would be there twice" in outcome.message) == ("malformed", True)


def test_a_bracket_or_a_line_that_is_there_several_times_may_be_written_again() -> None:
    text = "if (a) {\n  send(message);\n}\nif (b) {\n  send(message);\n}\n"
    old, new = "if (b) {\n", "if (d) {\n  other(message);\n  send(message);\n"
    outcome = land(text, Replace(old, new), "a.js")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace(old, new)


@pytest.mark.parametrize("mark", ["+", "+ "])
def test_a_plus_before_new_lines_alone_is_refused(mark: str) -> None:
    text = "a {\n  b;\n  c;\n}\n"
    new = f"  b;\n{mark}  d;\n{mark}\n{mark}  e;\n  c;\n"
    outcome = land(text, Replace("  b;\n  c;\n", new), "a.css")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "malformed"


def test_a_plus_before_items_of_a_list_is_content() -> None:
    text = "# A\n\nOne:\n"
    outcome = land(text, Replace("One:\n", "One:\n+ two\n+ three\n"), "a.md")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "# A\n\nOne:\n+ two\n+ three\n"


def test_an_inserted_block_goes_below_the_blank_line_that_the_request_lost() -> None:
    text = "a {\n}\n\nc {\n}\n"
    outcome = land(text, Replace("}\nc {\n", "}\nb {\n}\n\nc {\n"), "a.tf")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "a {\n}\n\nb {\n}\n\nc {\n}\n"


@pytest.mark.parametrize(
    ("path", "tag", "is_dropped"),
    [
        ("a.md", "text", False),
        ("a.md", "markdown", True),
        ("a.txt", "text", True),
        (None, "text", False),
    ],
)
def test_a_fence_is_dropped_from_a_text_for_people_if_it_names_the_language_of_the_file(
    path: str | None, tag: str, is_dropped: bool
) -> None:
    text = "One.\n\nTwo.\n"
    fence = f"```{tag}\na diagram\n```\n"
    outcome = land(text, Replace("Two.\n", fence), path)
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("Two.\n", "a diagram\n" if is_dropped else fence)


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_block_around_a_line_without_its_indentation_is_as_deep_as_that_line(end: str) -> None:
    text = "def f():\n    one(1)\n    two(2)\n"
    outcome = land(text, Replace(f"one(1){end}", f"if a:\n    one(1){end}"), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == "def f():\n    if a:\n        one(1)\n    two(2)\n"
    placed = land(text, Replace(f"one(1){end}", f"zero(0)\n    one(1){end}"), "a.py")
    assert isinstance(placed, Landed), placed
    assert placed.text == "def f():\n    zero(0)\n    one(1)\n    two(2)\n"


def test_a_newline_that_only_old_begins_with_is_no_edit_of_the_blank_line_above() -> None:
    text = "a();\n\nb();\nc();\n"
    lost = land(text, Replace("\nb();\nc();\n", "b();\nd();\n"), path="a.js")
    assert isinstance(lost, Refused)
    assert "old begins or ends with a newline there" in lost.message
    # Its twins: both have it, and it is all that differs.
    kept = land(text, Replace("\nb();\nc();\n", "\nb();\nd();\n"), path="a.js")
    assert isinstance(kept, Landed)
    assert kept.text == "a();\n\nb();\nd();\n"
    gone = land(text, Replace("\nb();\nc();\n", "b();\nc();\n"), path="a.js")
    assert isinstance(gone, Landed)
    assert gone.text == "a();\nb();\nc();\n"
