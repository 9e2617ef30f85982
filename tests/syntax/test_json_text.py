from __future__ import annotations

import json

import pytest

from holdfast.syntax.json_text import (
    Cut,
    JsonReading,
    Read,
    SeveralReadings,
    Unclosed,
    Unreadable,
    fields_read,
    read_json_text,
    read_unclosed,
)

ALMOST = "arguments were almost JSON"
TWICE = "arguments were encoded twice"
BESIDE = "text around the arguments was ignored"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("", Read({})),
        (" null ", Read({})),
        ('{"a": 1}', Read({"a": 1})),
        ('\ufeff{"a": 1}', Read({"a": 1})),
        ('"{\\"a\\": 1}"', Read({"a": 1}, TWICE)),
        ('"{\\"a\\": 1, \\"b\\": \\"x"', Cut({"a": 1})),
        ('"{\\"a\\": Infinity}"', Unreadable("Infinity is not JSON")),
        ('"[1]"', Read([1], TWICE)),
        ('{"a": "x\ty\nz"}', Read({"a": "x\ty\nz"}, "line breaks inside strings")),
        ('{"a": "x\\n\ny"}', Read({"a": "x\n\ny"}, "line breaks inside strings", doubtful=True)),
        ('```json\n{"a": 1}\n```', Read({"a": 1}, BESIDE)),
        ('{"a": 1}</tool_call>', Read({"a": 1}, BESIDE)),
        ('{"a": 1}<|im_end|>', Read({"a": 1}, BESIDE)),
        ('<|message|>{"a": 1}', Read({"a": 1}, BESIDE)),
        ('{"a": 1}цҳауеит', Read({"a": 1}, BESIDE)),
        ('{"a": 1}{"a": 1}', Read({"a": 1}, "equal arguments were sent more than once")),
        ('{}{"a": 1}', Read({"a": 1}, BESIDE)),
        ('{"a": 1}{"a": 2}', SeveralReadings(2)),
        ('{"a": 1}{"a": true}', SeveralReadings(2)),
        ('{"a": 1}, "b": 2}', SeveralReadings(2)),
        ('{"a": 1} is what I want', Unreadable("unexpected text after character 8")),
        ('{"a": 1, "b": "x', Cut({"a": 1})),
        ('{"a": "x", "b": 1', Cut({"a": "x"})),
        ('{"a": "x", "b": tru', Cut({"a": "x"})),
        ('{"a": "x"', Cut({"a": "x"})),
        ("{", Cut({})),
        ("{'a': 'x", Cut({})),
        ("{'a': 'x', b: None, \"c\": [True, 1.5, -2,],}", Read({"a": "x", "b": None, "c": [True, 1.5, -2]}, ALMOST)),
        ('{"a": 1, // the first, it\'s one\n "b": "//", # the second\n}', Read({"a": 1, "b": "//"}, ALMOST)),
        ('{/* all */ "a": "x" // x\n}', Read({"a": "x"}, ALMOST)),
        ('{"a": "x" // b}', Cut({})),
        ('{"a": """x"""}', Unreadable("Expecting ',' delimiter at character 9")),
        ('{"a": "\\d"}', Read({"a": "\\d"}, ALMOST)),
        ('{"a": "x\\\ny"}', Read({"a": "x\\\ny"}, ALMOST)),
        ('{"a": "\\d\\n"}', Read({"a": "\\d\n"}, ALMOST, doubtful=True)),
        ('{"a": "\\d\\n",}', Read({"a": "\\d\n"}, ALMOST, doubtful=True)),
        ('{"a": "x\ty" "b"}', Unreadable("Invalid control character at character 9")),
        ('{"a": 1, "a": 1}', Read({"a": 1})),
        ('{"a": 1, "a": 2}', Unreadable("`a` occurs twice, with two values")),
        ('{"a": [{"b": 1, "b": 2}]}', Unreadable("`b` occurs twice, with two values")),
        ('{"a": Infinity}', Unreadable("Infinity is not JSON")),
        ('{"a": 1e999}', Unreadable("a number in it is not finite")),
        ('{"a": ' + "1" * 5000 + "}", Unreadable("a number in it is too long")),
        ("[" * 70 + "]" * 70, Unreadable("it is nested more than 64 deep")),
        ("ls -la", Unreadable("Expecting value at character 1")),
        ('{"a": "b" "c": 1}', Unreadable("Expecting ',' delimiter at character 11")),
    ],
)  # fmt: skip
def test_arguments_are_read_on_the_first_rung_that_takes_them(
    raw: str, expected: JsonReading
) -> None:
    assert read_json_text(raw) == expected


@pytest.mark.parametrize(
    ("arguments", "fields"),
    [
        (Read({"a": 1}), {"a": 1}),
        (Cut({"a": 1}), {"a": 1}),
        (Read([1]), None),
        (Read("a"), None),
        (SeveralReadings(2), None),
        (Unreadable("Expecting value at character 1"), None),
    ],
)
def test_only_an_object_has_fields(
    arguments: JsonReading, fields: dict[str, object] | None
) -> None:
    assert fields_read(arguments) == fields


def test_arguments_that_were_encoded_too_often_stay_a_text() -> None:
    value: object = {"a": 1}
    for _ in range(5):
        value = json.dumps(value)
    read = read_json_text(str(value))
    assert isinstance(read, Read)
    assert read.value == '{"a": 1}'
    once_less = read_json_text(json.loads(str(value)))
    assert isinstance(once_less, Read)
    assert once_less.value == {"a": 1}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1', Unclosed({"a": 1})),
        ('{"a": "x"\n', Unclosed({"a": "x"})),
        ('{"a": [1, {"b": "]"', Unclosed({"a": [1, {"b": "]"}]})),
        ('```json\n{"a": 1', Unclosed({"a": 1})),
        ('{"a": 1,', Unreadable("a closing bracket is missing")),
        ('{"a": [1}', Unreadable("a closing bracket is missing")),
        ('{"a": 1, "a": 2', Unreadable("a closing bracket is missing")),
        ('{"a": 1}', None),
        ('{"a": "x', None),
        ('{"a": "', None),
        ("words", None),
    ],
)
def test_an_object_lacks_only_brackets_if_all_its_strings_are_closed(
    text: str, expected: Unclosed | Unreadable | None
) -> None:
    assert read_unclosed(text) == expected
