"""The programs that git runs on the files of a repository: filters in its own settings."""

from __future__ import annotations

import os
import shlex
from itertools import product
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import Git, to_text
from holdfast.adapters.trust.code_items import item_of_data, item_of_file, item_of_text
from holdfast.adapters.trust.command_code import files_in_tree, files_of_command
from holdfast.adapters.trust.mentioned_files import names_in, with_mentioned
from holdfast.checkpoints.ports import CheckpointFailed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from holdfast.vocab.trust import CodeItem

_PROGRAMS = (".clean", ".smudge", ".process", ".driver")


def filters_of(root: Path, trees: Sequence[str] = ()) -> tuple[CodeItem, ...]:
    """Return the filters and merge drivers of the repository at a root, and what files these run.

    The settings are one item; nothing if there are none. With `trees` also files in these,
    which git is to write: it could run them before it has written all. Raise `CheckpointFailed` if
    there is no such tree.
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
        command = _quoted(settings[name])
        items += _files_of(command, root)
        for tree in trees:
            items += _files_in_tree(command, Git(root), tree)
    return tuple(dict.fromkeys(items))


def _files_of(command: str, root: Path) -> Iterator[CodeItem]:
    """Yield the files of the project that the command of a filter runs: git starts it there."""
    for kind, path, text in files_of_command(command, root):
        if text is not None:
            yield item_of_text(path, kind, text)
            continue
        # Git runs a filter outside of the sandbox: what its script names counts, in any language.
        for file in with_mentioned(root, path):
            yield item_of_file(root, file, kind)


def _files_in_tree(command: str, git: Git, tree: str) -> Iterator[CodeItem]:
    listed = git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", tree)
    names = frozenset(to_text(listed).split("\0")) - {""}
    found = {path: kind for kind, path in files_in_tree(command, names)}
    pending = list(found)
    for path in pending:
        data = git.run("cat-file", "blob", f"{tree}:{path}")
        yield item_of_data(path, found[path], data)
        for mentioned in _mentioned_in_tree(PurePosixPath(path), data, names):
            if mentioned not in found:
                found[mentioned] = found[path]
                pending.append(mentioned)


def _mentioned_in_tree(file: PurePosixPath, data: bytes, names: Collection[str]) -> Iterator[str]:
    """Yield the files of a tree that the text of one of them names, from there or from the top."""
    words = names_in(data.decode("utf-8", "replace"))
    for folder, word in product((file.parent, PurePosixPath()), words):
        for candidate in (f"{word}", f"{word}{file.suffix}"):
            path = os.path.normpath(folder / candidate)
            if path in names:
                yield path


def _quoted(command: str) -> str:
    """Return a command as one word if it has an open quote: words inside a word count too."""
    try:
        shlex.split(command)
    except ValueError:
        return shlex.quote(command)
    return command
