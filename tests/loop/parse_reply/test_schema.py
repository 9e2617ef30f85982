from __future__ import annotations

from typing import Any

import pytest

from holdfast.loop.parse_reply.schema import SchemaNode, describe, root_node, signature

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
NULL = {"type": "null"}


def nested(depth: int) -> dict[str, Any]:
    """A schema of objects inside objects, each in the field `a`."""
    schema: dict[str, Any] = TEXT
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def lists(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = TEXT
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return {"properties": {"a": schema}}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({}, "{}"),
        ({"properties": {"a": {}}}, "{a?: any}"),
        ({"properties": {"a": 1}}, "{a?: any}"),
        ({"properties": {"a": TEXT}, "required": ["a", 1]}, "{a: string}"),
        ({"properties": {"a": {"anyOf": [NULL, NUMBER, TEXT]}}}, "{a?: integer}"),
        ({"properties": {"a": {"anyOf": [NULL]}}}, "{a?: any}"),
        ({"properties": {"a": {"type": ["null", "string"]}}}, "{a?: string}"),
        ({"properties": {"a": {"type": "object"}}}, "{a?: object}"),
        ({"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": TEXT}}, "{a?: string}"),
        ({"properties": {"a": {"$ref": "#/$defs/b/c"}}, "$defs": {"b": 1}}, "{a?: any}"),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, "{a?: any}"),
        ({"anyOf": [{"properties": {"a": TEXT}}, {"properties": {"b": TEXT}}]}, "{a?: string}"),
        ({"oneOf": [{"properties": {"a": TEXT}}]}, "{a?: string}"),
        ({"allOf": [{"properties": {"a": TEXT}}]}, "{a?: string}"),
        (nested(4), "{a?: {a?: {a?: {a?: string}}}}"),
        (nested(5), "{a?: {a?: {a?: {a?: {a?: any}}}}}"),
        (lists(3), "{a?: [[[string, …], …], …]}"),
        (lists(4), "{a?: [[[[any, …], …], …], …]}"),
    ],
)
def test_the_signature_shows_fields_and_their_first_type(
    schema: dict[str, Any], expected: str
) -> None:
    assert signature(root_node(schema)) == expected


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ({}, "another value"),
        (NULL, "another value"),
        (TEXT, "a string"),
        ({"type": ["integer", "array", "object", "null"]}, "an integer or a list or an object"),
        ({"anyOf": [NUMBER, TEXT, NUMBER]}, "an integer or a string"),
    ],
)
def test_the_allowed_types_are_described_in_words(node: dict[str, Any], expected: str) -> None:
    assert describe(SchemaNode(node, {})) == expected


@pytest.mark.parametrize(
    ("node", "taken", "refused"),
    [
        ({}, ["a", 1, None, []], []),
        ({"type": "file"}, ["a", 1, None], []),
        (TEXT, ["", "a"], [1, None, True]),
        (NUMBER, [0, -1], [1.0, "1", True, False]),
        ({"type": "number"}, [0, 1.5], ["1", True]),
        ({"type": "boolean"}, [True, False], [0, 1, "true"]),
        ({"type": "array"}, [[], [1]], [{}, "[]"]),
        ({"type": "object"}, [{}, {"a": 1}], [[], "{}"]),
        (NULL, [None], [0, "", False]),
        ({"enum": ["a", "b"]}, ["a", "b"], ["c", 1, None]),
        ({"const": "a"}, ["a"], ["b", None]),
        ({"const": None}, [None], ["a"]),
        ({"type": "integer", "enum": [1, "a"]}, [1], ["a", 2, True]),
    ],
)
def test_a_value_needs_the_type_and_has_to_be_among_the_listed_ones(
    node: dict[str, Any], taken: list[Any], refused: list[Any]
) -> None:
    schema = SchemaNode(node, {})
    values = taken + refused
    assert [schema.takes(value) for value in values] == [True] * len(taken) + [False] * len(refused)


@pytest.mark.parametrize(("links", "expected"), [(16, [TEXT]), (17, [])])
def test_a_chain_of_references_has_a_longest_length(
    links: int, expected: list[dict[str, str]]
) -> None:
    root: dict[str, Any] = {str(number): {"$ref": f"#/{number + 1}"} for number in range(links)}
    root[str(links)] = TEXT
    first = SchemaNode(root["0"], root)
    assert [choice.node for choice in first.choices()] == expected
