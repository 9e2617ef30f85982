"""Settings of tools in TOML."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def read_toml(file: Path) -> dict[str, Any]:
    """Return the tables of a file; {} if it cannot be read, which its own tool reports."""
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}
