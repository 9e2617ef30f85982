"""The rules of a project on the disk: `<root>/.holdfast/rules/<target>/<id>.json`.

Implements the port `RuleFiles`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, get_args

from holdfast.adapters.filesystem.json_folder import JsonFolder
from holdfast.vocab.diagnostics import Target

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.rules.ports import UpdateBytes

_is_name = re.compile(r"[A-Za-z0-9-]{1,64}").fullmatch


class DiskRuleFiles:
    """The rule files of one root."""

    def __init__(self, root: Path) -> None:
        """Set the project's directory; `update` creates what is missing."""
        self._folders = {
            target: JsonFolder(root, ".holdfast", "rules", target) for target in get_args(Target)
        }

    def read_all(self) -> list[tuple[str, bytes]]:
        """Return each file's name (`<target>/<id>`) and bytes, sorted.

        Skip files whose name is not the name of a rule.
        """
        files: list[tuple[str, bytes]] = []
        for target, folder in sorted(self._folders.items()):
            for name, data in folder.read_all(_is_name):
                files.append((f"{target}/{name}", data))
        return files

    def update(self, name: str, change: UpdateBytes) -> bytes | None:
        """Replace one file atomically, one process at a time; raise OSError if that fails."""
        target, _, rule = name.partition("/")
        if target not in self._folders or _is_name(rule) is None:
            raise ValueError(f"{name}: not the name of a rule.")
        return self._folders[target].update(rule, change)
