"""The programs that git runs on the files of a repository: filters in its own settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import Git
from holdfast.adapters.trust.code_items import item_of_text
from holdfast.checkpoints.ports import CheckpointFailed

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.vocab.trust import CodeItem

_PROGRAMS = (".clean", ".smudge", ".process")


def filters_of(root: Path) -> tuple[CodeItem, ...]:
    """Return the filters of the repository at a root, as one item; () if there are none."""
    try:
        filters = Git(root).own_filters()
    except CheckpointFailed:
        # Without git, git runs nothing.
        return ()

    lines = []
    for settings in filters.values():
        lines += [f"{name} = {value}\n" for name, value in settings if name.endswith(_PROGRAMS)]
    if not lines:
        return ()

    return (item_of_text(".git/config", "filter", "".join(lines)),)
