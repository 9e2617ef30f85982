"""Dry run of required filters: convert the files elsewhere before any file of the user changes.

A filter that fails in the middle of a restore may fail on the way back too.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import Git, GitFailed, GitProcess, join_names, split_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.adapters.git.private_index import PrivateIndex
    from holdfast.adapters.git.repository import GitRepository


def start_required_query(git: Git) -> GitProcess:
    """Start to list the required filters. When another filter fails, git goes on without it."""
    pattern = r"^filter\..*\.required$"
    return git.start("config", "-z", "--type=bool", "--get-regexp", pattern).in_background()


def read_required(query: GitProcess) -> frozenset[str]:
    """Return the names of the filters that must not fail."""
    required: dict[str, bool] = {}
    for entry in split_names(query.finish(ok_codes=(0, 1))):
        setting, _, value = entry.rpartition("\n")
        # The last value of a setting counts.
        required[setting.removeprefix("filter.").removesuffix(".required")] = value == "true"
    return frozenset(name for name, is_required in required.items() if is_required)


class FilterDryRun:
    """Dry runs of the filters of one worktree, under its lock."""

    def __init__(self, repository: GitRepository, git: Git, index: PrivateIndex) -> None:
        """Use the attributes that the private index has."""
        self._repository = repository
        self._git = git
        self._index = index

    def find_failure(self, drivers: frozenset[str], tree: str, paths: Sequence[str]) -> str | None:
        """Return the error of git for these files of a tree, or None if every filter succeeds.

        The attributes are those in force now, so the tree must have the same.
        """
        filtered = self._filtered(paths, drivers)
        if not filtered:
            return None
        scratch = self._repository.holdfast_dir / "trial"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(0o700)
        # In the user's worktree: a filter may be a program there.
        git = self._git.with_variables(index_file=scratch / "index")
        prefix = f"--prefix={scratch}/files/"
        try:
            git.run("read-tree", "--no-sparse-checkout", tree)
            git.run("checkout-index", prefix, "-z", "--stdin", stdin=join_names(filtered))
        except GitFailed as error:
            return error.stderr.strip()
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        return None

    def _filtered(self, paths: Sequence[str], drivers: frozenset[str]) -> list[str]:
        """Return the paths that go through one of the filters."""
        query = ("check-attr", "-z", "--stdin", "filter")
        # For each path three names: the path, the attribute and its value.
        output = split_names(self._index.git.run(*query, stdin=join_names(paths)))
        values = zip(output[::3], output[2::3], strict=True)
        return [path for path, driver in values if driver in drivers]
