"""The decisions about a project's code."""

from __future__ import annotations

from pathlib import Path

from holdfast.adapters.filesystem.decision_files import DiskDecisionFiles
from holdfast.repair.decisions.manifest import Manifest
from holdfast.wiring.state_directory import state_directory


def decisions_at(root: Path) -> Manifest:
    """Return the decisions about the code below a root."""
    return Manifest(DiskDecisionFiles(root, state_directory()))
