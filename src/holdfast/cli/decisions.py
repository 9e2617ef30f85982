"""`holdfast decisions`: what was decided about code, for people to review."""

from __future__ import annotations

import getpass
import json
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from holdfast.cli.apply import read_reply
from holdfast.cli.exit_with import refuse
from holdfast.cli.options import AsJson, Root, require_directory
from holdfast.cli.render.text import plain, warn
from holdfast.cli.workspace import workspace_at
from holdfast.repair.decisions.decision import as_json
from holdfast.repair.decisions.manifest import BadManifest, NoSuchDecision, Pin
from holdfast.repair.decisions.production_gate import judge_gate
from holdfast.usecases.repair.decisions import override_decision
from holdfast.vocab.outcomes import Refused
from holdfast.wiring.decisions import decisions_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.repair.decisions.decision import Decision, DecisionScope
    from holdfast.repair.decisions.manifest import Manifest

_Outcome = TypeVar("_Outcome")

decisions = typer.Typer(
    help="What was decided about code: look at it, pin it, put your own in its place.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class ScopeOption(StrEnum):
    """What `--scope` takes."""

    build = "build"
    runtime = "runtime"


DecisionId = Annotated[
    str, typer.Argument(metavar="ID", help="The decision; the beginning of its id is enough.")
]
Reason = Annotated[
    str, typer.Option("--reason", metavar="TEXT", help="Why, for whoever reads it later.")
]
By = Annotated[
    str | None, typer.Option("--by", metavar="NAME", help="Who says so.", show_default="you")
]


@decisions.command("list")
def list_(
    *,
    scope: Annotated[
        ScopeOption | None,
        typer.Option("--scope", help="Only those of the project, or of this machine."),
    ] = None,
    unpinned: Annotated[
        bool, typer.Option("--unpinned", help="Only those that nobody has pinned.")
    ] = False,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """List the decisions, by scope, module and id.

    Exit 0: listed; a manifest that cannot be read is named besides. 1: the decisions cannot be read. 2: wrong usage.
    """
    chosen: DecisionScope | None = scope.value if scope else None
    survey = _done(as_json, lambda: _manifest(root).survey(chosen))
    listed = tuple(each for each in survey.decisions if not (unpinned and each.pinned))
    for problem in survey.problems:
        warn(problem)
    if as_json:
        _print_json(
            {"decisions": [_as_json(each) for each in listed], "problems": list(survey.problems)}
        )
        return
    for each in listed:
        typer.echo(_line(each))
    if not listed:
        typer.echo("there are no decisions here.")


@decisions.command("show")
def show(decision_id: DecisionId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Show one decision: what was chosen and why, what said yes, and the diff."""
    _show(_find(_manifest(root), decision_id, as_json=as_json), as_json=as_json)


@decisions.command("pin")
def pin(
    decision_id: DecisionId,
    *,
    reason: Reason = "",
    by: By = None,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Let a decision be made again without a model, in production too; one that changed no code is only agreed to."""
    manifest = _manifest(root)
    found = _find(manifest, decision_id, as_json=as_json)
    if found.superseded_by is not None:
        heir = found.superseded_by
        refuse(
            f"{found.id}: {heir} has taken its place; pin that one, or override it.",
            as_json=as_json,
        )
    # One that was accepted without a diff shuts the gate like any other, so that somebody must be able to agree to it.
    if not found.diff and not found.counts:
        refuse(
            f"{found.id}: no code came of this, so there is nothing to make again.", as_json=as_json
        )
    word = _word(reason, by)
    _show(_done(as_json, lambda: manifest.pin(found, word)), as_json=as_json, short=True)


@decisions.command("unpin")
def unpin(decision_id: DecisionId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Take the pin off."""
    manifest = _manifest(root)
    found = _find(manifest, decision_id, as_json=as_json)
    _show(_done(as_json, lambda: manifest.unpin(found)), as_json=as_json, short=True)


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
    """Put your own code in the place of a decision; it is pinned, and the old one stays on record as superseded.

    No file is written, and your code is not verified yet: the next `holdfast repair` of that text does both.

    Exit 0: recorded. 1: refused. 2: wrong usage.
    """
    code = read_reply(file)
    manifest = _manifest(root)
    found = _find(manifest, decision_id, as_json=as_json)
    with workspace_at(root) as workspace:
        done = _done(
            as_json,
            lambda: override_decision(found, code, _word(reason, by), manifest, workspace.files),
        )
    if isinstance(done, Refused):
        refuse(done.message, as_json=as_json)
    if as_json:
        _print_json({"decision": _as_json(done), "verified": False})
        return
    _show(done, as_json=False, short=True)
    typer.echo(
        f"It is not verified yet: `holdfast repair {done.path}` does that, when the file has that text again."
    )


@decisions.command("promote")
def promote(decision_id: DecisionId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Take a decision of a running program (scope runtime) into the project, to be committed and reviewed."""
    manifest = _manifest(root)
    found = _find(manifest, decision_id, as_json=as_json)
    if found.scope != "runtime":
        refuse(f"{found.id}: this is in the project already (scope build).", as_json=as_json)
    _show(_done(as_json, lambda: manifest.promote(found)), as_json=as_json, short=True)


@decisions.command("gate")
def gate(*, root: Root = Path(), as_json: AsJson = False) -> None:
    """Before a production build: fail if the code rests on a decision that nobody has pinned.

    Exit 0: all are pinned. 1: the decisions cannot be read. 4: some are not pinned.
    """
    judged = _done(as_json, lambda: judge_gate(_manifest(root).list("build")))
    if as_json:
        _print_json({"open": judged.open, "unpinned": [_as_json(each) for each in judged.unpinned]})
    else:
        for each in judged.unpinned:
            typer.echo(_line(each))
        count = len(judged.unpinned)
        shut = f"{count} decision{'' if count == 1 else 's'} not pinned; look at each, and `holdfast decisions pin` it."
        typer.echo("every decision is pinned." if judged.open else shut)
    raise typer.Exit(0 if judged.open else 4)


# -------------------------------------------------------------------------------------------------------------- common


def _manifest(root: Path) -> Manifest:
    require_directory(root)
    return decisions_at(root)


def _find(manifest: Manifest, beginning: str, *, as_json: bool) -> Decision:
    found = _done(as_json, lambda: manifest.find(beginning))
    if isinstance(found, NoSuchDecision):
        refuse(found.message, *found.problems, as_json=as_json)
    return found


def _done(as_json: bool, act: Callable[[], _Outcome]) -> _Outcome:
    """Run it; a manifest that cannot be read or written is told in words."""
    try:
        return act()
    except BadManifest as error:
        refuse(str(error), as_json=as_json)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        refuse(
            f"{where}{error.strerror}; the decisions cannot be read or written.", as_json=as_json
        )


def _word(reason: str, by: str | None) -> Pin:

    if by is None:
        try:
            by = getpass.getuser()
        except (KeyError, OSError):  # a container's user without a name
            by = "unknown"
    return Pin(by, datetime.now(UTC).isoformat(timespec="seconds"), reason)


def _as_json(decision: Decision) -> dict[str, object]:
    return {**as_json(decision), "scope": decision.scope}


def _print_json(told: dict[str, object]) -> None:
    typer.echo(json.dumps(told))


def _line(decision: Decision) -> str:
    marks = [decision.verdict, *(["pinned"] if decision.pinned else [])]
    marks += [f"superseded by {decision.superseded_by}"] if decision.superseded_by else []
    return plain(
        f"{decision.id}  {decision.path}  {decision.decision_type}: {decision.choice} ({', '.join(marks)})"
    )


def _show(decision: Decision, *, as_json: bool, short: bool = False) -> None:
    if as_json:
        _print_json({"decision": _as_json(decision)})
        return
    typer.echo(_line(decision))
    if short:
        return
    told = _as_json(decision)
    for name, value in told.items():
        if name not in {"id", "path", "diff"} and value not in (None, "", [], False):
            typer.echo(plain(f"{name}: {value}"))
    typer.echo(plain(decision.diff), nl=False)
