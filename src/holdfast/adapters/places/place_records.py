"""Which project and worktree a folder is, and what the state directory knows of them.

    worktrees/<id>/place.json      where the worktree was last, and which project it belongs to
    worktrees/<id>/linked/<id>     the linked worktrees that were seen of the project with this id

The id is that of the folder, so that no list has to be searched: a folder that was moved has the
same id, and another folder at the same path has another.
"""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.places.folder_id import folder_id, settle_birth
from holdfast.adapters.places.main_worktree import is_worktree, linked_worktrees, main_worktree
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

_VERSION = 1
PLACE_FILE = "place.json"
"""The record of a worktree, in its folder of the state directory."""


def find_root(start: Path, state: Path) -> Path:
    """Return the root of the project that a folder is in.

    That is the nearest parent that is a worktree of git, else the nearest that was used as a root
    before, else the folder itself.
    """
    folder = Path(os.path.realpath(start))
    parents = list(_candidates(folder))
    for parent in parents:
        if is_worktree(parent):
            return parent

    for parent in parents:
        if _record_file(state, folder_id(parent)).exists():
            return parent

    return folder


def worktree_around(root: Path, state: Path) -> Path:
    """Return the worktree that a root is in: whoever writes below the root locks this one.

    That is the nearest parent that is a worktree of git. Without git it is the outermost one that
    was used as a root before, else the root itself: a directory whose `.git` is gone is found, and
    so is the plain folder that the root is a part of.
    """
    folder = Path(os.path.realpath(root))
    parents = list(_candidates(folder))
    for parent in parents:
        if is_worktree(parent):
            return parent

    for parent in reversed(parents):
        if _record_file(state, folder_id(parent)).exists():
            return parent

    return folder


def find_place(root: Path, state: Path) -> Place:
    """Return the place of exactly this root. Raise OSError if there is no such folder."""
    folder = Path(os.path.realpath(root))
    worktree_id = folder_id(folder)
    main = main_worktree(folder)
    if main is not None:
        return Place(folder_id(main), str(main), worktree_id, str(folder))

    recorded = _read(state, worktree_id)
    if recorded is not None and recorded.project_id != worktree_id:
        # The `.git` of a linked worktree is gone, or what it names. It belongs where it did.
        return Place(recorded.project_id, recorded.project_root, worktree_id, str(folder))

    return Place(worktree_id, str(folder), worktree_id, str(folder))


def claim_place(root: Path, state: Path) -> Place:
    """Return the place of exactly this root, and record where it is.

    Raise OSError if there is no such folder, or if the state directory cannot be written.
    """
    place = find_place(root, state)
    recorded = _read(state, place.worktree_id)
    if recorded is None:
        settle_birth(Path(place.worktree_root))
        place = find_place(root, state)

    expected = _Recorded(place.worktree_root, place.project_id, place.project_root)
    if recorded != expected:
        _write(state, place)

    if not place.is_main:
        _touch(state / "worktrees" / place.project_id / "linked" / place.worktree_id)

    return place


def find_worktree(worktree_id: str, last: str, place: Place) -> str | None:
    """Return the path of a worktree of the place's project; None if it is gone.

    `last` is where it was last used; git may have moved it since.
    """
    project = Path(place.project_root)
    for folder in (Path(last), project, *linked_worktrees(project)):
        if _is_folder(folder, worktree_id):
            return str(folder)
    return None


def is_known(place: Place, state: Path) -> bool:
    """Return whether anything was recorded for this worktree or its project."""
    for folder in (place.worktree_id, place.project_id):
        if (state / "worktrees" / folder).is_dir():
            return True
    return False


def has_other_worktrees(place: Place, state: Path) -> bool:
    """Return whether the project has been used in another worktree than this one."""
    if not place.is_main:
        return True
    try:
        return any((state / "worktrees" / place.project_id / "linked").iterdir())
    except OSError:
        return False


def gone_worktrees(root: Path, state: Path) -> Iterator[Path]:
    """Yield the folders of worktrees that are gone, and whose checkpoints a root may take over.

    Such a worktree was at this path, or was the main one of its repository. It is gone if its
    folder is, or is no worktree of git any more.
    """
    for file in sorted((state / "worktrees").glob(f"*/{PLACE_FILE}")):
        worktree_id = file.parent.name
        recorded = _read(state, worktree_id)
        if recorded is None:
            continue
        path = Path(recorded.path)
        if path != root and recorded.project_id != worktree_id:
            continue
        if not (_is_folder(path, worktree_id) and is_worktree(path)):
            yield file.parent


def _candidates(folder: Path) -> Iterator[Path]:
    """Yield a folder and its parents, as far as they may be the project's root.

    As in git, the search ends at another file system. It ends at another owner too: what a project
    allows must not come from somebody else's folder. And no parent is taken that is or contains a
    home directory.
    """
    yield folder
    first = folder.stat()
    home = Path(os.path.realpath(Path.home()))
    for parent in folder.parents:
        found = parent.stat()
        if (found.st_dev, found.st_uid) != (first.st_dev, first.st_uid):
            return
        if home.is_relative_to(parent):
            return
        yield parent


def _is_folder(folder: Path, identity: str) -> bool:
    try:
        return folder_id(folder) == identity
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class _Recorded:
    """What the state directory has on record for a worktree."""

    path: str
    project_id: str
    project_root: str


def read_root(file: Path) -> str | None:
    """Return where the worktree of a record was last; None if the record cannot be read."""
    recorded = _read(file.parents[2], file.parent.name)
    if recorded is None:
        return None
    return recorded.path


def _read(state: Path, worktree_id: str) -> _Recorded | None:
    """Return what is on record for a worktree; None if there is nothing that can be read."""
    try:
        body = json.loads(_record_file(state, worktree_id).read_bytes())
        return _Recorded(body["path"], body["project"]["id"], body["project"]["path"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(state: Path, place: Place) -> None:
    file = _record_file(state, place.worktree_id)
    file.parent.mkdir(0o700, parents=True, exist_ok=True)
    project = {"id": place.project_id, "path": place.project_root}
    body = {"version": _VERSION, "path": place.worktree_root, "project": project}
    # Each process has its own draft: several may record the same place at once.
    draft = file.with_name(f"{PLACE_FILE}.{secrets.token_hex(4)}")
    try:
        draft.write_text(json.dumps(body, indent=1))
        draft.replace(file)
    except OSError as error:
        draft.unlink(missing_ok=True)
        # The error of a write names no file, and the user has to know which disk is full.
        error.filename = str(file)
        raise


def _touch(file: Path) -> None:
    if file.exists():
        return
    file.parent.mkdir(0o700, parents=True, exist_ok=True)
    file.touch(0o600)


def _record_file(state: Path, worktree_id: str) -> Path:
    return state / "worktrees" / worktree_id / PLACE_FILE
