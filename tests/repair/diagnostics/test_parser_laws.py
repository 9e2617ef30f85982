"""For any output a parser gives a tuple: it never raises, and of nonsense it makes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.repair.diagnostics import (
    gcc,
    generic,
    go,
    javac,
    mypy,
    node,
    pyright,
    python_compile,
    ruff,
    rustc,
    tsc,
)
from holdfast.repair.diagnostics.columns import ColumnUnit, SourceLines
from holdfast.vocab.diagnostics import Diagnostic

Parse = Callable[..., tuple[Diagnostic, ...]]
PARSERS: dict[str, Parse] = {
    "gcc": gcc.parse,
    "go": go.parse,
    "javac": javac.parse,
    "line_col": generic.parse,
    "mypy": mypy.parse,
    "node": node.parse,
    "pyright": pyright.parse,
    "python": python_compile.parse,
    "ruff": ruff.parse,
    "rustc": rustc.parse,
    "tsc": tsc.parse,
}
CAPTURED = Path(__file__).with_name("captured")
OUTPUTS = [file.read_bytes().decode() for file in sorted(CAPTURED.glob("*.output.txt"))]
KEYS = st.sampled_from(
    [
        "message",
        "file",
        "line",
        "column",
        "severity",
        "code",
        "kind",
        "locations",
        "caret",
        "spans",
        "level",
        "children",
        "fix",
        "edits",
        "filename",
        "location",
        "row",
        "end_location",
        "fixits",
        "start",
        "next",
        "reason",
        "is_primary",
        "suggested_replacement",
        "expansion",
        "span",
        "file_name",
        "line_start",
        "generalDiagnostics",
        "range",
        "path",
        "type",
    ]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 20)
    | st.floats()
    | st.sampled_from(["error", "a.c", "warning", "x `y`", "", "note"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=25,
)


@given(st.text(max_size=200))
def test_any_text_gives_a_tuple(text: str) -> None:
    for parse in PARSERS.values():
        assert isinstance(parse(text, version="1"), tuple)


@given(VALUES)
def test_any_json_gives_a_tuple(value: Any) -> None:
    text = json.dumps(value)
    whole = json.dumps({"generalDiagnostics": [value], "message": value, "reason": "x"})
    for parse in PARSERS.values():
        for output in (text, f"[{text}]", whole):
            found = parse(output, version="1", sources=SourceLines({"a.c": "é\tx\n"}))
            assert all(
                each.severity in {"error", "warning", "note"} and each.message for each in found
            )


@given(st.sampled_from(OUTPUTS), st.data())
def test_a_real_output_that_is_cut_or_spoilt_gives_a_tuple(
    output: str, data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(output)))
    for parse in PARSERS.values():
        assert isinstance(parse(output[:cut] + "\x00]}" + output[cut:], version="1"), tuple)


@pytest.mark.parametrize("name", PARSERS)
@pytest.mark.parametrize(
    "text",
    [
        "",
        "Segmentation fault\n",
        "[" * 200_000,
        "{" * 200_000,
        "(" * 50_000,
        "[\n" * 5_000,
        "'" * 20_000,
    ],
)
def test_nonsense_gives_nothing_and_soon(name: str, text: str) -> None:
    assert PARSERS[name](text, version="1") == ()


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("tsc", "\x1b[96ma.ts(1,2): \x1b[91merror\x1b[0m TS2304: Cannot find name 'x'.\r\n"),
        ("javac", "A.java:1:2: \x1b[31mcompiler.err.expected\x1b[0m: ';'\r\n"),
        ("line_col", "\x1b[1ma.x:1:2:\x1b[0m \x1b[31merror:\x1b[0m bad\r\n"),
        (
            "mypy",
            '\x1b[1m{"file": "a.py", "line": 1, "column": 1, "message": "x", "code": "y", "severity": "error"}\x1b[0m\r\n',
        ),
    ],
)
def test_colours_and_line_endings_are_no_part_of_it(name: str, output: str) -> None:
    (found,) = PARSERS[name](output, version="1")
    assert found.area is not None
    assert (found.area.line, found.area.column) == (1, 2)
    assert "\x1b" not in found.message
    assert "\r" not in found.message


# ------------------------------------------------------------------------------------------------------------- columns

UNITS: dict[ColumnUnit, Callable[[str], int]] = {
    "characters": len,
    "bytes": lambda text: len(text.encode()),
    "utf16": lambda text: len(text.encode("utf-16-le")) // 2,
    "tabs8": lambda text: len(text.encode("utf-16-le").decode("utf-16-le").expandtabs(8)),
}


@given(
    st.sampled_from(["characters", "bytes", "utf16"]),
    st.text(st.sampled_from("a\té😀 \f\u2028"), max_size=12),
    st.data(),
)
def test_a_column_of_any_unit_becomes_the_character_it_stands_before(
    unit: ColumnUnit, line: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(line)))
    sources = SourceLines({"f": f"first\r\n{line}\r\nlast"})
    assert sources.column("f", 2, UNITS[unit](line[:at]) + 1, unit) == at + 1


@given(st.text(st.sampled_from("a\té"), max_size=12), st.data())
def test_a_tab_goes_to_the_next_of_eight(line: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(line)))
    assert (
        SourceLines({"f": line}).column("f", 1, len(line[:at].expandtabs(8)) + 1, "tabs8") == at + 1
    )


def test_a_line_that_is_not_known_keeps_its_columns() -> None:
    assert SourceLines({"f": "é"}).column("g", 1, 3, "bytes") == 3
    assert SourceLines({"f": "é"}).column("f", 9, 3, "bytes") == 3


def test_a_byte_that_is_no_character_counts_as_one() -> None:
    text = b"\xff\xfe x".decode("utf-8", "surrogateescape")
    assert SourceLines({"f": text}).column("f", 1, 4, "bytes") == 4
