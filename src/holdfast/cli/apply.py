"""`holdfast apply`: land a model's reply on files."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.options import AsJson, Root
from holdfast.cli.render.common import Face, JsonFace, TerminalFace, attempt, warn_unrecorded
from holdfast.cli.workspace import workspace_at
from holdfast.landing.encoding import decode
from holdfast.usecases.changes.apply import ReplyText, apply_reply
from holdfast.usecases.workspace import NothingDone


class Notation(StrEnum):
    """What `--format` takes."""

    auto = "auto"
    diff = "diff"
    blocks = "blocks"
    patch = "patch"
    json = "json"


ReplyFile = Annotated[str, typer.Argument(metavar="FILE|-", help="The reply; - is standard input.")]
WrittenAs = Annotated[Notation, typer.Option("--format", help="How the reply is written.")]
Unwrap = Annotated[
    bool, typer.Option("--unwrap", help="Take a diff out of a fence or a little prose.")
]


def apply(
    file: ReplyFile = "-",
    *,
    root: Root = Path(),
    notation: WrittenAs = Notation.auto,
    check: Annotated[
        bool, typer.Option("--check", help="Say what would land, and write nothing.")
    ] = False,
    unwrap: Unwrap = False,
    as_json: AsJson = False,
) -> None:
    """Land a model's reply (diff, SEARCH/REPLACE blocks, patch or JSON) on files, all or nothing.

    Exit 0: landed. 1: refused, and no file has changed. 2: wrong usage.
    """
    reply = ReplyText(read_reply(file), notation.value, unwrap)
    face: Face = JsonFace() if as_json else TerminalFace()
    with workspace_at(root) as workspace:
        outcome = attempt(lambda: apply_reply(reply, workspace, check=check))
    face.show_note(outcome.recovered)
    if isinstance(outcome, NothingDone):
        face.show_refusals(outcome)
        raise typer.Exit(1)
    face.show_landed(outcome.files, check=check)
    warn_unrecorded(outcome.unrecorded)


def read_reply(file: str) -> str:
    """Read the reply; UTF-16, as PowerShell redirects it, is read too."""
    if file == "-" and sys.stdin is None:
        raise typer.BadParameter(
            "standard input is closed; give the reply of a model.", param_hint="FILE"
        )
    if file == "-" and sys.stdin.isatty():
        typer.echo("reading the reply from standard input; end it with Ctrl-D.", err=True)
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise typer.BadParameter(f"{file}: {error.strerror}", param_hint="FILE") from error
    text = decode(data).text
    if not text.strip():
        where = "standard input" if file == "-" else file
        raise typer.BadParameter(f"{where} is empty; give the reply of a model.", param_hint="FILE")
    return text
