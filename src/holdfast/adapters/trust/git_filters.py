"""The programs that git runs on the files of a repository: filters in its own settings."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import Git
from holdfast.adapters.trust.code_items import item_of_file, item_of_text
from holdfast.adapters.trust.command_code import files_of_command
from holdfast.checkpoints.ports import CheckpointFailed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from holdfast.vocab.trust import CodeItem

_PROGRAMS = (".clean", ".smudge", ".process", ".driver")


def filters_of(root: Path) -> tuple[CodeItem, ...]:
    """Return the filters and merge drivers of the repository at a root, and what files these run.

    The settings are one item; nothing if there are none.
    """
    try:
        settings = Git(root).own_programs()
    except CheckpointFailed:
        # Without git, git runs nothing.
        return ()

    programs = [name for name in settings if name.endswith(_PROGRAMS)]
    if not programs:
        return ()

    text = "".join(f"{name} = {settings[name]}\n" for name in programs)
    items = [item_of_text(".git/config", "filter", text)]
    for name in programs:
        items += _files_of(settings[name], root)
    return tuple(dict.fromkeys(items))


def _files_of(command: str, root: Path) -> Iterator[CodeItem]:
    """Yield the files of the project that the command of a filter runs: git starts it there."""
    # A shell that would stop at an open quote runs nothing, but git takes `%f` and more out before.
    words = command if _is_closed(command) else shlex.quote(command)
    for kind, path, text in files_of_command(words, root):
        if text is None:
            yield item_of_file(root, path, kind)
        else:
            yield item_of_text(path, kind, text)


def _is_closed(command: str) -> bool:
    try:
        shlex.split(command)
    except ValueError:
        return False
    return True
