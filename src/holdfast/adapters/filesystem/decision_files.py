"""The decisions on the disk, one file for each (port `DecisionFiles`).

Build scope: `<root>/.holdfast/decisions/build/<module>.<id>.json`, part of the project, to be
committed. Runtime scope: `<state>/decisions/<root>/runtime/<module>.<id>.json`, local to this
machine.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from holdfast.adapters.filesystem.record_folder import RecordFolder
from holdfast.repair.decisions.decision_ids import is_record

if TYPE_CHECKING:
    from holdfast.rules.ports import UpdateBytes


class DiskDecisionFiles:
    """The decisions of one root."""

    def __init__(self, root: Path, state: Path) -> None:
        """Set the project's directory and the state directory; `update` creates what is missing."""
        real = Path(os.path.realpath(root))
        name = hashlib.sha256(os.fsencode(real)).hexdigest()[:32]
        self._root, self._state = real, state
        self._folders = {
            "build": RecordFolder(real, ".holdfast", "decisions", "build"),
            "runtime": RecordFolder(state, "decisions", name, "runtime"),
        }

    def read_all(
        self, scope: Literal["build", "runtime"], start: str = ""
    ) -> list[tuple[str, bytes]]:
        """Return each file's name and bytes, sorted; skip files with other names."""

        def is_wanted(name: str) -> bool:
            return name.startswith(start) and is_record(name)

        return self._folders[scope].read_all(is_wanted)

    def place(self, scope: Literal["build", "runtime"], name: str) -> str:
        """Return the path of a file for display: relative to the project's root if inside."""
        file = self._folders[scope].place(name)
        if scope == "build":
            file = file.relative_to(self._root)
        return str(file)

    def update(
        self, scope: Literal["build", "runtime"], name: str, change: UpdateBytes
    ) -> bytes | None:
        """Replace one file atomically, one process at a time; raise OSError if that fails."""
        if not is_record(name):
            raise ValueError(f"{name}: not the name of a decision.")
        if scope == "runtime":
            self._state.mkdir(0o700, parents=True, exist_ok=True)
        return self._folders[scope].update(name, change)
