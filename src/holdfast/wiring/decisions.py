"""The rules and the decisions of a project, which a repair uses and adds to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.filesystem.decision_files import DiskDecisionFiles
from holdfast.adapters.filesystem.rule_files import DiskRuleFiles
from holdfast.repair.builtin import builtin_rules
from holdfast.repair.decisions.manifest import Manifest
from holdfast.rules.rule_book import RuleBook, read_book
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from pathlib import Path


def decisions_at(root: Path) -> Manifest:
    """Return the decisions about the code below a root."""
    return Manifest(DiskDecisionFiles(root, state_directory()))


def rule_book_at(root: Path) -> RuleBook:
    """Read the rules of a root. Raise OSError if a directory of rules cannot be read."""
    return read_book(DiskRuleFiles(root), builtin_rules())
