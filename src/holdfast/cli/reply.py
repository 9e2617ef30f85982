"""The reply of a model, as an argument of a command."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from holdfast.landing.encoding import decode


class Notation(StrEnum):
    """The values of `--format`."""

    auto = "auto"
    diff = "diff"
    blocks = "blocks"
    patch = "patch"
    json = "json"


ReplyFile = Annotated[str, typer.Argument(metavar="FILE|-", help="The reply; - is standard input.")]
WrittenAs = Annotated[Notation, typer.Option("--format", help="The format of the reply.")]
Unwrap = Annotated[
    bool, typer.Option("--unwrap", help="Accept a diff inside a code fence or a little prose.")
]


def read_reply(file: str) -> str:
    """Read the reply, as UTF-8 or as the UTF-16 that PowerShell redirects."""
    text = decode(_read_bytes(file)).text
    if not text.strip():
        where = "standard input" if file == "-" else file
        raise _usage_error(f"{where} is empty; pass the reply of a model.")
    return text


def _read_bytes(file: str) -> bytes:
    if file != "-":
        try:
            return Path(file).read_bytes()
        except OSError as error:
            raise _usage_error(f"{file}: {error.strerror}") from error

    if sys.stdin is None:
        raise _usage_error("standard input is closed; pass the reply of a model.")

    if sys.stdin.isatty():
        typer.echo("reading the reply from standard input; end it with Ctrl-D.", err=True)

    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise _usage_error(f"{file}: {error.strerror}") from error


def _usage_error(message: str) -> typer.BadParameter:
    return typer.BadParameter(message, param_hint="FILE")
