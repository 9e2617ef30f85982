"""The rules of a project for a command, which ends if their folder cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.cli.options import require_directory
from holdfast.cli.refusal import refuse
from holdfast.wiring.decisions import rule_book_at

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.rules.rule_book import RuleBook


def read_rules(root: Path, *, as_json: bool) -> RuleBook:
    """Return the rules of a root with the problems of their files, or exit with 1."""
    require_directory(root)
    try:
        return rule_book_at(root)
    except OSError as error:
        refuse(f"the rules cannot be read: {error.filename}: {error.strerror}.", as_json=as_json)
