"""Settings of tools in TOML."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from holdfast.adapters.plain_file import read_plain

if TYPE_CHECKING:
    from pathlib import Path


def read_toml(file: Path) -> dict[str, Any]:
    """Return the tables of a file; {} if it cannot be read, which its own tool reports.

    The caller does not change the result: the same text is parsed once.
    """
    try:
        return _parse(read_plain(file).decode("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError):
        return {}


@lru_cache(maxsize=64)
def _parse(text: str) -> dict[str, Any]:
    return tomllib.loads(text)
