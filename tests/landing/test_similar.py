"""The loosest rung: drift is forgiven, another place is not."""

from __future__ import annotations

import re

from holdfast import Landed, Refused, Replace, land

BLOCK = """\
def load_user(key):
    row = database.fetch(key)
    if row is None:
        raise Missing(key)
    return User(row)
"""
OTHER = """\
def load_team(key):
    row = directory.fetch(key)
    if row is None:
        raise Missing(key)
    return Team(row)
"""


def change(
    text: str, old: str, *, was: str = "raise Missing(key)", becomes: str = "return None"
) -> Landed | Refused:
    assert old.count(was) == 1
    return land(text, Replace(old, old.replace(was, becomes)))


def first_difference(outcome: Landed | Refused) -> tuple[str, int, str, str]:
    """Return the reason, and the first line that differs: its number, as it was asked for, and as the file has it."""
    assert isinstance(outcome, Refused), outcome
    first = re.search(
        r"Line (\d+) differs first: the request has `(.*)`, the file `(.*)`\. Copy", outcome.message
    )
    assert first, outcome.message
    return outcome.reason, int(first[1]), first[2], first[3]


def test_the_files_own_lines_survive_beside_a_drifted_copy() -> None:
    outcome = change(BLOCK, BLOCK.replace("database.fetch", "databse.fetch"))
    assert isinstance(outcome, Landed)
    assert outcome.text == BLOCK.replace("raise Missing(key)", "return None")
    assert outcome.rung == "similar"


def test_a_name_that_stands_elsewhere_is_no_typo() -> None:
    crossed = BLOCK.replace("database.fetch", "directory.fetch")
    outcome = change(BLOCK + "\n\n" + OTHER, crossed)
    assert first_difference(outcome) == (
        "not_found",
        2,
        "row = directory.fetch(key)",
        "row = database.fetch(key)",
    )


def test_a_third_definition_is_nobody() -> None:
    outcome = change(BLOCK + "\n\n" + OTHER, BLOCK.replace("load_user", "load_group"))
    assert first_difference(outcome) == (
        "not_found",
        1,
        "def load_group(key):",
        "def load_user(key):",
    )


def test_a_number_that_differs_is_another_place() -> None:
    text = "def retry():\n    wait(10)\n    call(server)\n    log(server)\n"
    outcome = change(
        text, text.replace("wait(10)", "wait(12)"), was="log(server)", becomes="report(server)"
    )
    assert first_difference(outcome) == ("not_found", 2, "wait(12)", "wait(10)")


def test_a_removed_line_has_to_be_the_line() -> None:
    outcome = change(BLOCK, BLOCK.replace("Missing(key)", "Absent(key)"), was="raise Absent(key)")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "not_found"


def test_invented_lines_below_are_dropped() -> None:
    old = BLOCK.replace(
        "    return User(row)\n", "    logger.info('loaded the user')\n    return row\n"
    )
    outcome = change(BLOCK, old)
    assert isinstance(outcome, Landed)
    assert outcome.text == BLOCK.replace("raise Missing(key)", "return None")


def test_a_line_that_belongs_to_another_place_was_not_invented() -> None:
    text = BLOCK + "\n\n" + OTHER
    outcome = change(text, BLOCK.replace("return User(row)", "return Team(row)"))
    assert first_difference(outcome) == ("not_found", 5, "return Team(row)", "return User(row)")


def test_a_comment_that_was_left_out_stays_in_the_file() -> None:
    text = BLOCK.replace("    row = database", "    # one round trip\n    row = database")
    outcome = change(text, BLOCK)
    assert isinstance(outcome, Landed)
    assert outcome.text == text.replace("raise Missing(key)", "return None")


def test_an_edit_with_drift_is_not_done_twice() -> None:
    old = BLOCK.replace("database.fetch", "databse.fetch")
    new = old.replace("    if row", "    count(row)\n    if row")
    once = land(BLOCK, Replace(old, new))
    assert isinstance(once, Landed)
    again = land(once.text, Replace(old, new))
    assert first_difference(again) == (
        "not_found",
        2,
        "row = databse.fetch(key)",
        "row = database.fetch(key)",
    )


def test_a_context_line_that_is_written_twice_is_no_missing_line() -> None:
    text = "def one(rows):\n    total = sum(rows)\n    check(total)\n    return total\n"
    old = "def one(rows):\n    total = sum(rows)\n    total = sum(rows)\n    check(total)\n    return total\n"
    outcome = land(text, Replace(old, old.replace("check(total)", "verify(total)")), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("check(total)", "verify(total)")
    # Its twin: another line, which the file does not have.
    other = old.replace("    total = sum(rows)\n", "    total = max(rows) + 1\n", 1)
    request = Replace(other, other.replace("check(total)", "verify(total)"))
    assert isinstance(land(text, request, "a.py"), Refused)


def test_a_comment_about_another_name_is_another_comment() -> None:
    text = "# Read user_rows with care.\ntotal = sum(rows)\ncheck(total)\n"
    old = "# Read item_rows with care.\ntotal = sum(rows)\ncheck(total)\n"
    request = Replace(old, old.replace("check", "verify"))
    assert isinstance(land(text, request, "a.py"), Refused)
    # Its twin: other words about the same name.
    same = "# Carefully read the user_rows.\ntotal = sum(rows)\ncheck(total)\n"
    outcome = land(text, Replace(same, same.replace("check", "verify")), "a.py")
    assert isinstance(outcome, Landed), outcome
    assert outcome.text == text.replace("check", "verify")


def test_a_line_written_twice_does_not_hide_the_first_of_two_equal_places() -> None:
    method = (
        "    // what the cart has\n    public function {}(array $all): int\n    {{\n        $total = 67;\n"
        "        foreach ($all as $item) {{\n            $total += $item->weight;\n        }}\n"
        "        $this->logger->info('done');\n        return $total;\n    }}\n\n"
    )
    file = "<?php\nclass A\n{\n" + method.format("first") + method.format("second") + "}\n"
    old = "    // what the cart has\n    {\n        $total = 67;\n        foreach ($all as $item) {\n        foreach ($all as $item) {\n"
    outcome = land(file, Replace(old, old.replace("67", "753")), "a.php")
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == "ambiguous"
