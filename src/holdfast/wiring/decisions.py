"""The decisions about a project's code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.filesystem.decision_files import DiskDecisionFiles
from holdfast.repair.decisions.manifest import Manifest
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from pathlib import Path


def decisions_at(root: Path) -> Manifest:
    """Return the decisions about the code below a root."""
    return Manifest(DiskDecisionFiles(root, state_directory()))
