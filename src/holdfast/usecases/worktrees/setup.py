"""The command that a project has run once in a new worktree: judged, approved, and run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.guards.command_prefix import prefix_rule
from holdfast.guards.commands import Allow, Ask, Refuse, argv, judge_command, runs_git
from holdfast.tools.commands.sandbox_gaps import runs_unattended, sandbox_gaps
from holdfast.usecases.approvals.answer import OPTIONS
from holdfast.usecases.events.ports import EventsUnavailable
from holdfast.usecases.redaction import redact
from holdfast.usecases.turns.approvals import Question
from holdfast.usecases.worktrees.ports import SetupOutcome
from holdfast.vocab.events import ApprovalAsked, CommandRan
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.owned_event import OwnedEvent

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.guards.commands import CommandRules
    from holdfast.tools.ports import Commands
    from holdfast.usecases.approvals.ports import CommandGrants
    from holdfast.usecases.events.ports import EventLog
    from holdfast.usecases.turns.approvals import Asker
    from holdfast.usecases.worktrees.session_worktree import SessionWorktree

_WHY = "the project's [worktree] setup runs it in the new worktree"


@dataclass(frozen=True, slots=True)
class NeverCancelled:
    """A question that only its answer ends."""

    def is_set(self) -> bool:
        """Return False."""
        return False


@dataclass(frozen=True, slots=True)
class ProjectSetup:
    """The setup command of a project (port `SetupCommand`).

    `commands_at` returns what runs commands in the worktree at a path. `unattended`: nobody is
    asked, and everything that the rules do not refuse runs in the sandbox; where that leaves gaps,
    only if `weak_sandbox` accepts them.
    """

    command: str
    rules: CommandRules
    grants: CommandGrants
    asker: Asker | None
    commands_at: Callable[[str], Commands]
    events: EventLog
    timeout: float
    network: bool = False
    unattended: bool = False
    weak_sandbox: bool = False
    secrets: tuple[str, ...] = ()

    def run(self, worktree: SessionWorktree) -> SetupOutcome:
        """Judge the command, ask for approval if needed, and run it in the worktree."""
        commands = self.commands_at(worktree.path)
        denied = self._why_denied(commands)
        if denied is not None:
            return SetupOutcome(self.command, None, why=denied)

        done = commands.run(
            argv(self.command),
            "write",
            cwd=worktree.path,
            timeout=self.timeout,
            cancel=NeverCancelled(),
            network=self.network,
            git="write" if runs_git(self.command) else "read",
        )
        why = done.blocked
        if done.timed_out:
            why = f"it was ended after {self.timeout:.0f} seconds"

        ran = CommandRan(self.command, done.exit_code, redact(done.output, self.secrets))
        try:
            self.events.publish([OwnedEvent(ran, worktree.session)])
        except EventsUnavailable as error:
            why = f"{why} {error}".strip()

        return SetupOutcome(self.command, done.exit_code, done.output, why)

    def _why_denied(self, commands: Commands) -> str | None:
        """Return why the command must not run, after asking for approval; None if it may."""
        verdict = judge_command(self.command, self.rules)
        if isinstance(verdict, Refuse):
            return verdict.message
        if isinstance(verdict, Allow) or self.grants.has(self.command):
            return None

        unprotected = sandbox_gaps(commands.sandbox, "write", network=self.network)
        if self.unattended and runs_unattended(
            commands.sandbox, unprotected, weak=self.weak_sandbox
        ):
            return None
        if self.asker is None:
            gaps = ""
            if self.unattended:
                gaps = f" although {', '.join(unprotected)}"
            return f"nobody is there to allow it{gaps}; run it yourself in the worktree"

        reasons = [_WHY]
        if isinstance(verdict, Ask):
            reasons.append(verdict.why)
        why = "; ".join((*reasons, *unprotected))
        asked = ApprovalAsked("command", self.command, why, options=OPTIONS["command"])
        question = Question(asked, why, prefix_rule(self.command))
        said = self.asker.ask(question, NeverCancelled())
        if said is None or said.answer == "deny":
            return "the user does not allow it"

        if said.answer == "always":
            rule = prefix_rule(self.command)
            if said.by_rule and rule:
                self.grants.add_rule(rule)
            else:
                self.grants.add(self.command)

        return None
