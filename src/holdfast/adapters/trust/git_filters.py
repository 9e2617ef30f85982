"""The programs that git runs on the files of a repository: filters in its own settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import Git
from holdfast.adapters.trust.code_items import item_of_text
from holdfast.checkpoints.ports import CheckpointFailed

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.vocab.trust import CodeItem

_PROGRAMS = r"^filter\..*\.(clean|smudge|process)$"
_NONE_FOUND = 1
_NO_REPOSITORY = 128


def filters_of(root: Path) -> tuple[CodeItem, ...]:
    """Return the filters of the repository at a root, as one item; () if there are none."""
    words = ("config", "--local", "--includes", "-z", "--get-regexp", _PROGRAMS)
    try:
        found = Git(root).run(*words, ok_codes=(0, _NONE_FOUND, _NO_REPOSITORY))
    except CheckpointFailed:
        # Without git, git runs nothing.
        return ()

    if not found:
        return ()

    text = found.decode("utf-8", "surrogateescape").replace("\n", " = ").replace("\0", "\n")
    return (item_of_text(".git/config", "filter", text),)
