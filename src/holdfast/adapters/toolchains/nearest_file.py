"""The nearest file of some name above a unit, as tools look for their settings."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def nearest_file(root: Path, path: str, names: Sequence[str]) -> PurePosixPath | None:
    """Return the first of these files in the unit's folder, or in one above it up to the root."""
    for folder in PurePosixPath(path).parents:
        for name in names:
            if (root / folder / name).is_file():
                return folder / name
    return None
