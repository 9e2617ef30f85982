"""`holdfast trust`: let the project's own tools, plugins and settings run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from holdfast.cli.options import AsJson, Root
from holdfast.cli.refusal import refuse
from holdfast.cli.render.text import plain
from holdfast.cli.settings import read_settings_or_exit
from holdfast.cli.trust.question import ask_to_trust, is_terminal
from holdfast.usecases.trust.project_trust import ProjectTrust, untrusted
from holdfast.vocab.trust import JudgedItem
from holdfast.wiring.checks import code_of_project
from holdfast.wiring.trust import trust_at


def trust(
    *,
    show: Annotated[
        bool, typer.Option("--show", help="List what would run, and whether it is trusted.")
    ] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Trust nothing here any more.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask: trust what is there now.")
    ] = False,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Trust the project's own tools, plugins, build scripts and `check`.

    Checks run them only if they are trusted. What changes later is asked for again.

    Exit 0: trusted, shown or revoked. 1: refused. 2: wrong usage. 3: not trusted, for nobody said
    yes.
    """
    if show and revoke:
        raise typer.BadParameter("name one of --show and --revoke.", param_hint="--show")

    settings = read_settings_or_exit(root, {})
    project = trust_at(root)
    is_asked = not show and not revoke
    with _refusing(root, as_json=as_json):
        if revoke:
            project.revoke()
        judged = project.judge(code_of_project(root, settings))
        if is_asked:
            judged = _accept(judged, project, yes=yes, as_json=as_json)

    _print(judged, as_json=as_json)
    if is_asked and untrusted(judged):
        raise typer.Exit(3)


@contextmanager
def _refusing(root: Path, *, as_json: bool) -> Iterator[None]:
    """Print an error of the disk as a refusal, and exit with 1."""
    try:
        yield
    except OSError as error:
        refuse(f"{error.filename or root}: {error.strerror}; nothing was changed.", as_json=as_json)


def _accept(
    judged: tuple[JudgedItem, ...], project: ProjectTrust, *, yes: bool, as_json: bool
) -> tuple[JudgedItem, ...]:
    """Trust what is not trusted yet, if the person says so; return all items as they are then."""
    asked = untrusted(judged)
    if not asked:
        return judged
    if not yes and not _ask(asked, as_json=as_json):
        return judged

    project.accept(asked)
    return project.judge([each.item for each in judged])


def _ask(asked: Sequence[JudgedItem], *, as_json: bool) -> bool:
    if as_json or not is_terminal():
        typer.echo("nothing was trusted: use a terminal, or pass --yes.", err=True)
        return False
    return ask_to_trust(asked)


def _print(judged: Sequence[JudgedItem], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"items": [_as_json(each) for each in judged]}))
        return

    if not judged:
        print("Nothing of this project's own is run by checks.")

    for each in judged:
        item = each.item
        print(plain(f"{each.state:<8} {item.kind:<13} {item.digest[:12]:<12} {item.path}"))


def _as_json(judged: JudgedItem) -> dict[str, Any]:
    item = judged.item
    return {
        "kind": item.kind,
        "path": item.path,
        "hash": item.digest,
        "state": judged.state,
        "text": item.text,
        "trusted_text": judged.trusted_text,
    }
