"""`holdfast run`: one guarded turn."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.options import Root, require_directory
from holdfast.cli.render.text import warn
from holdfast.cli.render.turn import EXIT_CODES, JsonTurn, TerminalTurn
from holdfast.cli.terminal_asker import TerminalAsker
from holdfast.config.settings import BadConfig
from holdfast.landing.encoding import decode
from holdfast.usecases.turns.send_message import NotSent, UserMessage
from holdfast.wiring.settings import settings_at
from holdfast.wiring.turns import run_turn_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.config.settings import Settings


class Approve(StrEnum):
    """What `--approve` takes."""

    auto = "auto"
    ask = "ask"
    review = "review"


def run(
    prompt: Annotated[
        str | None,
        typer.Argument(metavar="PROMPT", help="What is to be done; without it, standard input."),
    ] = None,
    *,
    root: Root = Path(),
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="The model to use.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", metavar="U", help="The server, up to /v1.")
    ] = None,
    approve: Annotated[
        Approve | None,
        typer.Option(
            "--approve",
            help="auto: edits and commands go ahead. ask: you are asked. review: edits wait for `holdfast changes`.",
        ),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Only tools that read.")] = False,
    max_steps: Annotated[
        int | None,
        typer.Option("--max-steps", metavar="N", min=1, help="How often the model may be asked."),
    ] = None,
    go_on: Annotated[
        str | None, typer.Option("--continue", metavar="ID", help="Go on with this session.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a line, and nothing else.")
    ] = False,
) -> None:
    """Have a model work on the project: one turn, guarded, with a checkpoint before it.

    Exit 0: done. 1: failed. 2: wrong usage. 3: needs approval or a login. 10: stopped on mistakes. 11: on a loop.
    12: on the cap. 13: the model cannot be reached. 130: cancelled.
    """
    require_directory(root)
    flags = {
        "model": model,
        "base_url": base_url,
        "approve": approve and approve.value,
        "max_steps": max_steps,
    }
    settings = settings_at(root, flags)
    if isinstance(settings, BadConfig):
        for problem in settings.problems:
            warn(problem)
        raise typer.Exit(2)
    for warning in settings.warnings:
        warn(warning)
    words = _read_prompt(prompt, needed=go_on is None)
    face = JsonTurn() if as_json else TerminalTurn()
    with _cancellable() as cancel:
        asker = TerminalAsker(cancel) if _can_ask(settings, as_json=as_json) else None
        ended = run_turn_at(
            root,
            settings,
            UserMessage(words, go_on, plan=plan),
            show=face.show,
            say=warn,
            asker=asker,
            cancel=cancel,
        )
    if isinstance(ended, NotSent):
        face.show_not_sent(ended)
    raise typer.Exit(EXIT_CODES[ended.stop_reason])


def _read_prompt(prompt: str | None, *, needed: bool) -> str | None:
    if prompt is not None and prompt != "-":
        if not prompt.strip():
            raise typer.BadParameter(
                "the prompt is empty; say what is to be done.", param_hint="PROMPT"
            )
        return prompt
    if prompt is None and (not needed or sys.stdin is None or sys.stdin.isatty()):
        if needed:
            raise typer.BadParameter(
                "give a prompt, or pipe it into standard input.", param_hint="PROMPT"
            )
        return None

    text = decode(sys.stdin.buffer.read()).text.strip() if sys.stdin else ""
    if not text:
        raise typer.BadParameter("standard input is empty; give a prompt.", param_hint="PROMPT")
    return text


def _can_ask(settings: Settings, *, as_json: bool) -> bool:
    """Whether somebody is there to answer: never without a terminal, and never in between JSON."""
    there = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    return there and not as_json and settings["approve"] != "auto"


@contextmanager
def _cancellable() -> Iterator[threading.Event]:
    """Give an event that Ctrl-C, a polite kill, or a terminal that closes, sets; the second one ends the process."""
    cancel = threading.Event()

    def ask_to_stop(number: int, _: object) -> None:
        if cancel.is_set():
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        cancel.set()

    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        # Else `nohup` has started us.
        numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, ask_to_stop) for number in numbers}
    try:
        yield cancel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
