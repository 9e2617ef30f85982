"""How a rule looks on a terminal."""

from __future__ import annotations

from holdfast.landing.projection.splices import Splice, landed
from holdfast.rules.rule import Rule


def print_rule(rule: Rule) -> None:
    """Print a rule: what it answers, its record, and its first examples as differences."""
    print(
        f"{rule.id}  {rule.status}{'' if rule.reviewed else ', unreviewed'}  ({rule.provenance}, {rule.target})"
    )
    print(f"answers: {rule.tool}{f' {rule.code}' if rule.code else ''}: {rule.template}")
    for number, values in sorted(rule.constants.items()):
        print(f"only if {{{number}}} is: {', '.join(values)}")
    print(f"place: {rule.pattern.place}{f', {rule.node_kind}' if rule.node_kind else ''}")
    print(f"record: {rule.applied} helped, {rule.failed} failed, confidence {rule.confidence:.2f}")
    for example in rule.examples:
        print(f"\n{example.message}")
        whole = Splice(0, len(example.before), example.after or "")
        print(landed(example.before, [whole], "exact").diff, end="")
    print(f"\nIt leaves {len(rule.counter_examples)} counter-examples alone.")
