"""How a rule is shown on a terminal."""

from __future__ import annotations

from holdfast.cli.render.text import text_if
from holdfast.landing.projection.splices import Splice, landed
from holdfast.rules.rule import Rule


def print_rule(rule: Rule) -> None:
    """Print a rule: the message it fixes, its record, and its examples as diffs."""
    reviewed = text_if(not rule.reviewed, ", unreviewed")
    print(f"{rule.id}  {rule.status}{reviewed}  ({rule.provenance}, {rule.target})")
    print(f"fixes: {message_of(rule)}")
    for number, values in sorted(rule.constants.items()):
        print(f"only if {{{number}}} is: {', '.join(values)}")
    kind = text_if(rule.node_kind, f", {rule.node_kind}")
    print(f"place: {rule.pattern.place}{kind}")
    print(f"record: {rule.applied} helped, {rule.failed} failed, confidence {rule.confidence:.2f}")
    for example in rule.examples:
        print(f"\n{example.message}")
        whole = Splice(0, len(example.before), example.after or "")
        print(landed(example.before, [whole], "exact").diff, end="")
    print(f"\nIt leaves {len(rule.counter_examples)} counter-examples unchanged.")


def message_of(rule: Rule) -> str:
    """Return the compiler's message that a rule fixes, with its tool and code."""
    code = text_if(rule.code, f" {rule.code}")
    return f"{rule.tool}{code}: {rule.template}"
