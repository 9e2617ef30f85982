"""How a rule is shown on a terminal."""

from __future__ import annotations

from holdfast.cli.render.text import text_if, write
from holdfast.landing.projection.splices import Splice, landed
from holdfast.rules.rule import HeaderRewrite, Rule
from holdfast.rules.rule_book import confidence_of
from holdfast.rules.scope import scope_of


def print_rule(rule: Rule) -> None:
    """Print a rule: the message it fixes, its record, and its examples as diffs."""
    reviewed = text_if(not rule.reviewed, ", unreviewed")
    write(f"{rule.id}  {rule.status}{reviewed}  ({rule.provenance}, {rule.target})")
    write(f"fixes: {message_of(rule)}")
    write(f"scope: {scope_of(rule)}")
    _print_rewrite(rule)
    confidence = confidence_of(rule)
    write(f"record: {rule.helped} helped, {rule.failed} failed, confidence {confidence:.2f}")
    for example in rule.examples:
        write(f"\n{example.message}")
        whole = Splice(0, len(example.before), example.after or "")
        write(landed(example.before, [whole], "exact").diff, newline=False)

    write(f"\nIt leaves {len(rule.counter_examples)} counter-examples unchanged.")


def print_explanation(rule: Rule) -> None:
    """Print in words where a rule applies, what it writes there, and why it may."""
    write(f"{rule.id} answers: {message_of(rule)}")
    write(f"It applies to {scope_of(rule)}.")
    _print_rewrite(rule)
    if rule.examples and not rule.widened:
        write(
            "Where the program has what no example has (a comment about the place, a parameter "
            "that nothing uses, another use of the value), it is not applied; "
            f"`holdfast rules widen {rule.id}` frees it of that."
        )
    write(_reason(rule))


def _print_rewrite(rule: Rule) -> None:
    if isinstance(rule.rewrite, HeaderRewrite):
        write(f"adds: {rule.rewrite.fix} ({rule.rewrite.place})")
    elif rule.rewrite is not None:
        write(f"from: {rule.rewrite.pattern}")
        write(f"to:   {rule.rewrite.fix}")
    for line in rule.imports:
        write(f"adds: {line}")


def _reason(rule: Rule) -> str:
    if not rule.safe:
        return "It is not certain: it is a hint, and is applied only with --unsafe-fixes."
    if rule.widened:
        return "A person has widened it."

    match rule.provenance:
        case "builtin":
            return "It came with holdfast."
        case "manual":
            return "A person has written it."
        case "model":
            return _reason_of_suggestion(rule)
        case "extracted":
            return _reason_of_examples(rule)


def _reason_of_examples(rule: Rule) -> str:
    count = len(rule.examples)
    if count == 1:
        return "It was learned from one fix, so it is narrow until a second one widens it."

    return f"It was learned from {count} fixes; what differs between them is free."


def _reason_of_suggestion(rule: Rule) -> str:
    if rule.status == "proposed":
        return f"A model suggested it; `holdfast rules approve {rule.id}` lets it be applied."
    return "A model suggested it, and a person has judged it."


def message_of(rule: Rule) -> str:
    """Return the compiler's message that a rule fixes, with its tool and code."""
    code = text_if(rule.code, f" {rule.code}")
    return f"{rule.tool}{code}: {rule.template}"
