"""Tool: run a command."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from holdfast.guards.commands import Allow, AllowRead, Ask, Refuse, argv, judge_command, runs_git
from holdfast.guards.shell.plain_git import shows_contents_as_they_are
from holdfast.guards.tokens import MARK, remove_tokens
from holdfast.tools.arguments import StrictArguments
from holdfast.tools.commands.plan_read import PlannedRead, names_secrets, plan_read
from holdfast.tools.commands.sandbox_gaps import runs_unattended, sandbox_gaps
from holdfast.tools.context import ToolContext, denied, refuse
from holdfast.tools.text_limits import clean, name_first
from holdfast.tools.tool import Tool
from holdfast.vocab.events import CommandRan
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.tool_outcome import ToolOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.tools.ports import CommandDone
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.events import Event
    from holdfast.vocab.sandbox import GitAccess, SandboxLevel
    from holdfast.vocab.tool_calls import FailureKind

_NAMED = 10
"""How many of the files that a command changed its answer names."""
_NETWORK = "with access to the network"
_UNATTENDED = "this may print secrets and nobody is there to allow it; do without it."
_GIT_CURE = "run git alone, without a shell and with common options, or do without it."
_NO_SANDBOX = (
    "no sandbox works here and nobody is there to allow this; the user can, by --sandbox off."
)
_WEAK_SANDBOX_CURE = 'accept what is not protected with weak_sandbox = "run" in their own settings'
_WITHHELD = (
    "(The output is not shown: the history is too long to search it for values of files with "
    "secrets, and nobody is there to allow it.)"
)
_HUNK = lazy_pattern(r"^(.*?@{2,70} [-+,\d ]+ @{2,70}) .*$", re.MULTILINE)
"""The first line of a hunk, with a line of the file as its heading, of which git cuts the end."""
_OUTSIDE = "outside the sandbox, with all that you may read and write"


class RunCommandTool(StrictArguments):
    """A command line, its time limit in seconds, and what it may reach beyond the project."""

    command: str
    timeout: int | None = None
    access: Literal["project", "network", "all"] | None = None


@dataclass(frozen=True, slots=True)
class _Run:
    """The words to execute, and what the process may do; `gaps` is what it should not, but can."""

    words: tuple[str, ...]
    level: SandboxLevel
    gaps: tuple[str, ...] = ()
    network: bool = False
    git: GitAccess = "read"


def run_command(arguments: RunCommandTool, context: ToolContext, cancel: Cancel) -> ToolOutcome:
    """Judge the command, ask for approval if needed, run it, and record what it changed."""
    command = arguments.command.strip()
    if not command or "\0" in command:
        message = "run_command: command is empty, or contains a NUL; send a command line."
        return ToolOutcome(message, "schema_reject")

    run = _plan(command, arguments.access or "project", context)
    if isinstance(run, ToolOutcome):
        return run

    policy = context.policy
    seconds = max(1, min(arguments.timeout or policy.timeout, policy.longest_timeout))
    if policy.unattended and run.gaps:
        # The command may give the files with secrets other names.
        context.ports.reads.secret_values()

    done, seen = _run(run, seconds, context, cancel)
    note = ""
    if not run.gaps and run.level == "write":
        note = _note_of_masked(run.words)

    if policy.unattended and (run.gaps or run.git == "write"):
        # The sandbox cannot mask files there, nor what git has of them, and nobody has approved
        # that they are read.
        done = replace(done, output=_without_values(done.output, context, git=run.git == "write"))

    return _outcome(command, done, seconds, note, seen)


def _plan(
    command: str, access: Literal["project", "network", "all"], context: ToolContext
) -> _Run | ToolOutcome:
    """Return how to run the command, after asking for approval; or the refusal."""
    verdict = judge_command(command, context.policy.rules)
    if isinstance(verdict, Refuse):
        return denied(verdict.message)

    words = argv(command)
    if access == "all":
        refused = _ask_more(command, _OUTSIDE, "--sandbox off", context)
        return refused or _Run(words, "full", _gaps(context))
    if access == "network" and not context.policy.network:
        gaps = _gaps(context, network=True)
        refused = _ask_more(command, _NETWORK, 'network = "on" in your own settings', context, gaps)
        git = _git_access(command, context)
        return refused or _Run(words, "write", gaps, network=True, git=git)

    return _plan_in_project(command, verdict, context)


def _plan_in_project(
    command: str, verdict: Allow | AllowRead | Ask, context: ToolContext
) -> _Run | ToolOutcome:
    """Return how to run a command that needs nothing beyond the project; or the refusal."""
    if isinstance(verdict, AllowRead):
        planned = plan_read(verdict.command, context)
        if isinstance(planned, PlannedRead):
            gaps = sandbox_gaps(context.ports.commands.sandbox, "write")
            return _Run(planned.argv, "read", gaps, git=planned.git)
        verdict = planned

    words, network = argv(command), context.policy.network
    gaps = _gaps(context, network=network)
    if isinstance(verdict, Ask):
        refused = None
        if context.policy.unattended:
            refused = _refuse_unattended(command, words, gaps, context)
        refused = refused or _ask(command, verdict.why, gaps, context)
        if refused is not None:
            return refused

    return _Run(words, "write", gaps, network, _git_access(command, context))


def _gaps(context: ToolContext, *, network: bool = False) -> tuple[str, ...]:
    """Return what a command in the level `write` can do here although it should not."""
    gaps = sandbox_gaps(context.ports.commands.sandbox, "write", network=network)
    if gaps:
        return gaps
    unmasked = context.ports.reads.why_not_files()
    if unmasked is None:
        return ()
    return (unmasked,)


def _ask(command: str, why: str, gaps: Sequence[str], context: ToolContext) -> ToolOutcome | None:
    """Ask for a command in the level `write`; return the refusal, or None.

    An unattended command is asked for as well, where the sandbox cannot enforce that level.
    """
    policy, gate = context.policy, context.ports.gate
    sandbox = context.ports.commands.sandbox
    why = "; ".join((why, *gaps))
    if policy.unattended and not runs_unattended(sandbox, gaps, weak=policy.weak_sandbox):
        answer = gate.ask("command", command, why, in_auto=True)
        cure = _WEAK_SANDBOX_CURE
        if sandbox.kind == "landlock":
            cure = f"install bubblewrap, or {cure}"
        return refuse(answer, command, f"; the user can {cure}")
    return refuse(gate.ask("command", command, why), command)


def _refuse_unattended(
    command: str, words: Sequence[str], gaps: Sequence[str], context: ToolContext
) -> ToolOutcome | None:
    """Return the refusal of what only a person may allow, or None."""
    sandbox = context.ports.commands.sandbox
    if sandbox.kind == "none" and not sandbox.switched_off:
        return denied(f"{command}: {_NO_SANDBOX}")
    if names_secrets(words) and (gaps or runs_git(command)):
        return denied(f"{command}: {_UNATTENDED}")
    if runs_git(command) and not shows_contents_as_they_are(command):
        why = context.ports.reads.why_not_git("history")
        if why is not None:
            return denied(f"{command}: {why}, and nobody is there to allow it; {_GIT_CURE}")
    return None


def _git_access(command: str, context: ToolContext) -> GitAccess:
    """Return what a command in `write` may do with the git directory.

    Where git has files with secrets, an unattended command that is none of git does not see what
    git has: it could print that in another form.
    """
    if runs_git(command):
        return "write"
    if context.policy.unattended and context.ports.reads.why_not_git("history") is not None:
        return "hidden"
    return "read"


def _ask_more(
    command: str, what: str, cure: str, context: ToolContext, gaps: Sequence[str] = ()
) -> ToolOutcome | None:
    """Ask for a command that reaches beyond the project; return the refusal, or None."""
    if context.policy.unattended:
        if what == _OUTSIDE and context.ports.commands.sandbox.switched_off:
            return None
        return denied(f"{command}: nobody is there to allow this {what}; the user can, by {cure}.")

    # Not asked for as a command: the text of another one, which is allowed, can be this subject.
    subject = f"{command} ({what})"
    why = "; ".join((f"it runs {what}", *gaps))
    return refuse(context.ports.gate.ask("access", subject, why), command)


def _without_values(output: str, context: ToolContext, *, git: bool) -> str:
    """Return the output without the values of the project's files with secrets."""
    values = context.ports.reads.secret_values(git=git)
    if values is None:
        return _WITHHELD

    if values:
        # The beginning of a value in a heading would not be recognised.
        output = _HUNK.sub(r"\1", output)
    for value in values:
        # Tokens inside of it have been removed before.
        for shown in {value, remove_tokens(value)}:
            output = output.replace(shown, MARK)
    return output


def _note_of_masked(words: Sequence[str]) -> str:
    """Return a note about the files with secrets that the command names, or ""."""
    names = names_secrets(words)
    if not names:
        return ""

    return (
        f"[{', '.join(map(clean, names[:5]))}: this may hold secrets, so commands cannot read it. "
        'Use read_file, which asks for approval, or access="all".]'
    )


@dataclass(frozen=True, slots=True)
class _SeenChanges:
    """The files that a command changed, and the events of these and of changes before it."""

    files: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()


def _run(
    run: _Run, seconds: int, context: ToolContext, cancel: Cancel
) -> tuple[CommandDone, _SeenChanges]:
    """Run a command; unless it can only read, compare the files before and after it."""
    if run.level == "read":
        return _execute(run, seconds, context, cancel), _SeenChanges()
    before = context.before_command()
    done = _execute(run, seconds, context, cancel)
    after = context.after_command()
    return done, _SeenChanges(after.files, before.events + after.events)


def _execute(run: _Run, seconds: int, context: ToolContext, cancel: Cancel) -> CommandDone:
    return context.ports.commands.run(
        run.words,
        run.level,
        cwd=context.ports.root,
        timeout=seconds,
        cancel=cancel,
        network=run.network,
        git=run.git,
    )


def _outcome(
    command: str, done: CommandDone, seconds: int, note: str, seen: _SeenChanges
) -> ToolOutcome:
    output = remove_tokens(clean(done.output)).strip("\n")
    if note:
        output = f"{output}\n{note}".lstrip("\n")

    ending = _describe_end(done, seconds)
    if done.blocked:
        ending += f"\n{done.blocked}"

    if done.left:
        ending += "\nProcesses it had left in the background were ended."

    if seen.files:
        names = [clean(path) for path in seen.files]
        ending += f"\nIt changed {name_first(names, _NAMED, 'file')}."

    text = f"{ending}\n{output or '(no output)'}"
    events = (*seen.events, CommandRan(command, done.exit_code, output))
    failure: FailureKind | None = None
    if done.timed_out:
        failure = "exec_error"

    return ToolOutcome(text, failure, modified=seen.files, events=events)


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
