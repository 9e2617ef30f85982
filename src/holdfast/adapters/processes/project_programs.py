"""Which programs are the project's own, and the PATH without them."""

from __future__ import annotations

import os
import re
import shutil
from functools import lru_cache
from pathlib import Path, PurePosixPath

from holdfast.adapters.places.main_worktree import is_worktree, main_worktree
from holdfast.adapters.plain_file import read_plain
from holdfast.vocab.lazy_pattern import lazy_pattern

_SHIMS = "shims"
"""The folder of a version manager with programs that start others, as files of a project say."""
_VERSION_FILES = (
    ".tool-versions",
    ".node-version",
    ".nvmrc",
    ".ruby-version",
    ".java-version",
    ".go-version",
    ".python-version",
    "mise.toml",
    ".mise.toml",
    "mise.local.toml",
    ".mise.local.toml",
    ".config/mise.toml",
    ".config/mise/config.toml",
    ".rtx.toml",
)
_PATH_IN_VERSION = lazy_pattern(rb"^[^#\n]*(?:/|\.\.|path:)", re.MULTILINE)
_LARGEST_VERSION_FILE = 64_000


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
    outside = _without_project(tuple(path_folders()), here, _main_of(Path(here)))
    folders = outside.split(os.pathsep)
    if not any(map(_is_shims, folders)) or not names_program(root):
        return outside
    return os.pathsep.join(folder for folder in folders if not _is_shims(folder))


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
    if found is None or is_of_project(found, root) or is_chosen_by_project(found, root):
        return None
    return found


def is_chosen_by_project(program: str, root: Path, path: str = "") -> bool:
    """Return whether a version manager would start a program that the project names by a path.

    It reads the files in the folders of `path`, which is a path in the project, and in the root.
    """
    places = (program, os.path.realpath(program))
    if not any(Path(place).parent.name == _SHIMS for place in places):
        return False
    folders = {PurePosixPath(), *PurePosixPath(path).parents}
    return any(names_program(root / folder) for folder in folders)


def _is_shims(folder: str) -> bool:
    return folder.rstrip("/").rpartition("/")[2] == _SHIMS


def names_program(folder: Path) -> bool:
    """Return whether a file in a folder has a path where a version manager expects a version."""
    for name in _VERSION_FILES:
        try:
            text = read_plain(f"{folder}/{name}", _LARGEST_VERSION_FILE)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return True
        if _PATH_IN_VERSION.search(text):
            return True
    return False


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
