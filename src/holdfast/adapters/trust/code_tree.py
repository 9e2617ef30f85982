"""All files of a project that may be code which another file brings in by its name alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MOST_FILES = 200_000
_PACKAGES = frozenset({"node_modules", "venv", "site-packages", "__pycache__"})


def files_of_tree(root: Path) -> Iterator[str]:
    """Yield the paths of the files below a root, sorted in each folder.

    Not those in hidden folders and in folders of installed packages: an edit there is asked for
    (`guards/protected_paths.py`), and an installation would ask again for thousands of files.
    """
    count = 0
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in sorted(inner) if _has_code(name)]
        if "pyvenv.cfg" in names:
            inner.clear()
            continue
        below = os.path.relpath(folder, root)
        for name in sorted(names):
            yield os.path.normpath(f"{below}/{name}")
        count += len(names)
        if count > _MOST_FILES:
            return


def _has_code(folder: str) -> bool:
    return not folder.startswith(".") and folder not in _PACKAGES
