"""Drifted copies: how like the place is, whether it is the one that was meant, and which check speaks against it."""

from __future__ import annotations

import pytest

from holdfast import Landed, Refused, Replace, land

USER = """\
def load_user(key):
    row = database.fetch(key)
    if row is None:
        raise Missing(key)
    return User(row)
"""
STEPS = "first_thing(alpha)\nsecond_thing(beta)\nthird_thing(gamma)\n"
SERVER = """\
server {
  resolver one.org;
  timeout 91s;
  location /a/ {
    listen 80;
    root /srv;
  }
}
"""


def drift(text: str, old: str, change: tuple[str, str], path: str = "a.py") -> Landed | Refused:
    """Land the change of one line on a text, of which `old` is a drifted copy."""
    was, becomes = change
    assert old.count(was) == 1
    return land(text, Replace(old, old.replace(was, becomes)), path)


def share(edits: int, size: int, *, longer: int = 57) -> float:
    """Return the similarity of texts of which a line of `size` characters takes so many edits.

    It is the share of the characters of the longer text, each line with its newline: two lines of 18 are equal.
    """
    longest = max(size, 18)
    matched = (1 - edits / longest) * (size + 1) + 2 * 19
    return round(matched / longer, 3)


@pytest.mark.parametrize(
    ("text", "old", "change", "similarity"),
    [
        # One word misspelt: two letters are in the wrong order (two edits), or one is missing.
        (STEPS, STEPS.replace("first_thing", "first_thnig"), ("gamma", "delta"), share(2, 18)),
        (STEPS, STEPS.replace("first_thing", "frst_thing"), ("gamma", "delta"), share(1, 17)),
        (STEPS, STEPS.replace("second_thing", "second_thnig"), ("gamma", "delta"), share(2, 18)),
        # The mark at the end of a line was added, or left out.
        (STEPS, STEPS.replace("(beta)", "(beta);"), ("gamma", "delta"), share(1, 19, longer=58)),
        (STEPS.replace("(beta)", "(beta);"), STEPS, ("gamma", "delta"), None),
        # White space inside the line, or other quotes: nearly the same.
        (STEPS, STEPS.replace("(alpha)", "( alpha )"), ("gamma", "delta"), None),
        (STEPS.replace("alpha", "'a b'"), STEPS.replace("alpha", '"a b"'), ("gamma", "delta"), None),
        # A comment in other words.
        (
            f"# comment one two threee\n{STEPS}",
            f"# comment on two three\n{STEPS}",
            ("gamma", "delta"),
            None,
        ),
        # A comment that the old text leaves out does not count.
        (
            STEPS.replace("second", "# a comment\nsecond"),
            STEPS.replace("first_thing", "first_thnig"),
            ("gamma", "delta"),
            share(2, 18),
        ),
    ],
)  # fmt: skip
def test_the_lines_of_the_file_stay_and_only_the_change_is_made(
    text: str, old: str, change: tuple[str, str], similarity: float | None
) -> None:
    outcome = drift(text, old, change)
    assert isinstance(outcome, Landed), outcome
    assert (outcome.text, outcome.rung) == (text.replace(*change), "similar")
    if similarity is None:
        assert 0.9 < outcome.similarity < 1
    else:
        assert round(outcome.similarity, 3) == similarity


@pytest.mark.parametrize(
    "old",
    [
        # A line that is nowhere like it was invented: below the change, or above it where another line leads.
        USER.replace("    return", "    invented(words)\n    return"),
        f"{USER}    invented(words)\n",
        USER.replace("    if", "    invented(words)\n    if"),
    ],
)
def test_a_line_that_the_file_has_nowhere_is_no_part_of_the_place(old: str) -> None:
    change = ("raise Missing(key)", "return None")
    outcome = drift(USER, old, change)
    assert isinstance(outcome, Landed), outcome
    # What was used of the old text is in the file as it is.
    assert (outcome.text, outcome.similarity) == (USER.replace(*change), 1.0)


@pytest.mark.parametrize(
    ("text", "old", "change", "veto", "line"),
    [
        # A name or a value differs in a line above the change: another block.
        (
            SERVER,
            SERVER.replace("timeout", "inner_theme"),
            ("80", "81"),
            "other_line",
            "inner_theme 91s;",
        ),
        (
            SERVER,
            SERVER.replace("one.org", "two-more.org").replace("timeout", "inner_theme"),
            ("80", "81"),
            "other_line",
            "resolver two-more.org;",
        ),
        # New lines go below a line that is another one in the file.
        (
            STEPS,
            STEPS.replace("beta", "omega"),
            ("third", "new_thing()\nthird"),
            "beside",
            "second_thing(omega)",
        ),
        # New lines go where the file has a line that the old text does not know.
        (
            STEPS,
            STEPS.replace("second_thing(beta)\n", ""),
            ("third", "new_thing()\nthird"),
            "gap",
            "first_thing(alpha)",
        ),
        # The line to change has to be the file's.
        (STEPS, STEPS.replace("beta", "omega"), ("omega", "delta"), "removed_line", "second_thing(omega)"),
        # The name of the block.
        (USER, USER.replace("load_user", "load_group"), ("None", "0"), "block_name", "def load_group(key):"),
        # A number differs: nothing says that this is the block.
        (
            f"# comment one two 3\n{STEPS}",
            f"# comment one two three\n{STEPS}",
            ("beta", "2"),
            "lead",
            "# comment one two three",
        ),
        # A comment about another name is another comment.
        (
            f"# uses beta_two here\n{STEPS}",
            f"# uses alpha_one here\n{STEPS}",
            ("beta", "2"),
            "lead",
            "# uses alpha_one here",
        ),
    ],
)  # fmt: skip
def test_a_place_that_may_be_another_one_is_refused_with_the_line_that_says_so(
    text: str, old: str, change: tuple[str, str], veto: str, line: str
) -> None:
    outcome = drift(text, old, change)
    assert isinstance(outcome, Refused), outcome
    assert (outcome.reason, outcome.veto) == ("not_found", veto)
    assert f": `{line}`); the closest are:" in outcome.message


def test_code_that_the_old_text_leaves_out_is_not_changed_unseen() -> None:
    # The file has one line twice and the old text has it once, in a copy with a word misspelt.
    text = "mkdir -p out\ncp -r src out\ncp -r src out\ntouch out/done\n\nclean:\n"
    old = "mkkdir -p out\ncp -r src out\ntouch out/done\n\nclean:\n"
    outcome = land(text, Replace(old, old.replace("touch out/done\n", "")), "a.sh")
    assert isinstance(outcome, Refused), outcome
    assert (outcome.reason, outcome.veto) == ("not_found", "code_skipped")


@pytest.mark.parametrize("distance", [0, 5])
def test_two_places_that_are_as_like_are_both_shown(distance: int) -> None:
    apart = "".join(f"other_{n} = {n}\n" for n in range(distance))
    text = f"{STEPS}{apart}{STEPS}"
    outcome = drift(text, STEPS.replace("second_thing", "second_thnig"), ("gamma", "delta"))
    assert isinstance(outcome, Refused), outcome
    assert (outcome.reason, outcome.candidates) == ("ambiguous", (1, 4 + distance))


def test_the_place_that_is_clearly_more_alike_is_meant() -> None:
    other = STEPS.replace("first_thing(alpha)", "zeroth(0)").replace(
        "second_thing(beta)", "nothing(9)"
    )
    text = f"{other}\n\n{STEPS}"
    outcome = drift(text, STEPS.replace("second_thing", "second_thnig"), ("gamma", "delta"))
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == f"{other}\n\n{STEPS.replace('gamma', 'delta')}"


def test_a_comment_added_to_a_line_of_the_copy_is_no_line_of_another_place() -> None:
    # The words of the line are in the file, but beside the place: it is the line itself.
    text = """\
fn load() {
    match read(&path) {
        Ok(text) => Ok(text),
        Err(error) => {
            log(&error);
            Err(error)
        }
    }
}
"""
    old = (
        "        Ok(text) => Ok(text),\n        Err(error) => {\n            log(&error);\n"
        "            Err(error) # c\n        }\n"
    )
    outcome = land(text, Replace(old, old.replace("            log(&error);\n", "")), "a.rs")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("            log(&error);\n", "")


@pytest.mark.parametrize("line", ["save_two(kye)", "save_tow(key2)", "savetwo(key)"])
def test_new_lines_go_below_no_line_whose_names_differ(line: str) -> None:
    text = "load_one(key)\nsave_two(key)\nthird_one(x)\nfourth(y)\n"
    old = text.replace("save_two(key)", line)
    outcome = land(text, Replace(old, old.replace("third", "new(1)\nthird")), "a.py")
    assert isinstance(outcome, Refused), outcome
    assert (outcome.veto, outcome.closest) == (
        "beside",
        "1| load_one(key)\n2| save_two(key)\n3| third_one(x)\n4| fourth(y)",
    )
