"""The rules that come with holdfast: one file each, `<target>/<name>.json`, with the examples that it is tested by."""

from __future__ import annotations

from importlib.resources import files

from holdfast.rules.rule import Rule
from holdfast.rules.rule_json import parse_rule


def builtin_rules() -> tuple[Rule, ...]:
    """Read them all."""
    folders = sorted(
        (each for each in files(__name__).iterdir() if each.is_dir()), key=lambda each: each.name
    )
    return tuple(
        parse_rule(file.read_bytes())
        for folder in folders
        for file in sorted(folder.iterdir(), key=lambda each: each.name)
        if file.name.endswith(".json")
    )
