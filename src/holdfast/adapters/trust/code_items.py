"""Items of a project's code: a file or a text with its hash."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from holdfast.vocab.trust import CodeItem, CodeKind

_LARGEST_TEXT = 64_000
"""The longest text that is kept, in bytes: it is shown when it has changed."""
_MISSING = "missing"


def item_of_file(root: Path, path: str, kind: CodeKind) -> CodeItem:
    """Return the item of a file below the root; a file that cannot be read has a mark of its own.

    A link that leads out of the root is hashed as a link: what is there belongs to the machine, and
    an upgrade of its Python is no change of the project.
    """
    place = root / path
    if place.is_symlink() and not _is_below(os.path.realpath(place), root):
        return item_of_text(path, kind, f"link to {place.readlink()}\n")
    try:
        data = place.read_bytes()
    except OSError:
        return CodeItem(kind, path, _MISSING)
    return CodeItem(kind, path, hashlib.sha256(data).hexdigest(), _short_text(data))


def item_of_text(path: str, kind: CodeKind, text: str) -> CodeItem:
    """Return the item of a text that is in a file, such as one table of its settings."""
    data = text.encode("utf-8", "surrogateescape")
    return CodeItem(kind, path, hashlib.sha256(data).hexdigest(), _short_text(data))


def is_of_project(program: str, root: Path) -> bool:
    """Return whether a program is the project's: its path or its real path is below the root.

    A link out of a virtual environment counts too: Python reads the `pyvenv.cfg` beside the link,
    which names the folder of its library.
    """
    at = os.path.abspath(program)  # noqa: PTH100 - `Path.resolve` would follow the link
    return _is_below(at, root) or _is_below(os.path.realpath(program), root)


def _is_below(path: str, root: Path) -> bool:
    if Path(path).is_relative_to(root):
        return True
    return Path(path).is_relative_to(os.path.realpath(root))


def _short_text(data: bytes) -> str | None:
    """Return the content as a text; None if it is long, or no text."""
    if len(data) > _LARGEST_TEXT or b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
