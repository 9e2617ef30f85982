"""Items of a project's code: a file or a text with its hash."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from holdfast.adapters.plain_file import open_plain
from holdfast.adapters.processes.project_programs import is_below
from holdfast.vocab.trust import CodeItem, CodeKind

if TYPE_CHECKING:
    from pathlib import Path

_LARGEST_TEXT = 64_000
"""The longest text that is kept, in bytes: it is shown when it has changed."""
_MISSING = "missing"


def item_of_file(root: Path, path: str, kind: CodeKind) -> CodeItem:
    """Return the item of a file below the root; a file that cannot be read has a mark of its own.

    A link that leads out of the root is hashed as a link: what is there belongs to the machine, and
    an upgrade of its Python is no change of the project.
    """
    place = root / path
    if place.is_symlink() and not is_below(os.path.realpath(place), root):
        return item_of_text(path, kind, f"link to {place.readlink()}\n")

    try:
        with open_plain(place) as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            file.seek(0)
            data = file.read(_LARGEST_TEXT + 1)
    except OSError:
        return CodeItem(kind, path, _MISSING)

    return CodeItem(kind, path, digest, _short_text(data))


def item_of_data(path: str, kind: CodeKind, data: bytes) -> CodeItem:
    """Return the item of a file with this content, as `item_of_file` would."""
    return CodeItem(kind, path, hashlib.sha256(data).hexdigest(), _short_text(data))


def item_of_text(path: str, kind: CodeKind, text: str) -> CodeItem:
    """Return the item of a text that is in a file, such as one table of its settings."""
    return item_of_data(path, kind, text.encode("utf-8", "surrogateescape"))


def _short_text(data: bytes) -> str | None:
    """Return the content as a text; None if it is long, or no text."""
    if len(data) > _LARGEST_TEXT or b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
