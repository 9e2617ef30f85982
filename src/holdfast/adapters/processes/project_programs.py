"""Which programs are the project's own, and the PATH without them."""

from __future__ import annotations

import os
import shutil
from functools import lru_cache
from pathlib import Path

from holdfast.adapters.places.main_worktree import is_worktree, main_worktree


def path_folders() -> list[str]:
    """Return the folders of the PATH that are absolute."""
    # An empty entry would be the current directory, which may be the project.
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return [folder for folder in folders if folder.startswith("/")]


def path_outside(root: Path) -> str:
    """Return the PATH without the folders that are in the project.

    What we start ourselves, and what runs unasked, is started with it: a program that the project
    brings under the name `git` is code of the project.
    """
    here = os.path.abspath(root)  # noqa: PTH100 - `Path.absolute` keeps `..`
    return _without_project(tuple(path_folders()), here, _main_of(Path(here)))


@lru_cache(maxsize=64)
def _without_project(folders: tuple[str, ...], root: str, main: Path) -> str:
    # Once for each project: every git that we run asks for it.
    if "/" in {os.path.realpath(root), str(main)}:
        # In the root of the system every program is one of the project.
        return os.pathsep.join(folders)
    outside = [folder for folder in folders if not is_of_project(folder, Path(root))]
    return os.pathsep.join(outside)


def program_outside(name: str, root: Path) -> str | None:
    """Return the path of a program on the PATH that is not the project's, or None."""
    found = shutil.which(name, path=path_outside(root))
    if found is None or is_of_project(found, root):
        return None
    return found


def is_of_project(program: str, root: Path) -> bool:
    """Return whether a program, by its path or its real path, is in a worktree of the project.

    A link out of a virtual environment counts too: Python reads the `pyvenv.cfg` beside the link,
    which names the folder of its library.
    """
    return worktree_of(program, root) is not None


def worktree_of(program: str, root: Path) -> Path | None:
    """Return the worktree of the project that a program is in: the root first; None: in no one."""
    at = os.path.abspath(program)  # noqa: PTH100 - `Path.resolve` would follow the link
    paths = dict.fromkeys((at, os.path.realpath(program)))
    if any(is_below(path, root) for path in paths):
        return root

    main = _main_of(root)
    for path in paths:
        for folder in (Path(path), *Path(path).parents):
            if is_worktree(folder) and _main_of(folder) == main:
                return folder

    return None


def _main_of(folder: Path) -> Path:
    """Return the main worktree of a folder, which may be the folder itself."""
    return main_worktree(folder) or Path(os.path.realpath(folder))


def is_below(path: str, root: Path) -> bool:
    """Return whether a path is below the root, by its name or as the root really is."""
    if Path(path).is_relative_to(root):
        return True
    return Path(path).is_relative_to(os.path.realpath(root))
