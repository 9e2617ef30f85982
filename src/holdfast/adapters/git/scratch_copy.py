"""A scratch copy of a private repository, to compare the files as they are and write nothing.

The copy has the index, its state and the refs; objects are borrowed from the private repository and
from the user's. What a snapshot writes goes to the copy, which is removed. No lock is needed: git
and Holdfast replace these files as a whole, and an index that does not fit its state is read anew.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem import atomic_write
from holdfast.adapters.git.objects.object_links import find_object_directories, write_alternates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.adapters.git.repository import PrivateRepository

_NOT_COPIED = shutil.ignore_patterns("*.lock", "*.draft", "objects", "refs")


@contextmanager
def scratch_copy(repository: PrivateRepository) -> Iterator[PrivateRepository]:
    """Yield a copy of a private repository in a temporary directory."""
    with tempfile.TemporaryDirectory(prefix="holdfast-") as name:
        copy = replace(repository, folder=Path(name), borrows_objects=True)
        _copy_files(repository.git_dir, copy.git_dir)
        # The refs are only read.
        (copy.git_dir / "refs").symlink_to(repository.git_dir / "refs")
        (copy.objects / "info").mkdir(parents=True)
        (copy.objects / "pack").mkdir()
        sources = [repository.objects]
        if repository.user is not None and repository.shares_objects():
            sources += find_object_directories(repository.user.common_dir)
        write_alternates(copy.objects, sources, needed=True)
        yield copy


def _copy_files(source: Path, to: Path) -> None:
    """Copy the files of a git directory; one that is removed meanwhile is left out.

    The index keeps its time: a copy that looked younger would hide edits of the last second.
    """
    try:
        shutil.copytree(source, to, ignore=_NOT_COPIED)
    except shutil.Error:
        to.mkdir(exist_ok=True)
        atomic_write.drop(to / "index")
