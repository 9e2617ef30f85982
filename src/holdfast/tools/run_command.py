"""Run a command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from holdfast.guards.commands import Allow, Ask, CommandVerdict, Refuse, argv, judge_command
from holdfast.guards.redact_secret_lines import without_secrets
from holdfast.guards.shell.read_only_commands import without_programs_of_git
from holdfast.tools.arguments import StrictArguments
from holdfast.tools.context import ToolContext, denied, refuse
from holdfast.tools.ports import CommandDone
from holdfast.tools.text_limits import clean
from holdfast.tools.tool import Tool
from holdfast.vocab.cancellation import Cancel
from holdfast.vocab.events import CommandRan
from holdfast.vocab.tool_outcome import ToolOutcome


class RunCommandTool(StrictArguments):
    """A command line, and how many seconds it may take."""

    command: str
    timeout: int | None = None


def run_command(asked: RunCommandTool, bench: ToolContext, cancel: Cancel) -> ToolOutcome:
    """Judge the command, ask if somebody must be asked, run it, and look what it changed."""
    command = asked.command.strip()
    if not command or "\0" in command:
        return ToolOutcome(
            "run_command: command is empty, or holds a NUL; give a command line.", "schema_reject"
        )
    judged = judge_command(command, bench.policy.rules)
    refused = _refuse(judged, command, bench)
    if refused is not None:
        return refused
    seconds = max(1, min(asked.timeout or bench.policy.timeout, bench.policy.longest_timeout))
    bench.before_command()
    words = without_programs_of_git(argv(command)) if isinstance(judged, Allow) else argv(command)
    done = bench.ports.commands.run(words, bench.ports.root, seconds, cancel)
    bench.after_command()
    # Who was asked has seen what the command reads; one that ran unasked may have come upon a secret by the way.
    output, hidden = (
        without_secrets(done.output) if isinstance(judged, Allow) else (done.output, ())
    )
    return _told(command, replace(done, output=output), seconds, hidden)


def _refuse(judged: CommandVerdict, command: str, bench: ToolContext) -> ToolOutcome | None:
    match judged:
        case Allow():
            return None
        case Ask(why):
            return refuse(bench.ports.gate.ask("command", command, why), command)
        case Refuse(message):
            return denied(message)
        case _:
            assert_never(judged)


def _told(command: str, done: CommandDone, seconds: int, hidden: Sequence[str]) -> ToolOutcome:
    output = clean(done.output).strip("\n")
    if hidden:
        names = ", ".join(clean(name) for name in hidden[:5])
        output = f"{output}\n[Lines of {names} are left out: it may hold secrets. read_file asks for it.]".lstrip(
            "\n"
        )
    left = "\nProcesses it had left in the background were ended." if done.left else ""
    text = f"{_end(done, seconds)}{left}\n{output or '(no output)'}"
    event = CommandRan(command, done.exit_code, output)
    return ToolOutcome(text, "exec_error" if done.timed_out else None, events=(event,))


def _end(done: CommandDone, seconds: int) -> str:
    if done.cancelled:
        return "Cancelled by the user before it had ended."
    if done.timed_out:
        cure = "give a longer timeout, or do less at once"
        return f"Ended by the time limit of {seconds} s; {cure}."
    return f"Ended by {done.signal}." if done.exit_code is None else f"Exit code {done.exit_code}."


TOOL = Tool("run_command", RunCommandTool, run_command, changes=True)
