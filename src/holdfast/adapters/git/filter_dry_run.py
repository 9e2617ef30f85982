"""The trial of filters: what goes through a required one is written elsewhere first, before any file changes.

A filter that fails in the middle of a restore may well fail on the way back too.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from holdfast.adapters.git.git_command import Git, GitFailed, Running, lines, names
from holdfast.adapters.git.private_index import PrivateIndex
from holdfast.adapters.git.repository import Repository


def ask_required(git: Git) -> Running:
    """Begin to ask which filters must not fail. Without the others git goes on, and so do we."""
    return git.start(
        "config", "-z", "--type=bool", "--get-regexp", r"^filter\..*\.required$"
    ).in_background()


def read_required(asked: Running) -> frozenset[str]:
    """Name the filters that must not fail, once it is told."""
    told = dict(entry.rpartition("\n")[::2] for entry in names(asked.finish(fine=(0, 1))))
    return frozenset(
        name.removeprefix("filter.").removesuffix(".required")
        for name in told
        if told[name] == "true"
    )


class FilterDryRun:
    """Tries the filters of one worktree, under its lock."""

    def __init__(self, place: Repository, git: Git, index: PrivateIndex) -> None:
        """Join what it works with."""
        self._place = place
        self._git = git
        self._index = index

    def failure(self, drivers: frozenset[str], tree: str, paths: Sequence[str]) -> str | None:
        """Say what git says when it cannot write these files of a tree; None if all of them can be converted.

        By the attributes that hold now; the tree must have the same.
        """
        filtered = self._filtered(paths, drivers)
        if not filtered:
            return None
        scratch = self._place.ours / "trial"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(0o700)
        # Not in a worktree of its own: a filter may be a program that lies in the user's.
        git = self._git.having(index_file=scratch / "index")
        try:
            git.run("read-tree", "--no-sparse-checkout", tree)
            git.run(
                "checkout-index",
                f"--prefix={scratch}/files/",
                "-z",
                "--stdin",
                given=lines(filtered),
            )
        except GitFailed as error:
            return error.told.strip()
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        return None

    def _filtered(self, paths: Sequence[str], drivers: frozenset[str]) -> list[str]:
        told = names(
            self._index.git.run("check-attr", "-z", "--stdin", "filter", given=lines(paths))
        )
        return [
            path for path, driver in zip(told[::3], told[2::3], strict=True) if driver in drivers
        ]
