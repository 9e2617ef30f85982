"""Asks the person at the terminal whether something may be done."""

from __future__ import annotations

import os
import select
import sys
from typing import TYPE_CHECKING

import typer

from holdfast.cli.render.text import diff_colour, plain

if TYPE_CHECKING:
    from threading import Event

    from holdfast.usecases.turns.approvals import ApprovalAnswer
    from holdfast.vocab.events import ApprovalAsked

_WORDS: dict[ApprovalAnswer, tuple[str, ...]] = {
    "once": ("y", "yes", "o", "once"),
    "session": ("s", "session"),
    "always": ("a", "always"),
    "deny": ("n", "no", "d", "deny"),
}
_ANSWERS: dict[str, ApprovalAnswer] = {
    word: answer for answer, words in _WORDS.items() for word in words
}


class TerminalAsker:
    """Asks on a terminal (port `Asker`)."""

    def __init__(self, cancel: Event) -> None:
        """Stop waiting when the turn is cancelled."""
        self._cancel = cancel

    def ask(self, asked: ApprovalAsked) -> ApprovalAnswer:
        """Ask until there is an answer; the end of the input, or a cancel, is a no."""
        always = asked.what == "command"
        coloured = False if os.environ.get("NO_COLOR") else None
        typer.echo()
        for line in plain(asked.why).split("\n"):
            typer.secho(
                line, fg=diff_colour(line) if asked.what == "edit" else "yellow", color=coloured
            )
        typer.secho(f"  {plain(asked.subject)}", bold=True, color=coloured)
        choices = (
            "y: once, s: for this session, "
            + ("a: always this command, " if always else "")
            + "n: no"
        )
        while True:
            sys.stdout.write(f"Allow this {asked.what}? ({choices}) ")
            sys.stdout.flush()
            line = self._wait_for_line()
            if not line:
                return "deny"
            answer = _ANSWERS.get(line.strip().lower())
            if answer is not None and (always or answer != "always"):
                return answer

    def _wait_for_line(self) -> str:
        # Not readline alone: a signal does not end it, and the turn could not be cancelled here.
        while not self._cancel.is_set():
            if select.select([sys.stdin], [], [], 0.1)[0]:
                return sys.stdin.readline()
        return ""
