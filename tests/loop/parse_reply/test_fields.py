from __future__ import annotations

from typing import Any

import pytest

from holdfast.loop.parse_reply.fields import Fitted, Misfit, fit
from holdfast.vocab.tool_calls import ToolSpec
from tests.loop.parse_reply.offered import SPECS

TOOLS = {spec.name: spec for spec in SPECS}


def fitted(tool: str, value: Any) -> Any:
    result = fit(value, TOOLS[tool])
    return result.arguments if isinstance(result, Fitted) else result.message


@pytest.mark.parametrize(
    "name", ["filePath", "file_path", "filepath", "filename", "file", "Path", "target_file"]
)
def test_other_names_for_a_path_are_taken(name: str) -> None:
    assert fitted("read_file", {name: "a.py"}) == {"path": "a.py"}


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("run_command", {"cmd": "ls"}, {"command": "ls"}),
        ("write_file", {"path": "a", "contents": "x"}, {"path": "a", "text": "x"}),
        ("edit_file", {"path": "a", "oldText": "x", "newText": "y"}, {"path": "a", "old": "x", "new": "y"}),
        ("edit_file", {"path": "a", "search": "x", "replace": "y"}, {"path": "a", "old": "x", "new": "y"}),
        ("edit_file", {"path": "a", "old_string": "x", "new_string": "", "replace_all": "true"}, {"path": "a", "old": "x", "new": "", "every": True}),
        ("search", {"query": "x", "include": "*.py"}, {"pattern": "x", "glob": "*.py"}),
        ("list_dir", {"directory": "src"}, {"path": "src"}),
        ("read_file", {"path": "a", "start_line": 1, "end_line": "9"}, {"path": "a", "start": 1, "end": 9}),
        ("read_file", {"path": "a", "start": 2.0}, {"path": "a", "start": 2}),
        ("read_file", {"path": "a", "start": None, "end": ""}, {"path": "a", "start": None}),
        ("read_file", {"path": 5}, {"path": "5"}),
        ("read_file", {"path": ["a.py"]}, {"path": "a.py"}),
        ("read_file", {"path": "a", "why": "to see"}, {"path": "a"}),
        ("read_file", {"path": "a", "view_range": [1, -1]}, {"path": "a", "start": 1, "end": -1}),
        ("read_file", {"input": {"path": "a"}}, {"path": "a"}),
        ("read_file", {"parameters": '{"path": "a"}'}, {"path": "a"}),
        ("read_file", {"path": "a", "input": {"path": "b"}}, {"path": "a"}),
        ("read_file", [{"path": "a"}], {"path": "a"}),
        ("write_patch", {"input": "--- a"}, {"diff": "--- a"}),
        ("write_patch", "--- a", {"diff": "--- a"}),
        ("apply_edits", {"edits": {"path": "a", "old": "x", "new": "y"}}, {"edits": [{"path": "a", "old": "x", "new": "y"}]}),
        ("apply_edits", {"edits": '[{"file": "a", "old": "x", "new": "y"}]'}, {"edits": [{"path": "a", "old": "x", "new": "y"}]}),
        ("run_command", {"command": "ls", "description": "List"}, {"command": "ls"}),
    ],
)  # fmt: skip
def test_fields_are_renamed_coerced_and_unwrapped_where_one_thing_is_meant(
    tool: str, given: Any, expected: Any
) -> None:
    assert fitted(tool, given) == expected


@pytest.mark.parametrize(
    ("tool", "given", "what"),
    [
        ("read_file", {}, "`path` is missing"),
        ("read_file", {"path": None}, "`path` is missing"),
        ("edit_file", {"path": "a"}, "`old`, `new` are missing"),
        ("read_file", {"uri": "a"}, "`path` is missing (the call has `uri`)"),
        ("read_file", {"uri": {"path": "a"}}, "`path` is missing (the call has `uri`)"),
        ("read_file", {"path": "a", "start": "three"}, "`start` must be an integer"),
        ("read_file", {"path": "a", "start": True}, "`start` must be an integer"),
        ("read_file", {"path": True}, "`path` must be a string"),
        (
            "read_file",
            {"file": "a", "filename": "b"},
            "`file` and `filename` have different values for `path`",
        ),
        ("edit_file", {"path": "a", "old": ["x", "y"], "new": "z"}, "`old` must be a string"),
        (
            "edit_file",
            {"path": "a", "old": "x", "new": "y", "every": "maybe"},
            "`every` must be a boolean",
        ),
        ("write_file", {"path": "a", "text": {"b": 1}}, "`text` must be a string"),
        ("apply_edits", {"edits": [{"path": "a", "old": "x"}]}, "`edits[0].new` is missing"),
        ("apply_edits", {"edits": "x"}, "`edits` must be a list"),
        ("search", "x y", "its arguments are not one JSON object"),
        ("read_file", 5, "its arguments are not one JSON object"),
        (
            "read_file",
            {"name": "write_file", "arguments": {"path": "a"}},
            "its arguments contain a call of `write_file`",
        ),
    ],
)
def test_what_does_not_fit_is_said_with_what_the_tool_takes(
    tool: str, given: Any, what: str
) -> None:
    message = fitted(tool, given)
    assert message.startswith(f"`{tool}` was not run: {what}. It takes {{")


def test_three_wrappers_are_unwrapped_and_no_more() -> None:
    wrapped: dict[str, Any] = {"path": "a"}
    for _ in range(3):
        wrapped = {"input": wrapped}
    assert fitted("read_file", wrapped) == {"path": "a"}
    assert "`path` is missing" in fitted("read_file", {"input": wrapped})


def test_the_sentence_names_all_fields() -> None:
    assert fit({}, TOOLS["read_file"]) == Misfit(
        "`read_file` was not run: `path` is missing."
        " It takes {path: string, start?: integer, end?: integer}; send the call again."
    )


def test_a_field_that_a_changing_tool_does_not_know_is_left_for_the_tool_to_refuse() -> None:
    assert fitted("run_command", {"command": "rm -r x", "workdir": "sub"}) == {
        "command": "rm -r x",
        "workdir": "sub",
    }
    assert fit({"path": "a", "depth": 2}, TOOLS["read_file"]) == Fitted(
        {"path": "a"}, ("`depth` was dropped",)
    )


def test_null_for_an_optional_field_that_takes_none_is_no_value() -> None:
    schema = {"type": "object", "properties": {"size": {"type": "integer"}}}
    assert fit({"size": None}, ToolSpec("grow", "", schema)) == Fitted({}, ())


def test_references_and_circles_in_a_schema_are_followed() -> None:
    node = {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/Node"}, "size": {"type": "integer"}},
    }
    schema = {
        "type": "object",
        "properties": {"node": {"$ref": "#/$defs/Node"}},
        "$defs": {"Node": node, "Round": {"$ref": "#/$defs/Round"}},
    }
    assert fit({"node": {"next": {"size": "3"}}}, ToolSpec("grow", "", schema)) == Fitted(
        {"node": {"next": {"size": 3}}}, ("`node.next.size` was taken as an integer",)
    )
    assert fit({"x": 1}, ToolSpec("round", "", {"$ref": "#/$defs/Round", **schema})) == Fitted(
        {"x": 1}
    )


def test_a_value_that_is_not_allowed_is_answered_with_those_that_are() -> None:
    pace = {"type": "string", "enum": ["fast", "slow"]}
    result = fit({"pace": "soon"}, ToolSpec("walk", "", {"properties": {"pace": pace}}))
    assert isinstance(result, Misfit)
    assert "`pace` must be one of fast, slow" in result.message


def test_of_two_fields_that_a_name_could_mean_the_one_it_begins_with_is_meant() -> None:
    number = {"type": "integer"}
    both = ToolSpec(
        "edit", "", {"properties": {"near_line": number, "start": number}, "required": []}
    )
    one = ToolSpec("edit", "", {"properties": {"near_line": number}, "required": []})
    assert fit({"start_line": 3}, both) == Fitted(
        {"start": 3}, ("`start_line` was taken as `start`",)
    )
    assert fit({"start_line": 3}, one) == Fitted(
        {"near_line": 3}, ("`start_line` was taken as `near_line`",)
    )


def test_a_value_that_fits_is_left_alone() -> None:
    given = {"path": "[1, 5]", "text": "true"}
    assert fit(given, TOOLS["write_file"]) == Fitted(given)
