"""The name and address of the user for commits, where the settings with them are not shown."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from holdfast.adapters.processes.sandbox.toolchain_folders import git_settings, has_key

if TYPE_CHECKING:
    from collections.abc import Mapping

_QUERY = ("git", "config", "--global", "--includes", "-z", "--get-regexp", r"^user\.(name|email)$")


def identity_variables(home: str, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of git with the user's name, if a key is in the settings of a home."""
    if not any(map(has_key, git_settings(home))):
        return {}

    # The user's own settings, in the user's own git; nothing of the project is read.
    ran = subprocess.run(_QUERY, cwd="/", env=dict(variables), capture_output=True, check=False)  # noqa: S603 - a list of words
    found: dict[str, str] = {}
    for entry in ran.stdout.decode("utf-8", "replace").split("\0"):
        name, _, value = entry.partition("\n")
        if value:
            what = name.removeprefix("user.").upper()
            found |= {f"GIT_AUTHOR_{what}": value, f"GIT_COMMITTER_{what}": value}

    return found
