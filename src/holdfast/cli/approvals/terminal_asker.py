"""Approvals on a terminal."""

from __future__ import annotations

import os
import select
import sys
import termios
from typing import TYPE_CHECKING

import typer

from holdfast.cli.approvals.pager import show_in_pager
from holdfast.cli.render.text import count_of, diff_colour, plain, text_if, write
from holdfast.usecases.approvals.answer import PersonsAnswer

if TYPE_CHECKING:
    from holdfast.usecases.turns.approvals import Question
    from holdfast.vocab.approvals import ApprovalAnswer
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import ApprovalGiven

_WORDS: dict[ApprovalAnswer, tuple[str, ...]] = {
    "once": ("y", "yes", "o", "once"),
    "session": ("s", "session"),
    "always": ("a", "always"),
    "deny": ("n", "no", "d", "deny"),
}
_VIEW = ("v", "view")
_QUESTIONS = {
    "protected": "Allow this edit",
    "trust": "Trust this until it changes",
}
_WITH_DIFF = {"edit", "protected", "trust"}
_TICK = 0.1
_LINE = 4_096
_LINES_SHOWN = 400
"""How many lines of a diff are printed with the question; `v` shows all."""


class _Over(Exception):  # noqa: N818 - not an error
    """The turn was cancelled, or the question was answered elsewhere."""


class TerminalAsker:
    """Asks the user on a terminal (port `Asker`)."""

    def __init__(self, less: str | None) -> None:
        """Set the program `less`, which shows long texts if the user has chosen no other."""
        self._less = less

    def ask(self, question: Question, over: Cancel) -> PersonsAnswer | None:
        """Ask until there is an answer; the end of the input means no."""
        _show(question)
        # What was typed before the question was shown is no answer to it.
        _discard_typed()
        try:
            return self._ask(question, over)
        except _Over:
            # The prompt has no line end yet.
            typer.echo()
            return None

    def show_other_answer(self, given: ApprovalGiven) -> None:
        """Print what was answered elsewhere."""
        reason = text_if(given.reason, f" ({given.reason})")
        write(f"  answered elsewhere: {given.answer}{reason}", "yellow")

    def _ask(self, question: Question, over: Cancel) -> PersonsAnswer:
        prompt = _prompt(question)
        while True:
            line = _read_line(prompt, over)
            if not line:
                return PersonsAnswer("deny")
            word, _, rest = line.strip().partition(" ")
            if word.lower() in _VIEW:
                show_in_pager(_whole(question), self._less, over)
                _discard_typed()
                continue
            said = self._parse(word.lower(), rest.strip(), question, over)
            if said is not None:
                return said

    def _parse(
        self, word: str, rest: str, question: Question, over: Cancel
    ) -> PersonsAnswer | None:
        """Return the answer, or None if the user is to be asked again."""
        answer = _answer(word)
        if answer == "deny":
            return PersonsAnswer("deny", rest)
        if answer is None or rest or answer not in question.asked.options:
            return None
        if answer == "always" and question.rule is not None:
            return _ask_what_is_always(question.rule, over)

        return PersonsAnswer(answer)


def _prompt(question: Question) -> str:
    """Return the question with its choices."""
    asked = question.asked
    session = text_if("session" in asked.options, "s: for this session, ")
    always = text_if("always" in asked.options, "a: always, ")
    once = "once"
    if asked.what == "trust":
        once = "yes"

    allow = _QUESTIONS.get(asked.what, f"Allow this {asked.what}")
    return f"{allow}? (y: {once}, {session}{always}v: view all, n [REASON]: no) "


def _ask_what_is_always(rule: str, over: Cancel) -> PersonsAnswer | None:
    """Ask whether only this command is always allowed, or all of a rule; None for neither."""
    words = plain(rule.removesuffix("*"))
    line = _read_line(f"Always allow 1: exactly this command, 2: {words}… (1, 2) ", over)
    match line.strip():
        case "1":
            return PersonsAnswer("always")
        case "2":
            return PersonsAnswer("always", by_rule=True)
        case _:
            return None


def _answer(word: str) -> ApprovalAnswer | None:
    for answer, words in _WORDS.items():
        if word in words:
            return answer
    return None


def _show(question: Question) -> None:
    typer.echo()
    lines = question.whole.removesuffix("\n").split("\n")
    for line in lines[:_LINES_SHOWN]:
        colour: str | None = "yellow"
        if question.asked.what in _WITH_DIFF:
            colour = diff_colour(line)
        write(line, colour)

    if len(lines) > _LINES_SHOWN:
        more = count_of(len(lines) - _LINES_SHOWN, "more line")
        write(f"… {more}, not shown here: v shows all of them", "yellow", bold=True)

    write(f"  {question.asked.subject}", bold=True)


def _whole(question: Question) -> str:
    """Return all that the question is about."""
    return plain(f"{question.whole.removesuffix(chr(10))}\n\n{question.asked.subject}\n")


def _read_line(prompt: str, over: Cancel) -> str:
    """Return the next line that is typed, "" at the end of the input; raise `_Over`."""
    sys.stdout.write(prompt)
    sys.stdout.flush()
    keyboard = sys.stdin.fileno()
    # Not readline alone: a signal does not end it, and the turn could not be cancelled here. Not
    # `sys.stdin`: what its buffer has cannot be discarded.
    while not over.is_set():
        if select.select([keyboard], [], [], _TICK)[0]:
            return os.read(keyboard, _LINE).decode(errors="replace")

    raise _Over


def _discard_typed() -> None:
    """Forget what was typed and not yet read."""
    sys.stdout.flush()
    termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
