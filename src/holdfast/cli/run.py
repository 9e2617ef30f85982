"""`holdfast run`: one guarded turn."""

from __future__ import annotations

import os
import select
import signal
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from holdfast.cli.agents.options import TransportOption, TransportValue, name_of
from holdfast.cli.approvals.remote_asker import RemoteAsker
from holdfast.cli.approvals.terminal_asker import TerminalAsker
from holdfast.cli.lazy_group import QuickCommand
from holdfast.cli.options import (
    Approve,
    Root,
    SandboxOption,
    Trust,
    is_root_named,
    require_state_outside,
)
from holdfast.cli.render.text import warn
from holdfast.cli.render.turn import EXIT_CODES, JsonTurn, QuietTurn, TerminalTurn
from holdfast.cli.settings import read_settings_or_exit
from holdfast.cli.trust.question import ask_to_trust
from holdfast.config.settings import Settings
from holdfast.landing.encoding import decode
from holdfast.usecases.sessions.session import SessionRefused
from holdfast.usecases.turns.approvals import Asker
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.usecases.turns.send_message import UserMessage
from holdfast.wiring.agents.requests import OURS, AgentTurnRequest, WorkPlace, agent_of_session
from holdfast.wiring.trust import find_less, server_of, trust_at
from holdfast.wiring.turns import root_of_session, run_turn_at

if TYPE_CHECKING:
    from holdfast.vocab.events import TurnEnded

_LARGEST_INPUT = 4_000_000
_PATIENCE = 10
"""How many seconds the first byte of standard input may take, where there is a prompt as well."""


def run(
    prompt: Annotated[
        str | None,
        typer.Argument(metavar="PROMPT", help="The task; without it, standard input."),
    ] = None,
    *,
    context: typer.Context,
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
            help="auto: run edits and commands. ask: ask you first. "
            "review: leave edits to `holdfast changes`.",
        ),
    ] = None,
    sandbox: SandboxOption = None,
    plan: Annotated[bool, typer.Option("--plan", help="Only tools that read.")] = False,
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="NAME", help="Let this external agent do the work."),
    ] = None,
    transport: TransportOption = None,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="The agent works on the project's own files.")
    ] = False,
    worktree: Annotated[
        bool, typer.Option("--worktree", help="The agent works in a worktree (default with git).")
    ] = False,
    with_changes: Annotated[
        bool, typer.Option("--with-changes", help="The worktree gets your uncommitted work too.")
    ] = False,
    max_steps: Annotated[
        int | None,
        typer.Option("--max-steps", metavar="N", min=1, help="At most this many model calls."),
    ] = None,
    trust: Trust = False,
    go_on: Annotated[
        str | None,
        typer.Option(
            "--continue", metavar="[ID]", help="Continue this session; without ID, the last here."
        ),
    ] = None,
    wait_for_approval: Annotated[
        bool,
        typer.Option(
            "--wait-for-approval",
            help="Without a terminal, wait for `holdfast approvals answer`.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object a line, and nothing else.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the answer, and nothing but problems.")
    ] = False,
) -> None:
    """Run one agent turn on this project. A checkpoint is taken first.

    Exit 0: done. 1: failed. 2: wrong usage. 3: needs approval or a login. 10: stopped on mistakes.
    11: on a loop. 12: on the step limit. 13: the model cannot be reached. 130: cancelled.
    """
    flags = {
        "model": model,
        "base_url": base_url,
        "approve": approve and approve.value,
        "sandbox": sandbox and sandbox.value,
        "max_steps": max_steps,
    }
    output = _output(as_json=as_json, quiet=quiet)
    if go_on is not None and not go_on:
        go_on = _last_session(root, output)

    chosen = _AgentFlags(agent, transport, in_place, worktree, with_changes)
    external = _external_agent(root, chosen, go_on, plan=plan)
    if external is None and go_on is not None and not is_root_named(context):
        root = _root_of_session(root, go_on, output)

    settings = read_settings_or_exit(root, flags)
    words = _read_prompt(prompt, needed=go_on is None)
    if external is None and not trust and _can_ask(settings, as_json=as_json):
        _ask_for_server(root, settings)

    with _cancellable() as cancel:
        asker: Asker | None = None
        if _has_terminal(as_json=as_json):
            asker = TerminalAsker(find_less(root))
        elif wait_for_approval:
            asker = RemoteAsker()
        face: dict[str, Any] = {"show": output.show, "say": warn, "asker": asker, "cancel": cancel}
        if external is None:
            message = UserMessage(words, go_on, plan=plan)
            ended = run_turn_at(root, settings, message, **face, trust_all=trust)
        else:
            ended = _run_agent(root, settings, chosen.request(words, external, go_on), face)

    if isinstance(ended, NotSent):
        output.show_not_sent(ended)

    raise typer.Exit(EXIT_CODES[ended.stop_reason])


class RunCommand(QuickCommand):
    """`holdfast run`, whose `--continue` may stand without an ID."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; a word that follows `--continue` is its ID, a sentence is not."""
        return list(super().parse_args(ctx, [*map(_with_value, args, [*args[1:], ""])]))


def _with_value(word: str, after: str) -> str:
    """Return `--continue` with an empty value where no ID follows."""
    is_id = after and not after.startswith("-") and not any(map(str.isspace, after))
    return f"{word}=" if word == "--continue" and not is_id else word


run.command_class = RunCommand  # type: ignore[attr-defined]  # read by `lazy_group`


def _last_session(root: Path, output: JsonTurn | QuietTurn | TerminalTurn) -> str:
    """Return the last session here, or print why there is none and exit."""
    from holdfast.wiring.sessions import last_session_at  # noqa: PLC0415 - most turns do without

    found = last_session_at(root)
    if isinstance(found, SessionRefused):
        output.show_not_sent(NotSent(found.message))
        raise typer.Exit(EXIT_CODES["failed"])

    return found


class _AgentFlags(NamedTuple):
    """The flags about an external agent."""

    agent: str | None
    transport: TransportValue | None
    in_place: bool
    worktree: bool
    with_changes: bool

    def request(self, prompt: str | None, agent: str, session: str | None) -> AgentTurnRequest:
        """Return the turn that these flags ask for."""
        place: WorkPlace = "default"
        if self.in_place:
            place = "in_place"
        elif self.worktree or self.with_changes:
            place = "worktree"

        transport = name_of(self.transport)
        return AgentTurnRequest(prompt, agent, transport, session, place, self.with_changes)


def _external_agent(root: Path, flags: _AgentFlags, go_on: str | None, *, plan: bool) -> str | None:
    """Return the external agent of the turn; None for Holdfast's own model.

    Raise a usage error if the flags contradict each other.
    """
    agent = flags.agent
    if agent is None and go_on is not None:
        agent = agent_of_session(root, go_on)

    if flags.in_place and (flags.worktree or flags.with_changes):
        message = "use --in-place, or --worktree and --with-changes, not both."
        raise typer.BadParameter(message, param_hint="--in-place")
    if agent not in {None, OURS}:
        if plan:
            message = "an external agent cannot be kept from writing; leave --plan out."
            raise typer.BadParameter(message, param_hint="--plan")
        return agent
    if any(flags[1:]):
        message = "--transport, --in-place, --worktree and --with-changes are for --agent NAME."
        raise typer.BadParameter(message, param_hint="--agent")

    return None


def _run_agent(
    root: Path, settings: Settings, request: AgentTurnRequest, face: dict[str, Any]
) -> TurnEnded | NotSent:
    from holdfast.wiring.agents.turns import run_agent_turn_at  # noqa: PLC0415 - a turn of our own does without
    from holdfast.wiring.agents.warm import close_agents  # noqa: PLC0415 - as above

    try:
        setup_asker = face["asker"] if isinstance(face["asker"], TerminalAsker) else None
        return run_agent_turn_at(root, settings, request, **face, setup_asker=setup_asker)
    finally:
        close_agents()


def _ask_for_server(root: Path, settings: Settings) -> None:
    """Ask whether the server that only the project's file names may be used, once.

    Without a yes the turn is refused.
    """
    project = trust_at(root)
    judged = project.untrusted(server_of(settings))
    if not judged or not ask_to_trust(judged):
        return

    try:
        project.accept(judged)
    except OSError as error:
        warn(f"{error.filename}: {error.strerror}; what you trust is not remembered.")


def _output(*, as_json: bool, quiet: bool) -> JsonTurn | QuietTurn | TerminalTurn:
    """Return what shows the turn. In a pipe or a file the answer is alone on standard output."""
    if as_json and quiet:
        raise typer.BadParameter("use --json or --quiet, not both.", param_hint="--quiet")
    if as_json:
        return JsonTurn()
    if quiet:
        return QuietTurn()

    return TerminalTurn(answer_apart=not sys.stdout.isatty())


def _root_of_session(root: Path, session: str, output: JsonTurn | QuietTurn | TerminalTurn) -> Path:
    """Return the root of a session's worktree, or print why there is none and exit."""
    found = root_of_session(root, session, warn)
    if isinstance(found, NotSent):
        output.show_not_sent(found)
        raise typer.Exit(EXIT_CODES[found.stop_reason])
    require_state_outside(found)
    return found


def _read_prompt(prompt: str | None, *, needed: bool) -> str | None:
    """Return the prompt of the command line with what is piped in; None if none is needed."""
    if prompt is None:
        if not needed:
            return None
        if sys.stdin is None or sys.stdin.isatty():
            raise _usage_error("write a prompt, or pipe it into standard input.")
        prompt = "-"

    if prompt == "-":
        text = _read_standard_input()
        if not text:
            raise _usage_error("standard input is empty; write a prompt.")
        return text
    if not prompt.strip():
        raise _usage_error("the prompt is empty; write what to do.")

    piped = ""
    if _is_piped():
        piped = _read_standard_input()

    if not piped:
        return prompt

    return f"{prompt}\n\n{piped}"


def _is_piped() -> bool:
    """Return whether text comes from a pipe or a file on standard input.

    A pipe may have been left open by whatever started this, and never end: where nothing comes for
    a while, it is left out, and that is said.
    """
    if sys.stdin is None or sys.stdin.closed:
        return False

    try:
        number = sys.stdin.fileno()
        mode = os.fstat(number).st_mode
    except (OSError, ValueError):
        # No file behind it: the standard input of a test.
        return not sys.stdin.isatty()

    if stat.S_ISREG(mode):
        return True
    if not stat.S_ISFIFO(mode) and not stat.S_ISSOCK(mode):
        return False

    begun, _, _ = select.select([number], [], [], _PATIENCE)
    if not begun:
        warn(
            f"nothing came from standard input in {_PATIENCE} s, and it is left out of the prompt; "
            "save slow output to a file first, or add </dev/null to skip the wait."
        )

    return bool(begun)


def _read_standard_input() -> str:
    if not sys.stdin:
        return ""

    data = sys.stdin.buffer.read(_LARGEST_INPUT + 1)
    if len(data) > _LARGEST_INPUT:
        most = _LARGEST_INPUT // 1_000_000
        message = f"standard input has more than {most} MB; save it to a file, and name the file."
        raise _usage_error(message)

    return decode(data).text.strip()


def _usage_error(message: str) -> typer.BadParameter:
    return typer.BadParameter(message, param_hint="PROMPT")


def _can_ask(settings: Settings, *, as_json: bool) -> bool:
    """Return whether the user can be asked, and wants to be."""
    return settings["approve"] != "auto" and _has_terminal(as_json=as_json)


def _has_terminal(*, as_json: bool) -> bool:
    """Return whether a user is at a terminal; never between JSON."""
    if as_json:
        return False
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    return sys.stdout.isatty()


@contextmanager
def _cancellable() -> Iterator[threading.Event]:
    """Return an event that SIGINT, SIGTERM or SIGHUP sets; the second signal ends the process."""
    cancel = threading.Event()

    def stop(number: int, _: object) -> None:
        if cancel.is_set():
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        cancel.set()

    numbers = [signal.SIGINT, signal.SIGTERM]
    # Under `nohup` this signal is ignored, and stays so.
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)

    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield cancel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
