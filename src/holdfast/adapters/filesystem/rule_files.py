"""The rules of a project on the disk: `<root>/.holdfast/rules/<target>/<id>.yaml`.

Implements the port `RuleFiles`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from holdfast.adapters.filesystem.record_folder import RecordFolder
from holdfast.vocab.diagnostics import Target
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.rules.ports import UpdateBytes

_NAME = lazy_pattern(r"[A-Za-z0-9-]{1,64}")


class DiskRuleFiles:
    """The rule files of one root."""

    def __init__(self, root: Path) -> None:
        """Set the project's directory; `update` creates what is missing."""
        self._folders = {
            target: RecordFolder(root, ".holdfast", "rules", target, suffix=".yaml")
            for target in get_args(Target)
        }
        self._older = {
            target: RecordFolder(root, ".holdfast", "rules", target) for target in get_args(Target)
        }

    def read_all(self) -> list[tuple[str, bytes]]:
        """Return each file's name (`<target>/<id>`) and bytes, sorted.

        Skip files whose name is not the name of a rule.
        """
        files: list[tuple[str, bytes]] = []
        for target, folder in sorted(self._folders.items()):
            for name, data in folder.read_all(_NAME.fullmatch):
                files.append((f"{target}/{name}", data))
        return files

    def update(self, name: str, change: UpdateBytes) -> bytes | None:
        """Replace one file atomically, one process at a time; raise OSError if that fails."""
        target, _, rule = name.partition("/")
        if target not in self._folders or _NAME.fullmatch(rule) is None:
            raise ValueError(f"{name}: not the name of a rule.")
        return self._folders[target].update(rule, change)

    def older_rules(self) -> list[tuple[str, bytes]]:
        """Return the name and bytes of each rule in the JSON of an earlier version, sorted."""
        files: list[tuple[str, bytes]] = []
        for target, folder in sorted(self._older.items()):
            for name, data in folder.read_all(_NAME.fullmatch):
                files.append((f"{target}/{name}", data))
        return files

    def remove_older(self, name: str) -> None:
        """Remove the JSON file of a rule that has been converted; raise OSError if that fails."""
        target, _, rule = name.partition("/")
        self._older[target].update(rule, lambda _: None)
