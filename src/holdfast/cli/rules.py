"""`holdfast rules`: the fixes that need no model, and what becomes of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.exit_with import refuse
from holdfast.cli.options import AsJson, Root, require_directory
from holdfast.cli.render.rules import print_rule
from holdfast.cli.render.text import warn
from holdfast.rules.learn.merge_rules import explains
from holdfast.rules.rule_json import BadRule, rule_to_json
from holdfast.wiring.rules import rule_book_at

if TYPE_CHECKING:
    from holdfast.rules.rule import Rule
    from holdfast.rules.rule_book import LearnVerdict, RuleBook

rules = typer.Typer(
    help="Rules: fixes that were verified once and need no model again.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

RuleId = Annotated[
    str, typer.Argument(metavar="ID", help="The rule; the beginning of its id is enough.")
]


@rules.command("list")
def list_(
    *,
    target: Annotated[
        str | None, typer.Option("--target", metavar="T", help="Only those of a language.")
    ] = None,
    unreviewed: Annotated[
        bool, typer.Option("--unreviewed", help="Only those nobody has looked at.")
    ] = False,
    own: Annotated[
        bool, typer.Option("--own", help="Without those that came with holdfast.")
    ] = False,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """List the rules: those that came with holdfast and those of this project.

    Exit 0: listed. 1: the rules cannot be read. 2: wrong usage.
    """
    book = _book(root, as_json)
    chosen = [
        rule
        for rule in book
        if (target is None or rule.target == target)
        and not (unreviewed and rule.reviewed)
        and not (own and rule.provenance == "builtin")
    ]
    if as_json:
        print(
            json.dumps(
                {"rules": [_shown(rule) for rule in chosen], "problems": list(book.problems)}
            )
        )
        return
    for rule in chosen:
        note = "" if rule.reviewed else "  (unreviewed)"
        record = f"{rule.applied} helped, {rule.failed} failed"
        print(
            f"{rule.id}  {rule.status:<8}  {rule.provenance:<9}  {rule.target:<10}  {record}{note}"
        )
        print(f"    {rule.tool}{f' {rule.code}' if rule.code else ''}: {rule.template}")
    if not chosen:
        print("There are no such rules.")


@rules.command("show")
def show(rule_id: RuleId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Show one rule: what it answers, where it fits, what it rewrites, and its examples.

    Exit 0: shown. 1: there is no such rule. 2: wrong usage.
    """
    rule = _find(_book(root, as_json), rule_id, as_json)
    if as_json:
        print(json.dumps({"rule": _shown(rule)}))
    else:
        print_rule(rule)


@rules.command("test")
def run_examples(
    rule_id: Annotated[str, typer.Argument(metavar="[ID]", help="One rule only.")] = "",
    *,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Apply each rule to its examples: they must come out as recorded, and the counter-examples unchanged.

    Exit 0: all do. 1: some do not, or a rule's file cannot be read. 2: wrong usage.
    """
    book = _book(root, as_json)
    chosen = [_find(book, rule_id, as_json)] if rule_id else list(book)
    failures = [
        {"rule": rule.id, "target": rule.target, kind: number}
        for rule in chosen
        for kind, examples in (
            ("example", rule.examples),
            ("counter_example", rule.counter_examples),
        )
        for number, example in enumerate(examples, 1)
        if not explains(rule, example)
    ]
    count = sum(len(rule.examples) + len(rule.counter_examples) for rule in chosen)
    if as_json:
        problems = list(book.problems)
        print(
            json.dumps(
                {
                    "rules": len(chosen),
                    "examples": count,
                    "failures": failures,
                    "problems": problems,
                }
            )
        )
    else:
        for failure in failures:
            what = "example" if "example" in failure else "counter_example"
            print(
                f"{failure['target']}/{failure['rule']}: {what.replace('_', '-')} {failure[what]} fails."
            )
        print(f"{len(chosen)} rules, {count} examples, {len(failures)} failed.")
    if failures or book.problems:
        raise typer.Exit(1)


@rules.command("approve")
def approve(rule_id: RuleId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Stand behind a rule: it is in force, reviewed, and goes before those that nobody has looked at."""
    _judge(root, rule_id, "approve", as_json)


@rules.command("reject")
def reject(rule_id: RuleId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Put a rule away: it is not applied, and not learned again."""
    _judge(root, rule_id, "reject", as_json)


@rules.command("pin")
def pin(rule_id: RuleId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Pin a rule: production builds may apply it, and no failure takes it out of force."""
    _judge(root, rule_id, "pin", as_json)


@rules.command("unpin")
def unpin(rule_id: RuleId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Take the pin off a rule; it stays active."""
    _judge(root, rule_id, "unpin", as_json)


@rules.command("demote")
def demote(rule_id: RuleId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Take a rule out of force, as one that failed more than it helped; `approve` puts it back."""
    _judge(root, rule_id, "demote", as_json)


def _judge(root: Path, rule_id: str, verdict: LearnVerdict, as_json: bool) -> None:
    book = _book(root, as_json)
    rule = _find(book, rule_id, as_json)
    try:
        judged = book.judge(rule.id, verdict)
    except (OSError, BadRule) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        refuse(
            f".holdfast/rules/{rule.target}/{rule.id}.json cannot be written: {reason}.",
            as_json=as_json,
        )
    if as_json:
        print(json.dumps({"rule": _shown(judged)}))
    else:
        print(f"{judged.id} is {judged.status}{', reviewed' if judged.reviewed else ''}.")


def _book(root: Path, as_json: bool) -> RuleBook:
    require_directory(root)
    try:
        book = rule_book_at(root)
    except OSError as error:
        refuse(f"the rules cannot be read: {error.filename}: {error.strerror}.", as_json=as_json)
    for problem in book.problems:
        warn(problem)
    return book


def _find(book: RuleBook, beginning: str, as_json: bool) -> Rule:
    """Give the one rule whose id begins so; else say what is wrong, and end with 1."""
    found = book.starting(beginning) if beginning else ()
    if not found:
        refuse(
            f"{beginning}: there is no such rule; `holdfast rules list` shows all.", as_json=as_json
        )
    if len(found) > 1:
        refuse(f"{beginning}: {len(found)} rules begin so; give more of the id.", as_json=as_json)
    return found[0]


def _shown(rule: Rule) -> dict[str, Any]:
    return {**rule_to_json(rule), "reviewed": rule.reviewed, "pinned": rule.pinned}
