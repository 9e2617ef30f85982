"""What the rules need: the files that hold them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

UpdateBytes: TypeAlias = Callable[[bytes | None], bytes | None]
"""What becomes of a file's bytes; None is no file."""


class RuleFiles(Protocol):
    """The rules of a project as files, `rules/<target>/<id>.json`: names are ours, never a model's. Raises OSError."""

    def read_all(self) -> Sequence[tuple[str, bytes]]:
        """Give each file's name (`<target>/<id>`) and bytes, sorted by name; no bytes for what cannot be read."""
        ...

    def update(self, name: str, change: UpdateBytes) -> bytes | None:
        """Replace one file atomically, one process at a time: `change` gets the bytes (None: none)."""
        ...
