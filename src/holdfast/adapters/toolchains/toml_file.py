"""Settings of tools in TOML."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def read_toml(file: Path) -> dict[str, Any]:
    """Return the tables of a file; {} if it cannot be read, which its own tool reports.

    The caller does not change the result: the same text is parsed once.
    """
    try:
        return _parse(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}


@lru_cache(maxsize=64)
def _parse(text: str) -> dict[str, Any]:
    return tomllib.loads(text)
