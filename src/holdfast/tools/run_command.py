"""Tool: run a command."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from holdfast.guards.commands import (
    Allow,
    Ask,
    CommandVerdict,
    Refuse,
    argv,
    judge_command,
    only_reads,
)
from holdfast.guards.redact_secret_lines import without_secrets
from holdfast.guards.shell.read_only_commands import without_programs_of_git
from holdfast.tools.arguments import StrictArguments
from holdfast.tools.context import ToolContext, denied, refuse
from holdfast.tools.text_limits import clean, count
from holdfast.tools.tool import Tool
from holdfast.vocab.events import CommandRan
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.tool_outcome import ToolOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.tools.ports import CommandDone
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import Event
    from holdfast.vocab.sandbox import SandboxLevel
    from holdfast.vocab.tool_calls import FailureKind

_NAMED = 10
"""How many of the files that a command changed its answer names."""


class RunCommandTool(StrictArguments):
    """A command line, and its time limit in seconds."""

    command: str
    timeout: int | None = None


def run_command(arguments: RunCommandTool, context: ToolContext, cancel: Cancel) -> ToolOutcome:
    """Judge the command, ask for approval if needed, run it, and record what it changed."""
    command = arguments.command.strip()
    if not command or "\0" in command:
        message = "run_command: command is empty, or contains a NUL; send a command line."
        return ToolOutcome(message, "schema_reject")
    policy = context.policy
    verdict = judge_command(command, policy.rules)
    refused = _refuse(verdict, command, context)
    if refused is not None:
        return refused
    seconds = max(1, min(arguments.timeout or policy.timeout, policy.longest_timeout))
    words = argv(command)
    unasked = isinstance(verdict, Allow)
    if unasked:
        words = without_programs_of_git(words)
    level: SandboxLevel = "read" if unasked else "write"
    looks = not (unasked and only_reads(command))
    done, seen = _run(words, level, seconds, context, cancel, looks=looks)
    hidden: Sequence[str] = ()
    if unasked:
        # The user saw an approved command; an unasked one may have printed a secret by accident.
        output, hidden = without_secrets(done.output)
        done = replace(done, output=output)
    return _outcome(command, done, seconds, hidden, seen)


@dataclass(frozen=True, slots=True)
class _SeenChanges:
    """The files that a command changed, and the events of these and of changes before it."""

    files: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()


def _run(
    words: Sequence[str],
    level: SandboxLevel,
    seconds: int,
    context: ToolContext,
    cancel: Cancel,
    *,
    looks: bool,
) -> tuple[CommandDone, _SeenChanges]:
    """Run a command; with `looks`, compare the files before and after it."""
    ports = context.ports
    run = partial(ports.commands.run, cwd=ports.root, timeout=seconds, cancel=cancel)
    if not looks:
        return run(words, level), _SeenChanges()
    before = context.before_command()
    done = run(words, level)
    after = context.after_command()
    return done, _SeenChanges(after.files, before.events + after.events)


def _refuse(verdict: CommandVerdict, command: str, context: ToolContext) -> ToolOutcome | None:
    match verdict:
        case Allow():
            return None
        case Ask(why):
            answer = context.ports.gate.ask("command", command, why)
            return refuse(answer, command)
        case Refuse(message):
            return denied(message)


def _outcome(
    command: str, done: CommandDone, seconds: int, hidden: Sequence[str], seen: _SeenChanges
) -> ToolOutcome:
    output = clean(done.output).strip("\n")
    if hidden:
        names = ", ".join(map(clean, hidden[:5]))
        note = (
            f"[Lines of {names} are left out: it may contain secrets. "
            "Use read_file, which asks for approval.]"
        )
        output = f"{output}\n{note}".lstrip("\n")
    ending = _describe_end(done, seconds)
    if done.left:
        ending += "\nProcesses it had left in the background were ended."
    if seen.files:
        ending += f"\nIt changed {_names(seen.files)}."
    text = f"{ending}\n{output or '(no output)'}"
    events = (*seen.events, CommandRan(command, done.exit_code, output))
    failure: FailureKind | None = None
    if done.timed_out:
        failure = "exec_error"
    return ToolOutcome(text, failure, modified=seen.files, events=events)


def _names(paths: Sequence[str]) -> str:
    """Return the first paths, and how many more there are."""
    names = ", ".join(map(clean, paths[:_NAMED]))
    more = len(paths) - _NAMED
    if more <= 0:
        return names
    return f"{names} and {count(more, 'more file')}"


def _describe_end(done: CommandDone, seconds: int) -> str:
    if done.cancelled:
        return "Cancelled by the user before it had ended."
    if done.timed_out:
        cure = "set a longer timeout, or do less at once"
        return f"Ended by the time limit of {seconds} s; {cure}."
    if done.exit_code is None:
        return f"Ended by {done.signal}."
    return f"Exit code {done.exit_code}."


TOOL = Tool("run_command", RunCommandTool, run_command, changes=True)
