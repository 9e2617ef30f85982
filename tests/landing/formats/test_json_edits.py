"""JSON edits."""

from __future__ import annotations

import json

import pytest

from holdfast.landing.formats.hunks import Malformed
from holdfast.landing.formats.json_edits import EXAMPLE, RANGE_EXAMPLE, read_json
from holdfast.landing.formats.parse import parse
from holdfast.vocab.requests import FileRequest, LineEdit, LineEdits, Replace, WriteFile

EDIT = FileRequest("a.py", "edit", Replace("x", "y"))


def refusal(text: str, *, unwrap: bool = False) -> str:
    found = read_json(text, unwrap=unwrap)
    assert isinstance(found, Malformed), found
    sentence, _, example = found.message.partition("\n")
    assert example in {EXAMPLE, RANGE_EXAMPLE}
    return sentence


def ranged(start: object, end: object, **rest: object) -> dict[str, object]:
    return {"range": {"start": start, "end": end}, "newText": "n\n", **rest}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"path": "a.py", "old": "x", "new": "y"}, [EDIT], id="replace"),
        pytest.param(
            {"path": "a.py", "old_string": "x", "new_string": "y"}, [EDIT], id="old_string"
        ),
        pytest.param({"path": "a.py", "old_str": "x", "new_str": "y"}, [EDIT], id="old_str"),
        pytest.param({"path": "a.py", "oldText": "x", "newText": "y"}, [EDIT], id="oldText"),
        pytest.param({"path": "a.py", "search": "x", "replace": "y"}, [EDIT], id="search"),
        pytest.param(
            {"file_path": "./a.py", "old": "x", "new": "y", "why": "because"},
            [EDIT],
            id="other keys are ignored",
        ),
        pytest.param(
            {"path": "a.py", "old": "x", "new": "y", "near_line": 7},
            [FileRequest("a.py", "edit", Replace("x", "y", near_line=7))],
            id="near_line",
        ),
        pytest.param(
            {"path": "a.py", "old": "x", "new": "y", "near_line": None}, [EDIT], id="near_line null"
        ),
        pytest.param(
            {"path": "a.py", "old": "x", "new": "y", "every": True},
            [FileRequest("a.py", "edit", Replace("x", "y", every=True))],
            id="every",
        ),
        pytest.param(
            {"path": "a.py", "old": "x", "new": "y", "replace_all": True},
            [FileRequest("a.py", "edit", Replace("x", "y", every=True))],
            id="replace_all",
        ),
        pytest.param(
            {"path": "a.py", "old": "", "new": "y"},
            [FileRequest("a.py", "edit", Replace("", "y"))],
            id="empty old",
        ),
        pytest.param(
            {
                "path": "a.py",
                "edits": [ranged(3, 4), ranged(9, 8, oldText="o\n"), ranged(1, 1, oldText=None)],
            },
            [
                FileRequest(
                    "a.py",
                    "edit",
                    LineEdits(
                        (LineEdit(3, 4, "n\n"), LineEdit(9, 8, "n\n", "o\n"), LineEdit(1, 1, "n\n"))
                    ),
                )
            ],
            id="line ranges",
        ),
        pytest.param(
            {"path": "a.py", "edits": [{"old": "x", "new": "y"}, {"old": "x", "new": "y"}]},
            [EDIT, EDIT],
            id="several replacements of one file",
        ),
        pytest.param(
            [{"path": "a.py", "old": "x", "new": "y"}, {"path": "b.py", "delete": True}],
            [EDIT, FileRequest("b.py", "delete")],
            id="a list",
        ),
        pytest.param(
            {"edits": [{"path": "a.py", "old": "x", "new": "y"}]},
            [EDIT],
            id="edits with a path each",
        ),
        pytest.param(
            {
                "files": [
                    {"path": "a.py", "old": "x", "new": "y"},
                    {"path": "a.py", "edits": [ranged(1, 2)]},
                ]
            },
            [EDIT, FileRequest("a.py", "edit", LineEdits((LineEdit(1, 2, "n\n"),)))],
            id="files with a path each",
        ),
        pytest.param(
            {"path": "a.py", "content": "x\n"},
            [FileRequest("a.py", "create", WriteFile("x\n"))],
            id="whole file",
        ),
        pytest.param(
            {"path": "a.py", "text": ""},
            [FileRequest("a.py", "create", WriteFile(""))],
            id="whole file, empty",
        ),
        pytest.param(
            {"path": "a.py", "delete": True}, [FileRequest("a.py", "delete")], id="delete"
        ),
        pytest.param(
            {"path": "a.py", "delete": False, "old": "x", "new": "y"}, [EDIT], id="delete false"
        ),
        pytest.param(
            {"path": "a.py", "to": "b.py"}, [FileRequest("a.py", "rename", None, "b.py")], id="to"
        ),
        pytest.param(
            {"path": "a.py", "rename": "b.py"},
            [FileRequest("a.py", "rename", None, "b.py")],
            id="rename",
        ),
        pytest.param(
            {"path": "a.py", "to": "b.py", "old": "x", "new": "y"},
            [FileRequest("a.py", "rename", Replace("x", "y"), "b.py")],
            id="rename with a change",
        ),
        pytest.param(
            {"path": "a.py", "old": "\x0c\u2028é😀\r\n", "new": "$1 \\n"},
            [FileRequest("a.py", "edit", Replace("\x0c\u2028é😀\r\n", "$1 \\n"))],
            id="any characters",
        ),
    ],
)
def test_each_shape_becomes_its_request(value: object, expected: list[FileRequest]) -> None:
    assert read_json(json.dumps(value)) == tuple(expected)
    assert read_json("\ufeff\n" + json.dumps(value, indent=2, ensure_ascii=False) + "\n") == tuple(
        expected
    )


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (3, "must be an object, not a number:"),
        ("x", "must be an object, not a string:"),
        ([], "the list is empty; give at least one edit:"),
        ([3], "[0]: must be an object, not a number:"),
        ({}, "path: is missing; name the file:"),
        ({"edits": []}, "edits: the list is empty; give at least one edit:"),
        ({"edits": {}}, "edits: must be a list of objects, not an object:"),
        ({"edits": [{"old": "x", "new": "y"}]}, "edits[0].path: is missing; name the file:"),
        ({"path": None, "old": "x", "new": "y"}, "path: is missing; name the file:"),
        ({"path": 3, "old": "x", "new": "y"}, "path: must be a string, not a number:"),
        (
            {"path": ""},
            "path: the path is empty; write it from the project root, such as src/a.py.",
        ),
        (
            {"path": "/a"},
            "path: the path /a is absolute; write it from the project root, such as src/a.py.",
        ),
        (
            {"path": "a", "to": "../b"},
            "to: the path ../b leaves the project; write it from the project root, such as src/a.py.",
        ),
        ({"path": "a"}, "contains no edit; give old and new, or edits, or content:"),
        ([{"path": "a"}], "[0]: contains no edit; give old and new, or edits, or content:"),
        ({"path": "a", "old": "x"}, "new: is missing; give the new lines as a string:"),
        ({"path": "a", "new": "x"}, "old: is missing; give the old lines as a string:"),
        ({"path": "a", "old": 1, "new": "y"}, "old: must be a string, not a number:"),
        ({"path": "a", "old": ["x"], "new": "y"}, "old: must be a string, not a list:"),
        (
            {"path": "a", "old": "x", "new": None},
            "new: is missing; give the new lines as a string:",
        ),
        (
            {"path": "a", "old": "x", "new": "y", "near_line": "3"},
            "near_line: must be an integer, not a string:",
        ),
        (
            {"path": "a", "old": "x", "new": "y", "near_line": True},
            "near_line: must be an integer, not true or false:",
        ),
        (
            {"path": "a", "old": "x", "new": "y", "every": 1},
            "every: must be true or false, not a number:",
        ),
        (
            {"path": "a", "old": "x", "oldText": "x", "new": "y"},
            '"old" and "oldText" mean the same; give one of them:',
        ),
        (
            {"path": "a", "old": "x", "new": "y", "content": "z"},
            "give either old and new, or edits, or content, or delete; not two of them:",
        ),
        ({"path": "a", "delete": "yes"}, "delete: must be true or false, not a string:"),
        (
            {"path": "a", "delete": True, "content": "z"},
            "give either old and new, or edits, or content, or delete; not two of them:",
        ),
        (
            {"path": "a", "to": "b", "content": "z"},
            "a rename takes one replacement; write anything else as edits of the new path:",
        ),
        (
            {"path": "a", "to": "b", "edits": [{"old": "x", "new": "y"}, {"old": "x", "new": "y"}]},
            "a rename takes one replacement; write anything else as edits of the new path:",
        ),
        ({"path": "a", "edits": "x"}, "edits: must be a list of objects, not a string:"),
        ({"path": "a", "edits": []}, "edits: the list is empty; give at least one edit:"),
        ({"path": "a", "edits": [1]}, "edits[0]: must be an object, not a number:"),
        (
            {"path": "a", "edits": [ranged("3", 4)]},
            "edits[0].range.start: must be an integer, not a string:",
        ),
        (
            {"path": "a", "edits": [ranged(True, 4)]},
            "edits[0].range.start: must be an integer, not true or false:",
        ),
        (
            {"path": "a", "edits": [ranged(3.0, 4)]},
            "edits[0].range.start: must be an integer, not a number:",
        ),
        (
            {"path": "a", "edits": [ranged({"line": 3}, {"line": 4})]},
            "edits[0].range.start: must be an integer, not an object:",
        ),
        (
            {"path": "a", "edits": [ranged(3, 10**12)]},
            "edits[0].range.end: is no line number: no file is that long:",
        ),
        (
            {"path": "a", "edits": [ranged(1, 2), {"range": {"start": 1}, "newText": ""}]},
            "edits[1].range.end: is missing; give a line number:",
        ),
        (
            {"path": "a", "edits": [{"range": [1, 2, 3], "newText": ""}]},
            "edits[0].range: must be an object, not a list:",
        ),
        (
            {"path": "a", "edits": [{"range": {"start": 1, "end": 1}}]},
            "edits[0].new: is missing; give the new lines as a string:",
        ),
        (
            {"path": "a", "edits": [ranged(1, 1, oldText=5)]},
            "edits[0].oldText: must be a string, not a number:",
        ),
        (
            {"path": "a", "edits": [ranged(1, 1), {"old": "x", "new": "y"}]},
            "edits: some edits have a range and some have not; give all of them one, or none:",
        ),
        (
            {"path": "a", "edits": [{"path": "b", "old": "x", "new": "y"}]},
            "edits[0]: names a file inside the edits of another; name each file once:",
        ),
        (
            {"path": "a", "old": "\udc80", "new": "y"},
            "old: contains half of a surrogate pair, which is no character; write the character:",
        ),
    ],
)
def test_a_wrong_shape_is_named_by_its_place(value: object, sentence: str) -> None:
    assert refusal(json.dumps(value)) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "",
            "line 1, column 1: this is not JSON; write strict JSON, without a fence or words around it:",
        ),
        (
            "{'path': 'a'}",
            "line 1, column 2: this is not JSON; write strict JSON, without a fence or words around it:",
        ),
        (
            '{"path": "a",\n "old": "x\ny", "new": ""}',
            "line 2, column 11: this is not JSON; write strict JSON, without a fence or words around it:",
        ),
        (
            '{"path": "a", "delete": true} done',
            "line 1, column 31: this is not JSON; write strict JSON, without a fence or words around it:",
        ),
        ('{"path": "a", "path": "b"}', 'the key "path" occurs twice in one object; write it once:'),
        (
            '{"path": "a", "edits": [{"old": "", "old": ""}]}',
            'the key "old" occurs twice in one object; write it once:',
        ),
        ('{"path": "a", "near_line": NaN}', "NaN is not JSON; write strict JSON:"),
        (
            '{"path": "a", "near_line": ' + "9" * 5000 + "}",
            "a number has too many digits, or the JSON is nested too deeply; write it plain:",
        ),
        (
            "[" * 200_000,
            "a number has too many digits, or the JSON is nested too deeply; write it plain:",
        ),
        (
            '```json\n{"path": "a", "delete": true}\n```\n',
            "line 1, column 1: this is not JSON; write strict JSON, without a fence or words around it:",
        ),
    ],
)
def test_what_is_not_strict_json_is_refused(text: str, sentence: str) -> None:
    assert refusal(text) == sentence


def test_one_clean_fence_is_taken_off_only_when_asked() -> None:
    text = '\n```json\n{"path": "a.py", "delete": true}\n```\n'
    assert read_json(text, unwrap=True) == (FileRequest("a.py", "delete"),)
    assert refusal(text)


VALUE = {
    "path": "a.py",
    "old": "if x:\n    say('hi')\n",
    "new": "# \u201cé\u201d\nif x:\n\tsay('ho')\n",
}
WRITTEN = json.dumps(VALUE)
MEANT = (FileRequest("a.py", "edit", Replace(VALUE["old"], VALUE["new"])),)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(WRITTEN[:-1] + ",}", id="a comma too many"),
        pytest.param(WRITTEN + "}", id="a bracket too many"),
        pytest.param(WRITTEN + "<|im_end|>", id="an end token"),
        pytest.param(f"Sure, here is the edit:\n\n{WRITTEN}\n\nDone.\n", id="prose"),
        pytest.param(f"Sure:\n\n```json\n{WRITTEN}\n```\n\nDone.\n", id="a fence in prose"),
        pytest.param(WRITTEN.replace("\\n", "\n").replace("\\t", "\t").replace("\\u201c", "“").replace("\\u201d", "”").replace("\\u00e9", "é"), id="raw line breaks"),
        pytest.param(WRITTEN.replace("'", "\\'"), id="escapes that JSON does not have"),
        pytest.param(repr(VALUE), id="a dict of Python"),
        pytest.param(json.dumps({"name": "edit_file", "arguments": VALUE}), id="a call"),
        pytest.param(json.dumps([{"type": "function", "function": {"name": "edit", "arguments": WRITTEN}}]), id="calls, the arguments as a string"),
    ],
)  # fmt: skip
def test_json_as_models_write_it_is_read_when_asked_to_unwrap(text: str) -> None:
    assert read_json(text, unwrap=True) == MEANT
    assert parse(text, unwrap=True) == MEANT


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (WRITTEN[:-1], "the JSON ends in the middle, so it may be cut off; send all of it:"),
        (WRITTEN[:-9], "the JSON ends in the middle, so it may be cut off; send all of it:"),
        (
            f"First:\n{WRITTEN}\nThen:\n{WRITTEN.replace('hi', 'hu')}\n",
            "the reply contains several JSON values; send one, with all edits in a list:",
        ),
        (
            '{"path": "a.py", "old": "x", "new": "say(\'a\\n\')\ny"}',
            "a string mixes escapes with line breaks or backslashes that are not escaped; write each line break as \\n and each backslash as \\\\:",
        ),
        (
            r"{'path': 'a.py', 'old': 'x', 'new': '\x1b[0m'}",
            "a string mixes escapes with line breaks or backslashes that are not escaped; write each line break as \\n and each backslash as \\\\:",
        ),
        (
            '{"path": "a.py", "old": "say "hi"", "new": "y"}',
            "line 1, column 31: this is not JSON; write strict JSON, without a fence or words around it:",
        ),
        (
            '{"name": "insert", "arguments": {"path": "a.py", "start": 3, "new": "y"}}',
            "a call of a tool is around an edit without its old text; send the edit alone:",
        ),
        (
            '{"name": "delete", "input": {"path": "a.py", "delete": true}}',
            "a call of a tool is around an edit without its old text; send the edit alone:",
        ),
        ('{"input": ' * 5 + WRITTEN + "}" * 5, "path: is missing; name the file:"),
        (
            json.dumps({"edits": json.dumps([VALUE])}),
            "edits: must be a list of objects, not a string:",
        ),
        (
            '{"path": "a.py", "start": "3", "end": "4", "new": "n"}',
            "start: must be an integer, not a string:",
        ),
    ],
)
def test_json_that_is_not_clear_is_refused_even_when_asked_to_unwrap(
    text: str, sentence: str
) -> None:
    assert refusal(text, unwrap=True) == sentence


@pytest.mark.parametrize("text", ["```json\n{}", "Sure:\n```json\n[]\n```", "```", "```\n```"])
def test_a_fence_that_is_not_clean_is_refused_even_when_asked_to_unwrap(text: str) -> None:
    assert refusal(text, unwrap=True)
