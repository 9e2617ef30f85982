"""The programs that git runs on the files of a repository: filters in its own settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import Git
from holdfast.adapters.trust.code_items import item_of_text
from holdfast.checkpoints.ports import CheckpointFailed

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.vocab.trust import CodeItem

_PROGRAMS = (".clean", ".smudge", ".process", ".driver")


def filters_of(root: Path) -> tuple[CodeItem, ...]:
    """Return the filters and merge drivers of the repository at a root, as one item, or ()."""
    try:
        settings = Git(root).own_programs()
    except CheckpointFailed:
        # Without git, git runs nothing.
        return ()

    programs = [name for name in settings if name.endswith(_PROGRAMS)]
    if not programs:
        return ()

    text = "".join(f"{name} = {settings[name]}\n" for name in programs)
    return (item_of_text(".git/config", "filter", text),)
