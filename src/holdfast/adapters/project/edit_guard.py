"""What an edit of a project changes that git runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.places.git_folders import changed_repositories
from holdfast.adapters.project.git_named_files import GitNamedFiles

if TYPE_CHECKING:
    from collections.abc import Collection


class DiskEditGuard:
    """The project at a root (port `EditGuard`)."""

    def __init__(self, root: str) -> None:
        """Look at nothing yet."""
        self._root = Path(os.path.realpath(root))
        self._named = GitNamedFiles(self._root)

    def why_protected(self, paths: Collection[str]) -> dict[str, str]:
        """Return why an edit of all these files needs approval, by path."""
        real = {
            path: os.path.relpath(os.path.realpath(self._root / path), self._root) for path in paths
        }
        repositories = changed_repositories(self._root, list(real.values()))
        reasons: dict[str, str] = {}
        for path, at in real.items():
            folder = repositories.get(at)
            if folder is not None:
                reasons[path] = f"git takes {folder} for a repository, whose settings name programs"
                continue
            setting = self._named.setting_of(path)
            if setting is not None:
                reasons[path] = f"git reads or runs it: {setting} names it"

        return reasons
