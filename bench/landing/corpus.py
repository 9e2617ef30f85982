"""A corpus on disk: `cases.<split>.jsonl` beside `files.<split>.jsonl`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.landing.cases import Case, parse_edit

WRAPPED = re.compile(r"^ud-prose")


def load_corpus(folder: Path, split: str) -> Iterator[Case]:
    """Every case of the split, in the order of the file."""
    files = {row["ref"]: row["text"] for row in _rows(folder / f"files.{split}.jsonl")}
    for row in _rows(folder / f"cases.{split}.jsonl"):
        yield _case(row, files[row["before"]["ref"]])


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _case(row: dict[str, Any], before: str) -> Case:
    region = row.get("region")
    return Case(
        id=row["id"],
        lang=row["lang"],
        kind=row["kind"],
        polarity=row["polarity"],
        file_name=row["file_name"],
        before=before,
        edit=parse_edit(row["edit"], unwrap=bool(WRAPPED.search(row["kind"]))),
        expected=tuple(_splice(before, *one["splice"]) for one in row["expected"]),
        refuse_ok=bool(row.get("refuse_ok")),
        region=(region[0], region[1]) if region else None,
    )


def _splice(text: str, start: int, end: int, middle: str) -> str:
    return text[:start] + middle + text[end:]
