"""The built-in rules: one file each, `<target>/<name>.json`, with examples that test it."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from holdfast.rules.rule_json import parse_rule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from holdfast.rules.rule import Rule


def builtin_rules() -> tuple[Rule, ...]:
    """Read all built-in rules, in the order of their folders and files."""
    return tuple(parse_rule(file.read_bytes()) for file in _rule_files())


def _rule_files() -> Iterator[Traversable]:
    for folder in _sorted_entries(files(__name__)):
        if not folder.is_dir():
            continue
        for file in _sorted_entries(folder):
            if file.name.endswith(".json"):
                yield file


def _sorted_entries(folder: Traversable) -> list[Traversable]:
    return sorted(folder.iterdir(), key=lambda entry: entry.name)
