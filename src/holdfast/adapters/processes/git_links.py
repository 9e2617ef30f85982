"""What would lead git out of the repository of a worktree: symbolic links, and a wrong `.git`.

Git that we run ourselves is in no sandbox. By such a link it would write and delete files of the
user elsewhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.places.main_worktree import is_own_repository

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def why_unwritable(
    worktree: Path, common: Path, refs: Iterable[str] = (), others: Iterable[str] = ()
) -> str:
    """Return why git must not write to the repository of a worktree, or "".

    `common` is the git directory of the repository. Git may write objects, these refs with their
    logs, and `others`: paths in that directory.
    """
    if not is_own_repository(worktree):
        return (
            f"{worktree / '.git'} leads to the repository {common}, which does not name this "
            "folder; run `git worktree repair` if you have moved it, or work in place."
        )

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
