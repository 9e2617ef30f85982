"""What is special about a literal."""

from __future__ import annotations

import pytest

from holdfast.rules.match.node_classes import class_of_literal


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", "zero"),
        ("0.0f", "zero"),
        ("0x00", "zero"),
        ("0UL", "zero"),
        (".0", "zero"),
        ("0xff", "number"),
        ("0xF", "number"),
        ("0b10", "number"),
        ("10", "number"),
        ('""', "empty"),
        ("''", "empty"),
        ('f""', "empty"),
        ('""""""', "empty"),
        ('"buf"', "text"),
        ('"U"', "text"),
        ("'f'", "text"),
        ('b"rub"', "text"),
        ('"""fF"""', "text"),
        ('"+125"', "digits"),
        ('"%5d items"', "format"),
        ('f"{name}"', "format"),
    ],
)
def test_letters_of_a_prefix_or_suffix_are_content_elsewhere(text: str, expected: str) -> None:
    assert class_of_literal(text) == expected
