"""Lists of paths as one text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def list_paths(paths: Iterable[str]) -> str:
    """Return paths as one text, from which two different lists differ.

    An answer for one list of files must not count for another.

    >>> print(list_paths(["a.py", "b, c.py"]))
    a.py, "b, c.py"
    """
    return ", ".join(path if _is_plain(path) else json.dumps(path) for path in paths)


def _is_plain(path: str) -> bool:
    return path.isprintable() and not {",", '"'} & set(path)
