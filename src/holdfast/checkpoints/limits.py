"""Limits on the size and duration of a snapshot, and on how many checkpoints are kept."""

from __future__ import annotations

from holdfast.vocab.lazy_dataclass import dataclass

MEGABYTE = 1024 * 1024
BUILD_FOLDERS = (
    "node_modules",
    "bower_components",
    "__pycache__",
    ".venv",
    "venv",
    ".tox",
    ".nox",
    ".eggs",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".hypothesis",
    ".gradle",
    ".next",
    ".nuxt",
    ".cache",
    ".terraform",
    "target",
    "build",
    "dist",
    "coverage",
    "htmlcov",
    "DerivedData",
    "Pods",
)
"""Names of directories that tools fill; ignored files below them are not kept."""
CACHE_FOLDERS = frozenset(
    {"__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".cache"}
)
"""Those that programs rewrite at any run: what changes in them is no loss."""


@dataclass(frozen=True, slots=True)
class IgnoredBudget:
    """Which ignored files are kept: at most `files` of at most `file` bytes, `total` bytes in all.

    Nothing is kept below a directory whose name is in `folders`.
    """

    file: int = MEGABYTE
    files: int = 2000
    total: int = 64 * MEGABYTE
    folders: frozenset[str] = frozenset(BUILD_FOLDERS)


IGNORED_BUDGET = IgnoredBudget()


@dataclass(frozen=True, slots=True)
class SnapshotLimits:
    """Limits of one snapshot, and how many checkpoints of a worktree are kept.

    `seconds` limits the whole command, with the wait for the lock. `new_file` is the size of the
    largest new file that is captured, `new_bytes` the most that one snapshot may add, and `reserve`
    how many bytes must stay free on the disk. `keep` is how many checkpoints of each kind stay.
    """

    seconds: float = 600.0
    new_file: int = 50 * MEGABYTE
    new_bytes: int = 2048 * MEGABYTE
    reserve: int = 64 * MEGABYTE
    keep: int = 200
    ignored: IgnoredBudget = IGNORED_BUDGET


def is_cache(folder: str) -> bool:
    """Return whether programs rewrite this folder at any run.

    >>> is_cache("src/__pycache__"), is_cache("node_modules")
    (True, False)
    """
    return folder.rpartition("/")[2] in CACHE_FOLDERS
