from __future__ import annotations

import pytest

from holdfast.loop.parse_reply.quoted_parts import unquoted_spans


@pytest.mark.parametrize(
    ("text", "unquoted"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a `b` c", ["a ", " c"]),
        ("a ``b ` c`` d", ["a ", " d"]),
        ("a ` b", ["a ", " b"]),
        ("a `b\n\nc` d", ["a ", "b\n\nc", " d"]),
        ("`" + "b" * 999 + "` c", ["", " c"]),
        ("`" + "b" * 1000 + "` c", ["", "b" * 1000, " c"]),
        ("a ~~~ b", ["a ", " b"]),
        ("a\n```\nb\n```\nc", ["a\n", "\nc"]),
        ("```py\nb\n```\nc", ["", "\nc"]),
        ("~~~\nb\n```\n~~~\nc", ["", "\nc"]),
        ("````\nb\n```\n````\nc", ["", "\nc"]),
        ("```\nb\n`````\nc", ["", "\nc"]),
        ("```\nb\n   ``` \nc", ["", "\nc"]),
        ("```\nb\n    ```\nc", [""  , ""]),
        ("```\nb\nc", ["", ""]),
        ("   ```\nb\n```\nc", ["   ", "\nc"]),
        ("a\n   ```\nb\n```\nc", ["a\n   ", "\nc"]),
        ("a\n    ```\nb\n\nc", ["a\n    ", "\nb\n\nc"]),
        ("    ```\nb\n\nc", ["    ", "\nb\n\nc"]),
        ("a ```\nb\n\nc", ["a ", "\nb\n\nc"]),
        ("a ```b``` c", ["a ", " c"]),
        ("```b``` c", ["", " c"]),
        ("> a\nb", ["\nb"]),
        ("   > a\nb", ["\nb"]),
        ("    > a\nb", ["    > a\nb"]),
        ("> a", [""]),
        ("a\n> b\nc", ["a", "\nc"]),
        ("a\n   > b\nc", ["a", "\nc"]),
        ("a\n    > b\nc", ["a\n    > b\nc"]),
        ("a > b", ["a > b"]),
    ],
)  # fmt: skip
def test_code_and_block_quotes_are_left_out(text: str, unquoted: list[str]) -> None:
    assert [text[start:end] for start, end in unquoted_spans(text)] == unquoted
