"""A rule's own name: a hash of what it answers and does. No name that a model gave is in it."""

from __future__ import annotations

import hashlib
import json

from holdfast.rules.rule import Rule
from holdfast.rules.rule_json import fix_to_json, pattern_to_json


def named(rule: Rule) -> str:
    """Give the id of a rule that is new; one that a second example has changed keeps its own."""
    said = [*rule.key, pattern_to_json(rule.pattern), fix_to_json(rule.fix)]
    text = json.dumps(said, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
