"""Which paths the ignore rules of a repository match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.git.git_command import join_names, split_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.adapters.git.git_command import Git


def check_ignore(git: Git, paths: Sequence[str]) -> frozenset[str]:
    """Return those of the paths that the ignore rules match, tracked or not."""
    if not paths:
        return frozenset()
    # With "./" before each: git would read a name such as `:(top)x` as a pattern.
    stdin = join_names([f"./{path}" for path in paths])
    output = git.run("check-ignore", "--no-index", "-z", "--stdin", stdin=stdin, ok_codes=(0, 1))
    return frozenset(name[2:] for name in split_names(output))
