"""The decision manifests on the disk (port `DecisionFiles`).

Build scope: `<root>/.holdfast/decisions/build/<module>.json`, part of the project, meant to be committed.
Runtime scope: `<state>/decisions/<root>/runtime/<module>.json`, which stays on this machine.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from holdfast.adapters.filesystem.json_folder import JsonFolder
from holdfast.repair.decisions.decision_ids import is_module

if TYPE_CHECKING:
    from holdfast.rules.ports import UpdateBytes


class DiskDecisionFiles:
    """The manifests of one root."""

    def __init__(self, root: Path, state: Path) -> None:
        """Take the project's directory and the state directory; nothing is made before the first update."""
        real = Path(os.path.realpath(root))
        name = hashlib.sha256(os.fsencode(real)).hexdigest()[:32]
        self._root, self._state = real, state
        self._folders = {
            "build": JsonFolder(real, ".holdfast", "decisions", "build"),
            "runtime": JsonFolder(state, "decisions", name, "runtime"),
        }

    def read_all(self, scope: Literal["build", "runtime"]) -> list[tuple[str, bytes]]:
        """Give each module's name and bytes, sorted. What is no manifest's name is not read."""
        return self._folders[scope].read_all(is_module)

    def place(self, scope: Literal["build", "runtime"], module: str) -> str:
        """Say where a manifest is, for people: in the project from its root, else in full."""
        at = self._folders[scope].place(module)
        return str(at.relative_to(self._root) if scope == "build" else at)

    def update(
        self, scope: Literal["build", "runtime"], module: str, change: UpdateBytes
    ) -> bytes | None:
        """Replace one manifest atomically, one process at a time; raises OSError."""
        if not is_module(module):
            raise ValueError(f"{module}: this is no module's name.")
        if scope == "runtime":
            self._state.mkdir(0o700, parents=True, exist_ok=True)
        return self._folders[scope].update(module, change)
