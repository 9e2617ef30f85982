"""Values of the wrong type, and the one value that is meant."""

from __future__ import annotations

from typing import Any

import pytest

from holdfast.loop.parse_reply.coercion import UnclearValue, coerce
from holdfast.loop.parse_reply.schema import SchemaNode


def meant(value: Any, kind: str) -> Any:
    return coerce(value, SchemaNode({"type": kind}, {}), "field")


@pytest.mark.parametrize(
    ("text", "number"), [("3", 3), (" -4 ", -4), ("3.50", 3.5), ("+0.25", 0.25)]
)
def test_a_text_with_one_number_is_that_number(text: str, number: float) -> None:
    found = meant(text, "number")
    assert (found, type(found)) == (number, type(number))


@pytest.mark.parametrize("text", ["", "3.", ".5", "1e5", "3 4", "three"])
def test_a_text_without_one_number_is_unclear(text: str) -> None:
    assert isinstance(meant(text, "number"), UnclearValue)


def test_a_text_with_an_object_is_that_object_without_the_tag_of_the_next_parameter() -> None:
    assert meant('{"a": 1}', "object") == {"a": 1}
    assert meant('{"a": 1}</parameter>\n<parameter=b>', "object") == {"a": 1}
    assert meant('{"a": "<b> c"}', "object") == {"a": "<b> c"}


@pytest.mark.parametrize("text", ["[1]", "3", "text"])
def test_a_text_with_anything_else_is_no_object(text: str) -> None:
    assert isinstance(meant(text, "object"), UnclearValue)
