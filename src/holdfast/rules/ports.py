"""The port of the package: the files in which rules are stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

UpdateBytes: TypeAlias = Callable[[bytes | None], bytes | None]
"""A function from the bytes of a file to its new bytes; None stands for no file."""


class RuleFiles(Protocol):
    """The rules of a project as files `rules/<target>/<id>.json`. Raises OSError.

    No name is chosen by a model.
    """

    def read_all(self) -> Sequence[tuple[str, bytes]]:
        """Return the name (`<target>/<id>`) and bytes of each file, sorted by name.

        The bytes are empty if a file cannot be read.
        """

    def update(self, name: str, change: UpdateBytes) -> bytes | None:
        """Replace one file atomically, locked against other processes.

        `change` receives its bytes, or None without a file.
        """
