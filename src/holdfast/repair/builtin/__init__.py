"""The built-in rules: one file each, `<language>/<name>.yaml`, and tables of imports.

`<language>/imports.yaml` has, for some diagnostics, the import line of each known name.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from holdfast.rules.rule_yaml import load_yaml, rule_from

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

    from holdfast.rules.rule import Rule

_TABLES = "imports.yaml"


@cache
def builtin_rules() -> tuple[Rule, ...]:
    """Read all built-in rules, in the order of their folders and files."""
    rules: list[Rule] = []
    for folder in _sorted_entries(files(__name__)):
        if not folder.is_dir():
            continue
        for file in _sorted_entries(folder):
            if not file.name.endswith(".yaml"):
                continue
            content = load_yaml(file.read_bytes())
            if file.name == _TABLES:
                rules += _rules_of(content)
            else:
                rules.append(rule_from(content))

    return tuple(rules)


def _rules_of(content: dict[str, Any]) -> Iterator[Rule]:
    """Yield one rule for each import line of each table."""
    for table in content["tables"]:
        diagnostic = table["diagnostic"]
        for line, names in table["imports"].items():
            where = {**table.get("where", {}), "0": names.split()}
            key = "\0".join([*map(str, diagnostic.values()), line])
            digest = hashlib.sha256(key.encode()).hexdigest()[:8]
            yield rule_from(
                {
                    "id": f"{content['language']}-import-{digest}",
                    "language": content["language"],
                    "diagnostic": diagnostic,
                    "imports": [line],
                    "where": where,
                    "provenance": "builtin",
                }
            )


def _sorted_entries(folder: Traversable) -> list[Traversable]:
    return sorted(folder.iterdir(), key=lambda entry: entry.name)
