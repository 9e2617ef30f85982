"""Approvals on a terminal."""

from __future__ import annotations

import select
import sys

import typer

from holdfast.cli.render.text import diff_colour, text_if, write
from holdfast.usecases.turns.approvals import ApprovalAnswer
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.events import ApprovalAsked

_QUESTIONS = {
    "protected": "Allow this edit",
    "trust": "Trust this until it changes",
}
_WITH_DIFF = {"edit", "protected", "trust"}
_WORDS: dict[ApprovalAnswer, tuple[str, ...]] = {
    "once": ("y", "yes", "o", "once"),
    "session": ("s", "session"),
    "always": ("a", "always"),
    "deny": ("n", "no", "d", "deny"),
}


class TerminalAsker:
    """Asks the user on a terminal (port `Asker`)."""

    def ask(self, asked: ApprovalAsked, cancel: Cancel) -> ApprovalAnswer:
        """Ask until there is an answer; the end of the input, or a cancel, means no."""
        can_allow_always = asked.what == "command"
        always = text_if(can_allow_always, "a: always this command, ")
        self._show(asked)
        choices = f"y: once, s: for this session, {always}n: no"
        if asked.what == "trust":
            choices = "y: yes, n: no"
        question = _QUESTIONS.get(asked.what, f"Allow this {asked.what}")
        while True:
            sys.stdout.write(f"{question}? ({choices}) ")
            sys.stdout.flush()
            line = self._wait_for_line(cancel)
            if not line:
                return "deny"
            answer = _parse(line)
            if answer == "always" and not can_allow_always:
                continue
            if answer is not None:
                return answer

    def _show(self, asked: ApprovalAsked) -> None:
        typer.echo()
        for line in asked.why.split("\n"):
            colour: str | None = "yellow"
            if asked.what in _WITH_DIFF:
                colour = diff_colour(line)
            write(line, colour)
        write(f"  {asked.subject}", bold=True)

    def _wait_for_line(self, cancel: Cancel) -> str:
        # Not readline alone: a signal does not end it, and the turn could not be cancelled here.
        while not cancel.is_set():
            if select.select([sys.stdin], [], [], 0.1)[0]:
                return sys.stdin.readline()
        return ""


def _parse(line: str) -> ApprovalAnswer | None:
    word = line.strip().lower()
    for answer, words in _WORDS.items():
        if word in words:
            return answer
    return None
