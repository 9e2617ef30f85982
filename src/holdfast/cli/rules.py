"""`holdfast rules`: fixes that need no model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from holdfast.cli.options import AsJson, Root
from holdfast.cli.read_rules import read_rules
from holdfast.cli.refusal import refuse
from holdfast.cli.render.edits import warn_open
from holdfast.cli.render.rules import message_of, print_explanation, print_rule
from holdfast.cli.render.text import text_if, warn, write
from holdfast.cli.workspace import open_work
from holdfast.rules.learn_rule import explains
from holdfast.rules.rule import Rule
from holdfast.rules.rule_book import LearnVerdict, RuleBook
from holdfast.rules.rule_yaml import BadRule, parse_rule, rule_to_dict
from holdfast.rules.scope import scope_of

rules = typer.Typer(
    help="Review the fixes that need no model any more.\n\n"
    "A rule is a fix that was verified once, and is applied to the same error from then on.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

RuleId = Annotated[
    str, typer.Argument(metavar="ID", help="The rule; the start of its id is enough.")
]


@rules.command("list")
def list_(
    *,
    target: Annotated[
        str | None, typer.Option("--target", metavar="T", help="Only rules of this language.")
    ] = None,
    unreviewed: Annotated[
        bool, typer.Option("--unreviewed", help="Only rules without a review.")
    ] = False,
    own: Annotated[
        bool, typer.Option("--own", help="Without the rules that came with holdfast.")
    ] = False,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """List the rules of this project and of holdfast.

    Exit 0: listed. 1: the rules cannot be read. 2: wrong usage.
    """

    def is_chosen(rule: Rule) -> bool:
        if target not in {None, rule.target}:
            return False
        if unreviewed and rule.reviewed:
            return False
        if not own:
            return True

        return rule.provenance != "builtin"

    book = _book(root, as_json)
    chosen = list(filter(is_chosen, book))
    left = warn_open(open_work(root))
    if as_json:
        body = {"rules": list(map(_as_json, chosen)), "problems": list(book.problems)}
        print(json.dumps(body | left))
        return

    for rule in chosen:
        note = text_if(not rule.reviewed, "  (unreviewed)")
        record = f"{rule.helped} helped, {rule.failed} failed"
        kind = f"{rule.status:<8}  {rule.provenance:<9}  {rule.target:<10}"
        write(f"{rule.id}  {kind}  {record}{note}")
        write(f"    {message_of(rule)}")
        write(f"    {scope_of(rule)}")

    if not chosen and not book.problems:
        write("There are no such rules.")


@rules.command("show")
def show(rule_id: RuleId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Show one rule: its error, its fix and its examples.

    Exit 0: shown. 1: there is no such rule. 2: wrong usage.
    """
    rule = _find(_book(root, as_json), rule_id, as_json)
    if as_json:
        print(json.dumps({"rule": _as_json(rule)}))
    else:
        print_rule(rule)


@rules.command("explain")
def explain(rule_id: RuleId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Say in words where a rule applies.

    Exit 0: explained. 1: there is no such rule. 2: wrong usage.
    """
    rule = _find(_book(root, as_json), rule_id, as_json)
    if as_json:
        print(json.dumps({"rule": rule.id, "scope": scope_of(rule), "safe": rule.safe}))
        return
    print_explanation(rule)


@rules.command("add")
def add(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A rule in YAML.")],
    *,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Add a rule that you have written, after a test with its examples.

    If the rule is there already, its review stays, unless the file has a status of its own.

    Exit 0: added. 1: the file is no rule, or an example fails. 2: wrong usage.
    """
    try:
        rule = parse_rule(file.read_bytes())
    except (OSError, BadRule) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        refuse(f"{file}: {reason}.", as_json=as_json)

    if not rule.examples:
        refuse(f"{file}: it has no example to test it with; add `examples`.", as_json=as_json)

    failures = _failures(rule)
    if failures:
        numbers = ", ".join(str(each.get("example", "-")) for each in failures)
        refuse(f"{file}: the rule does not make what example {numbers} has.", as_json=as_json)

    book = _book(root, as_json)
    try:
        added = book.put_written(rule)
    except (OSError, BadRule) as error:
        _refuse_unwritable(rule, error, as_json)

    is_kept = (added.status, added.approved) != (rule.status, rule.approved)
    if as_json:
        print(json.dumps({"rule": _as_json(added), "review_kept": is_kept}))
    else:
        kept = text_if(is_kept, " (its review is kept)")
        write(f"{added.id} is {added.status}{kept}: {scope_of(added)}.")


@rules.command("widen")
def widen(rule_id: RuleId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Free what one example cannot free.

    These are the kinds of operands and the names in the message.
    """
    _judge(root, rule_id, "widen", as_json)


@rules.command("test")
def run_examples(
    rule_id: Annotated[str, typer.Argument(metavar="[ID]", help="One rule only.")] = "",
    *,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Apply each rule to its recorded examples.

    Examples must come out as recorded, and counter-examples unchanged.

    Exit 0: all do. 1: some do not, or a rule's file cannot be read. 2: wrong usage.
    """
    book = _book(root, as_json)
    chosen = list(book)
    if rule_id:
        chosen = [_find(book, rule_id, as_json)]

    failures = []
    count = 0
    for rule in chosen:
        failures += _failures(rule)
        count += len(rule.examples) + len(rule.counter_examples)

    if as_json:
        body = {
            "rules": len(chosen),
            "examples": count,
            "failures": failures,
            "problems": list(book.problems),
        }
        print(json.dumps(body))
    else:
        for failure in failures:
            example = f"counter-example {failure.get('counter_example')}"
            if "example" in failure:
                example = f"example {failure['example']}"
            write(f"{failure['target']}/{failure['rule']}: {example} fails.")
        write(f"{len(chosen)} rules, {count} examples, {len(failures)} failed.")

    if failures or book.problems:
        raise typer.Exit(1)


@rules.command("approve")
def approve(rule_id: RuleId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Mark a rule as reviewed, and activate it.

    A reviewed rule is tried before unreviewed ones.
    """
    _judge(root, rule_id, "approve", as_json)


@rules.command("reject")
def reject(rule_id: RuleId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Disable a rule for good: it is not learned again."""
    _judge(root, rule_id, "reject", as_json)


@rules.command("pin")
def pin(rule_id: RuleId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Allow a rule in production builds.

    No failure disables a pinned rule.
    """
    _judge(root, rule_id, "pin", as_json)


@rules.command("unpin")
def unpin(rule_id: RuleId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Remove the pin of a rule; the rule stays active."""
    _judge(root, rule_id, "unpin", as_json)


@rules.command("demote")
def demote(rule_id: RuleId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Disable a rule until it is approved again."""
    _judge(root, rule_id, "demote", as_json)


def _failures(rule: Rule) -> list[dict[str, Any]]:
    """Return the examples and counter-examples that a rule does not reproduce."""
    failures: list[dict[str, Any]] = []
    kinds = {"example": rule.examples, "counter_example": rule.counter_examples}
    for kind, examples in kinds.items():
        for number, example in enumerate(examples, 1):
            if not explains(rule, example):
                failures.append({"rule": rule.id, "target": rule.target, kind: number})

    return failures


def _judge(root: Path, rule_id: str, verdict: LearnVerdict, as_json: bool) -> None:
    book = _book(root, as_json)
    rule = _find(book, rule_id, as_json)
    try:
        judged = book.judge(rule.id, verdict)
    except (OSError, BadRule) as error:
        _refuse_unwritable(rule, error, as_json)

    if as_json:
        print(json.dumps({"rule": _as_json(judged)}))
    else:
        reviewed = text_if(judged.reviewed, ", reviewed")
        write(f"{judged.id} is {judged.status}{reviewed}: {scope_of(judged)}.")


def _refuse_unwritable(rule: Rule, error: OSError | BadRule, as_json: bool) -> NoReturn:
    """Print why the file of a rule cannot be written, and exit with 1."""
    reason: str | None = str(error)
    if isinstance(error, OSError):
        reason = error.strerror

    file = f".holdfast/rules/{rule.target}/{rule.id}.yaml"
    refuse(f"{file} cannot be written: {reason}.", as_json=as_json)


def _book(root: Path, as_json: bool) -> RuleBook:
    book = read_rules(root, as_json=as_json)
    for problem in book.problems:
        warn(problem)

    return book


def _find(book: RuleBook, beginning: str, as_json: bool) -> Rule:
    """Return the one rule whose id starts so, or print what is wrong and exit with 1."""
    found = book.starting(beginning) if beginning else ()
    if not found:
        refuse(
            f"{beginning}: there is no such rule; `holdfast rules list` shows all.", as_json=as_json
        )

    if len(found) > 1:
        refuse(f"{beginning}: {len(found)} rules start so; write more of the id.", as_json=as_json)

    return found[0]


def _as_json(rule: Rule) -> dict[str, Any]:
    return {
        **rule_to_dict(rule),
        "status": rule.status,
        "safe": rule.safe,
        "scope": scope_of(rule),
        "helped": rule.helped,
        "failed": rule.failed,
        "reviewed": rule.reviewed,
        "pinned": rule.pinned,
    }
