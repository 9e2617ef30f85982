"""A long text in the user's pager."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import termios
from contextlib import suppress
from typing import TYPE_CHECKING

from holdfast.cli.render.text import write

if TYPE_CHECKING:
    from holdfast.vocab.cancellation import Cancel

_TICK = 0.1


def show_in_pager(text: str, less: str | None, over: Cancel) -> None:
    """Show a text in $PAGER, else in the program `less`, until the user leaves it or `over` is set.

    Print the text if there is no pager.
    """
    command = _pager(less)
    if command is None:
        write(text)
        return

    # A file, not a pipe: a pager that is left early reads no more of a pipe.
    with tempfile.TemporaryFile() as file:
        file.write(text.encode(errors="backslashreplace"))
        file.seek(0)
        try:
            pager = subprocess.Popen(command, stdin=file)  # noqa: S603 - the user's own choice
        except OSError:
            write(text)
            return
        _wait(pager, over)


def _pager(less: str | None) -> list[str] | None:
    with suppress(ValueError):
        chosen = shlex.split(os.environ.get("PAGER", ""))
        if chosen:
            return chosen

    if less is None:
        return None

    return [less]


def _wait(pager: subprocess.Popen[bytes], over: Cancel) -> None:
    """Wait for the end of the pager, and end it when `over` is set."""
    terminal = termios.tcgetattr(sys.stdin)
    while True:
        try:
            pager.wait(_TICK)
        except subprocess.TimeoutExpired:
            if over.is_set():
                pager.terminate()
                pager.wait()
                # It may not have had the time to do this itself.
                termios.tcsetattr(sys.stdin, termios.TCSADRAIN, terminal)
                return
        else:
            return
