"""The rules of a project on the disk (port `RuleFiles`): `<root>/.holdfast/rules/<target>/<id>.json`."""

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
        """Take the project's directory; nothing is made before the first update."""
        self._folders = {
            target: JsonFolder(root, ".holdfast", "rules", target) for target in get_args(Target)
        }

    def read_all(self) -> list[tuple[str, bytes]]:
        """Give each file's name (`<target>/<id>`) and bytes, sorted. What is no rule's name is not read."""
        return [
            (f"{target}/{name}", data)
            for target, folder in sorted(self._folders.items())
            for name, data in folder.read_all(_is_name)
        ]

    def update(self, name: str, change: UpdateBytes) -> bytes | None:
        """Replace one file atomically, one process at a time; raises OSError."""
        target, _, rule = name.partition("/")
        if target not in self._folders or _is_name(rule) is None:
            raise ValueError(f"{name}: this is no rule's name.")
        return self._folders[target].update(rule, change)
