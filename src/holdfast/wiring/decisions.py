"""The rules and the decisions of a project, which a repair uses and adds to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.filesystem.decision_files import DiskDecisionFiles
from holdfast.adapters.filesystem.rule_counters import DiskRuleCounters
from holdfast.adapters.filesystem.rule_files import DiskRuleFiles
from holdfast.repair.decisions.manifest import Manifest
from holdfast.wiring.state_directory import state_directory

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.rules.rule_book import RuleBook


def decisions_at(root: Path) -> Manifest:
    """Return the decisions about the code below a root."""
    return Manifest(DiskDecisionFiles(root, state_directory()))


def rule_book_at(root: Path) -> RuleBook:
    """Read the rules of a root. Raise OSError if a directory of rules cannot be read."""
    # Most repairs need no rule, and rules take long to import.
    from holdfast.repair.builtin import builtin_rules  # noqa: PLC0415 - see above
    from holdfast.rules.older_rules import convert_older_rules  # noqa: PLC0415 - see above
    from holdfast.rules.rule_book import read_book  # noqa: PLC0415 - see above

    files = DiskRuleFiles(root)
    problems = convert_older_rules(files)
    book = read_book(files, builtin_rules(), DiskRuleCounters(root, state_directory()))
    book.problems = (*problems, *book.problems)
    return book
