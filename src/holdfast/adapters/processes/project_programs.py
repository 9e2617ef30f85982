"""Which programs are the project's own, and the PATH without them."""

from __future__ import annotations

import os
import shutil
from functools import lru_cache
from pathlib import Path


def path_folders() -> list[str]:
    """Return the folders of the PATH that are absolute."""
    # An empty entry would be the current directory, which may be the project.
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return [folder for folder in folders if Path(folder).is_absolute()]


def path_outside(root: Path) -> str:
    """Return the PATH without the folders that are in the project.

    What we start ourselves, and what runs unasked, is started with it: a program that the project
    brings under the name `git` is code of the project.
    """
    here = os.path.abspath(root)  # noqa: PTH100 - `Path.absolute` keeps `..`
    return _without_project(tuple(path_folders()), here)


@lru_cache(maxsize=64)
def _without_project(folders: tuple[str, ...], root: str) -> str:
    # Once for each project: every git that we run asks for it.
    if os.path.realpath(root) == "/":
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
    """Return whether a program is the project's: its path or its real path is below the root.

    A link out of a virtual environment counts too: Python reads the `pyvenv.cfg` beside the link,
    which names the folder of its library.
    """
    at = os.path.abspath(program)  # noqa: PTH100 - `Path.resolve` would follow the link
    return is_below(at, root) or is_below(os.path.realpath(program), root)


def is_below(path: str, root: Path) -> bool:
    """Return whether a path is below the root, by its name or as the root really is."""
    if Path(path).is_relative_to(root):
        return True
    return Path(path).is_relative_to(os.path.realpath(root))
