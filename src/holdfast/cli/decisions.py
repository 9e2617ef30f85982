"""`holdfast decisions`: review the fixes that code depends on."""

from __future__ import annotations

import getpass
import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from holdfast.cli.options import AsJson, Root, require_directory
from holdfast.cli.read_rules import read_rules
from holdfast.cli.refusal import refuse
from holdfast.cli.render.edits import warn_open
from holdfast.cli.render.text import count_of, text_if, warn, write
from holdfast.cli.reply import read_reply
from holdfast.cli.workspace import open_work, workspace_at
from holdfast.repair.decisions.decision import Decision, DecisionScope
from holdfast.repair.decisions.decision import as_json as decision_to_json
from holdfast.repair.decisions.manifest import BadManifest, Manifest, NoSuchDecision, Pin
from holdfast.repair.decisions.production_gate import judge_gate
from holdfast.usecases.repair.decisions import override_decision, pin_decision
from holdfast.vocab.outcomes import Refused
from holdfast.wiring.decisions import decisions_at

_Outcome = TypeVar("_Outcome")

decisions = typer.Typer(
    help="Review and pin the fixes that code depends on.\n\n"
    "A decision is a recorded choice of repair: which code, why, and how it was verified.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class ScopeOption(StrEnum):
    """The values of `--scope`."""

    build = "build"
    runtime = "runtime"


DecisionId = Annotated[
    str, typer.Argument(metavar="ID", help="The decision; the start of its id is enough.")
]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why, for later readers.")]
By = Annotated[
    str | None, typer.Option("--by", metavar="NAME", help="Who decides.", show_default="you")
]


@decisions.command("list")
def list_(
    *,
    scope: Annotated[
        ScopeOption | None,
        typer.Option("--scope", help="build: of the project. runtime: of this machine."),
    ] = None,
    unpinned: Annotated[
        bool, typer.Option("--unpinned", help="Only decisions that are not pinned.")
    ] = False,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """List the decisions, by scope, module and id.

    Exit 0: listed, with a warning for each manifest that cannot be read. 1: the decisions cannot
    be read. 2: wrong usage.
    """
    chosen: DecisionScope | None = scope.value if scope else None
    survey = _attempt(as_json, lambda: _manifest(root).survey(chosen))
    listed = list(survey.decisions)
    if unpinned:
        listed = [each for each in survey.decisions if not each.pinned]

    for problem in survey.problems:
        warn(problem)

    left = warn_open(open_work(root))
    if as_json:
        found = list(map(_as_json, listed))
        _print_json({"decisions": found, "problems": list(survey.problems)} | left)
        return

    for each in listed:
        write(_line(each))

    if not listed and not survey.problems:
        write("no decisions in this project.")


@decisions.command("show")
def show(decision_id: DecisionId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Show one decision: its choice, reason, checks and diff."""
    _show(_find(_manifest(root), decision_id, as_json=as_json), as_json=as_json)


@decisions.command("pin")
def pin(
    decision_id: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="The decision; the start of its id is enough."),
    ] = None,
    *,
    every: Annotated[
        bool, typer.Option("--all", help="Every decision that keeps the gate shut.")
    ] = False,
    rule: Annotated[
        str | None,
        typer.Option("--rule", metavar="RULE", help="Those of --all that this rule made."),
    ] = None,
    reason: Reason = "",
    by: By = None,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Let later repairs, also in production, replay a decision.

    A pinned decision needs no model. Pinning a decision that changed no code only approves it.
    """
    chosen = [decision_id is not None, every, rule is not None]
    if chosen.count(True) != 1:
        raise typer.BadParameter("name one decision by its ID, or use --all, or --rule RULE.")

    manifest = _manifest(root)
    if decision_id is None:
        _pin_several(manifest, rule, _pin(reason, by), as_json=as_json)
        return

    found = _find(manifest, decision_id, as_json=as_json)
    word = _pin(reason, by)
    pinned = _attempt(as_json, lambda: pin_decision(found, word, manifest))
    if isinstance(pinned, Refused):
        refuse(pinned.message, as_json=as_json)

    _show(pinned, as_json=as_json, short=True)


@decisions.command("unpin")
def unpin(decision_id: DecisionId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Remove the pin of a decision."""
    manifest = _manifest(root)
    found = _find(manifest, decision_id, as_json=as_json)
    _show(_attempt(as_json, lambda: manifest.unpin(found)), as_json=as_json, short=True)


@decisions.command("override")
def override(
    decision_id: DecisionId,
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="Your own text of the whole file.")],
    *,
    reason: Reason = "",
    by: By = None,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Replace a decision by your own code, and pin it.

    The old decision stays on record as superseded. No file is written, and your code is not
    verified yet: the next `holdfast repair` of that text does both.

    Exit 0: recorded. 1: refused. 2: wrong usage.
    """
    code = read_reply(file)
    manifest = _manifest(root)
    found = _find(manifest, decision_id, as_json=as_json)
    word = _pin(reason, by)
    with workspace_at(root) as workspace:
        done = _attempt(
            as_json, lambda: override_decision(found, code, word, manifest, workspace.files)
        )

    if isinstance(done, Refused):
        refuse(done.message, as_json=as_json)

    if as_json:
        _print_json({"decision": _as_json(done), "verified": False})
        return

    _show(done, as_json=False, short=True)
    write(
        f"It is not verified yet: `holdfast repair {done.path}` does that, "
        "once the file has that text again."
    )


@decisions.command("promote")
def promote(decision_id: DecisionId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Copy a decision of this machine into the project.

    There a decision with the scope runtime can be committed and reviewed.
    """
    manifest = _manifest(root)
    found = _find(manifest, decision_id, as_json=as_json)
    if found.scope != "runtime":
        refuse(f"{found.id}: this is in the project already (scope build).", as_json=as_json)
    _show(_attempt(as_json, lambda: manifest.promote(found)), as_json=as_json, short=True)


@decisions.command("gate")
def gate(*, root: Root = Path(), as_json: AsJson = False) -> None:
    """Fail if code depends on a decision that is not pinned.

    For use before a production build.

    Exit 0: all are pinned. 1: a decision or a rule cannot be read. 4: some are not pinned.
    """
    judged = _attempt(as_json, lambda: judge_gate(_manifest(root).list("build")))
    problems = read_rules(root, as_json=as_json).problems
    if problems:
        refuse(*problems, as_json=as_json)

    if as_json:
        _print_json({"open": judged.open, "unpinned": list(map(_as_json, judged.unpinned))})
    elif judged.open:
        write("every decision is pinned.")
    else:
        for each in judged.unpinned:
            write(_line(each))
        count = count_of(len(judged.unpinned), "decision")
        write(f"{count} not pinned; review each, then pin it with `holdfast decisions pin`.")

    if not judged.open:
        raise typer.Exit(4)


def _pin_several(manifest: Manifest, rule: str | None, word: Pin, *, as_json: bool) -> None:
    """Pin each decision that keeps the gate shut; with `rule`, those that it made or became."""
    listed = _attempt(as_json, lambda: manifest.list("build"))
    rule_id = None if rule is None else _find_rule(listed, rule, as_json=as_json)

    def pin_all() -> list[Decision]:
        chosen = [each for each in judge_gate(listed).unpinned if rule_id in {None, each.rule_id}]
        return [manifest.pin(each, word) for each in chosen]

    pinned = _attempt(as_json, pin_all)

    if as_json:
        _print_json({"pinned": list(map(_as_json, pinned))})
        return

    for each in pinned:
        write(_line(each))

    write(f"{count_of(len(pinned), 'decision')} pinned.")


def _find_rule(decisions: Sequence[Decision], beginning: str, *, as_json: bool) -> str:
    """Return the one rule that decisions name and whose id starts so, or exit with 1."""
    named = {each.rule_id for each in decisions if each.rule_id}
    if beginning in named:
        return beginning

    found = sorted(rule_id for rule_id in named if rule_id.startswith(beginning))
    if not beginning or not found:
        cure = "`holdfast decisions show ID` names the rule of a decision"
        refuse(f"{beginning}: no decision names this rule; {cure}.", as_json=as_json)

    if len(found) > 1:
        refuse(f"{beginning}: {len(found)} rules start so; write more of the id.", as_json=as_json)

    return found[0]


def _manifest(root: Path) -> Manifest:
    require_directory(root)
    return decisions_at(root)


def _find(manifest: Manifest, beginning: str, *, as_json: bool) -> Decision:
    found = _attempt(as_json, lambda: manifest.find(beginning))
    if isinstance(found, NoSuchDecision):
        refuse(found.message, *found.problems, as_json=as_json)
    return found


def _attempt(as_json: bool, act: Callable[[], _Outcome]) -> _Outcome:
    """Return the outcome, or print why a manifest cannot be read or written and exit with 1."""
    try:
        return act()
    except BadManifest as error:
        refuse(str(error), as_json=as_json)
    except OSError as error:
        where = text_if(error.filename, f"{error.filename}: ")
        refuse(
            f"{where}{error.strerror}; the decisions cannot be read or written.", as_json=as_json
        )


def _pin(reason: str, by: str | None) -> Pin:
    """Return the pin of this user, now."""
    if by is None:
        by = _user()
    return Pin(by, datetime.now(UTC).isoformat(timespec="seconds"), reason)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user of a container who has no name
        return "unknown"


def _as_json(decision: Decision) -> dict[str, object]:
    return {**decision_to_json(decision), "scope": decision.scope}


def _print_json(body: dict[str, object]) -> None:
    print(json.dumps(body))


def _line(decision: Decision) -> str:
    marks: list[str] = [decision.verdict]
    if decision.pinned:
        marks.append("pinned")

    if decision.superseded_by:
        marks.append(f"superseded by {decision.superseded_by}")

    choice = f"{decision.decision_type}: {decision.choice}"
    return f"{decision.id}  {decision.path}  {choice} ({', '.join(marks)})"


def _show(decision: Decision, *, as_json: bool, short: bool = False) -> None:
    if as_json:
        _print_json({"decision": _as_json(decision)})
        return

    write(_line(decision))
    if short:
        return

    for name, value in _as_json(decision).items():
        is_empty = value in (None, "", [], False)
        if name not in {"id", "path", "diff"} and not is_empty:
            write(f"{name}:{_in_words(value)}")

    write(decision.diff, newline=False)


def _in_words(value: object) -> str:
    """Return what follows the name of a field: its value, or a line for each of several."""
    if isinstance(value, dict):
        value = [f"{name}: {text}" for name, text in value.items() if text]
    if isinstance(value, list):
        return "".join(f"\n  {each}" for each in value)
    return f" {value}"
