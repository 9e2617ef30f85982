"""The rules of a project: those that came with Holdfast, and the project's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.filesystem.rule_files import DiskRuleFiles
from holdfast.repair.builtin import builtin_rules
from holdfast.rules.rule_book import RuleBook, read_book

if TYPE_CHECKING:
    from pathlib import Path


def rule_book_at(root: Path) -> RuleBook:
    """Read the rules of a root. Raise OSError if a directory of rules cannot be read."""
    return read_book(DiskRuleFiles(root), builtin_rules())
