"""The picture in the README shows what the commands print today."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from bench import picture


def lines_of(svg: str) -> list[str]:
    """The text of a picture from top to bottom, without ids and counts, which differ from run to run."""
    pieces = re.findall(
        r'<text class="terminal-r\d+" x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', svg
    )
    lines: dict[float, str] = {}
    for _, y, piece in sorted(pieces, key=lambda each: (float(each[1]), float(each[0]))):
        lines[float(y)] = lines.get(float(y), "") + html.unescape(piece).replace(
            "\N{NO-BREAK SPACE}", " "
        )
    return [re.sub(r"\b[0-9a-f]{12}\b|\d+", "N", line) for line in lines.values()]


@pytest.mark.e2e
def test_the_picture_is_of_the_commands_as_they_are(tmp_path: Path) -> None:
    drawn = tmp_path / "terminal.svg"
    picture.draw(drawn)
    stored = lines_of(picture.PICTURE.read_text(encoding="utf-8"))
    assert len(stored) > 30
    assert lines_of(drawn.read_text(encoding="utf-8")) == stored, (
        "run `make picture` and look at docs/terminal.svg"
    )
