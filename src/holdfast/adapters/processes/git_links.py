"""Symbolic links in a git directory that would lead git out of it.

Git that we run ourselves is in no sandbox. By such a link it would write and delete files of the
user elsewhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def why_unwritable(common: Path, refs: Iterable[str] = (), others: Iterable[str] = ()) -> str:
    """Return why git must not write to a repository, or "".

    `common` is the git directory of the repository. Git may write objects, these refs with their
    logs, and `others`: paths in that directory.
    """
    written = [path for ref in refs for path in (ref, f"logs/{ref}")]
    for path in _links(common, [*written, *others, "packed-refs", "objects"]):
        return (
            f"{path} is a symbolic link, and git would write where it leads; replace the link by "
            "what it leads to, and try again."
        )

    return ""


def _links(common: Path, written: Iterable[str]) -> Iterator[Path]:
    """Yield the links on the way to paths in a git directory, and those among its objects."""
    for path in written:
        place = common / path
        while place != common:
            if place.is_symlink():
                yield place
            place = place.parent

    yield from filter(Path.is_symlink, (common / "objects").iterdir())
