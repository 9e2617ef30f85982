"""Tokens of well-known shape are not shown to a model, and do not get lost by its edits."""

from __future__ import annotations

import pytest

from tests.tools.world import World

TOKEN = "sk-proj-" + "aB3dE6gH9" * 4
KEY = (
    "-----BEGIN RSA PRIVATE KEY-----\n"
    "MIIEowIBAAKCAQEAsecret\n"
    "c2VjcmV0c2VjcmV0c2VjcmV0\n"
    "-----END RSA PRIVATE KEY-----\n"
)
SETTINGS = f"name = 'a'\ntoken = '{TOKEN}'\nlimit = 3\n"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", {"path": "settings.py"}),
        ("search", {"pattern": "sk-proj"}),
        ("run_command", {"command": "cat settings.py"}),
        ("run_command", {"command": "grep -rn token ."}),
    ],
)
def test_no_tool_shows_a_token(world: World, tool: str, arguments: dict[str, str]) -> None:
    world.write("settings.py", SETTINGS)
    outcome = world.call(tool, **arguments)
    assert "token = '[token removed]'" in outcome.text
    assert TOKEN not in repr(outcome)


def test_no_line_of_a_private_key_is_shown_alone(world: World) -> None:
    world.write("deploy.py", f'KEY = """\n{KEY}"""\n')
    assert world.told("read_file", path="deploy.py", start=3, end=4) == (
        "deploy.py: lines 3 to 4 of 6.\n3| [token removed]\n4| [token removed]"
    )
    assert world.told("search", pattern="c2Vj") == "1 match:\ndeploy.py:4: [token removed]"


def test_the_answer_to_an_edit_shows_no_token_either(world: World) -> None:
    world.write("settings.py", SETTINGS)
    outcome = world.call("edit_file", path="settings.py", old="limit = 3", new="limit = 4")
    assert outcome.failure is None
    assert TOKEN not in outcome.text
    assert world.read("settings.py") == SETTINGS.replace("3\n", "4\n")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (
            "edit_file",
            {"old": "token = '[token removed]'\nlimit = 3", "new": "limit = 4"},
        ),
        ("edit_file", {"old": "limit = 3", "new": "other = '[token removed]'"}),
        ("write_file", {"text": SETTINGS.replace(TOKEN, "[token removed]")}),
    ],
)
def test_the_mark_of_a_token_is_never_written_over_the_token(
    world: World, tool: str, arguments: dict[str, str]
) -> None:
    world.write("settings.py", SETTINGS)
    outcome = world.call(tool, path="settings.py", **arguments)
    assert outcome.failure is not None
    assert (
        "settings.py: [token removed] stands for a token that is not shown to you. Leave it out of "
        "the edit: replace only the text before or after it." in outcome.text
    )
    assert world.read("settings.py") == SETTINGS


def test_a_file_that_has_the_mark_itself_can_be_edited(world: World) -> None:
    world.write("notes.md", "The mark is [token removed].\n")
    arguments = {"old": "The mark is [token removed].", "new": "It is [token removed]."}
    assert world.call("edit_file", path="notes.md", **arguments).failure is None
    assert world.read("notes.md") == "It is [token removed].\n"


@pytest.mark.parametrize("old", ["MIIEowIBAAKCAQEAsecrex", "limit = 4"])
def test_a_refusal_shows_no_line_of_a_private_key(world: World, old: str) -> None:
    """One line of it is not known as such."""
    world.write("notes.txt", f"limit = 3\n{KEY}")
    error = world.error("edit_file", path="notes.txt", old=old, new="x")
    assert "secret" not in str(error)
    assert error["message"].startswith("notes.txt: the edit does not fit the file (not_found)")


def test_an_edit_beside_a_private_key_shows_no_line_of_it(world: World) -> None:
    world.write("notes.txt", f"limit = 3\n{KEY}")
    told = world.told("edit_file", path="notes.txt", old="limit = 3", new="limit = 4")
    assert "MII" not in told
    assert world.read("notes.txt") == f"limit = 4\n{KEY}"
