"""The built-in rules: one file each, `<target>/<name>.json`, with examples that test it."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from holdfast.rules.rule_json import parse_rule

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from holdfast.rules.rule import Rule


def builtin_rules() -> tuple[Rule, ...]:
    """Read all built-in rules, in the order of their folders and files."""
    rules: list[Rule] = []
    for folder in _sorted_entries(files(__name__)):
        if not folder.is_dir():
            continue
        for file in _sorted_entries(folder):
            if not file.name.endswith(".json"):
                continue
            data = file.read_bytes()
            rules.append(parse_rule(data))
    return tuple(rules)


def _sorted_entries(folder: Traversable) -> list[Traversable]:
    return sorted(folder.iterdir(), key=lambda entry: entry.name)
