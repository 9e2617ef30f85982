from __future__ import annotations

import pytest

from holdfast.loop.parse_reply.tool_names import find_tool, nearest, show_name
from holdfast.vocab.tool_calls import ToolSpec
from tests.loop.parse_reply.offered import SPECS


def found(
    name: str, arguments: dict[str, object] | None = None, specs: tuple[ToolSpec, ...] = SPECS
) -> str | None:
    named = find_tool(name, specs, arguments)
    return named.spec.name if named else None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("read_file", "read_file"),
        ("read_file<|channel|>commentary", "read_file"),
        ("read_file</function>", "read_file"),
        ("<function>read_file", "read_file"),
        ("read_file[ARGS]", "read_file"),
        ('read_file({"path": "a"})', "read_file"),
        (" `read_file` ", "read_file"),
        ("functions.read_file:0", "read_file"),
        ("default_api.read_file", "read_file"),
        ("to=functions.read_file json", "read_file"),
        ("read_fileread_file", "read_file"),
        ("READ_FILE", "read_file"),
        ("readFile", "read_file"),
        ("read\\_file", "read_file"),
        ("str\\_replace", "edit_file"),
        ("functions.read\\_file:0", "read_file"),
        ("Read-File", "read_file"),
        ("Bash", "run_command"),
        ("exec_command", "run_command"),
        ("shell", "run_command"),
        ("Glob", "find_files"),
        ("Grep", "search"),
        ("str_replace", "edit_file"),
        ("Edit", "edit_file"),
        ("Read", "read_file"),
        ("cat", "read_file"),
        ("Write", "write_file"),
        ("create_new_file", "write_file"),
        ("ls", "list_dir"),
        ("apply_patch", "write_patch"),
        ("MultiEdit", "apply_edits"),
        ("", None),
        ("read_fil", None),
        ("read", "read_file"),
        ("json", None),
        ("<|constrain|>json", None),
        ("delete_file", None),
    ],
)
def test_a_name_is_read_and_never_guessed(name: str, expected: str | None) -> None:
    assert found(name) == expected


def test_a_registered_name_wins_over_an_alias() -> None:
    bash = ToolSpec("bash", "", {})
    assert found("bash", specs=(*SPECS, bash)) == "bash"


def test_an_alias_of_a_tool_that_is_not_offered_is_unknown() -> None:
    assert found("Bash", specs=SPECS[:4]) is None


def test_two_tools_that_differ_in_case_only_are_not_distinguished_by_guessing() -> None:
    twins = (ToolSpec("getIt", "", {}), ToolSpec("get_it", "", {}))
    assert found("get_it", specs=twins) == "get_it"
    assert found("get\\_it", specs=twins) == "get_it"
    assert found("GETIT", specs=twins) is None


def test_the_editor_of_another_agent_is_the_tool_that_its_command_says() -> None:
    assert found("str_replace_editor", {"command": "view"}) == "read_file"
    assert found("str_replace_editor", {"command": "create"}) == "write_file"
    assert found("str_replace_based_edit_tool", {"command": "str_replace"}) == "edit_file"
    assert found("str_replace_editor", {"command": "undo_edit"}) is None
    assert found("str_replace_editor") is None


def test_the_nearest_three_are_named_nearest_first() -> None:
    assert nearest("read_fil", SPECS) == ("read_file", "edit_file", "write_file")
    assert nearest("x" * 100_000, SPECS[:2]) == ("read_file", "search")


def test_a_name_is_shown_in_letters_that_every_server_takes() -> None:
    assert show_name("a b.c<|x|>") == "a_b_c_x"
    assert show_name("…") == "unknown"
    assert show_name("delete\\_file") == "delete_file"
    assert len(show_name("x" * 1000)) == 64
