"""What an external agent asks permission for goes through the approvals of its turn."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from holdfast.guards.commands import Allow, AllowRead, CommandRules, Refuse, judge_command
from holdfast.guards.protected_paths import list_paths
from holdfast.tools.edits.protected_edits import why_protected_edit
from holdfast.tools.ports import Denied, NoApprover, TurnCancelled
from holdfast.usecases.redaction import redact
from holdfast.vocab.agent_events import AgentNote
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.tools.ports import EditGuard, GateAnswer
    from holdfast.usecases.agents.ports import PermissionAnswer, PermissionRequest
    from holdfast.usecases.turns.approvals import Approvals
    from holdfast.vocab.agent_events import AgentCall
    from holdfast.vocab.approvals import ApprovalSubject
    from holdfast.vocab.cancellation import Cancel

_EDITS = frozenset({"edit", "delete", "move"})


@dataclass(frozen=True, slots=True)
class _Question:
    what: ApprovalSubject
    subject: str
    why: str


class Permissions:
    """Answers the permission requests of one turn.

    `unanswered` names the request for which nobody could be asked: the turn is to end.
    """

    def __init__(  # noqa: PLR0917 - the gate, what decides before it, and where notes go
        self,
        gate: Approvals,
        rules: CommandRules,
        root: str,
        edits: EditGuard,
        secrets: Sequence[str],
        note: Callable[[AgentNote], None],
    ) -> None:
        """Ask `gate`, unless `rules` decide; `note` receives what was denied by a rule."""
        self._gate = gate
        self._rules = rules
        self._root = PurePosixPath(root)
        self._edits = edits
        self._secrets = secrets
        self._note = note
        self.unanswered: str | None = None

    def decide(self, request: PermissionRequest, withdrawn: Cancel) -> PermissionAnswer:
        """Return whether the agent may do what it asks for."""
        request = redact(request, self._secrets)
        question = self._question(request)
        if not isinstance(question, _Question):
            return question
        answer = self._gate.ask(question.what, question.subject, question.why, withdrawn)
        return self._verdict(answer, question)

    def _verdict(self, answer: GateAnswer, question: _Question) -> PermissionAnswer:
        match answer:
            case "yes":
                return "once"
            case Denied(message):
                self._note(AgentNote("denied", {"message": message}))
                return "deny"
            case NoApprover():
                self.unanswered = question.subject
                return "cancelled"
            case TurnCancelled():
                return "cancelled"

    def _question(self, request: PermissionRequest) -> _Question | PermissionAnswer:
        call = request.call
        if request.command is not None:
            return self._question_of_command(request.command)
        if call.tool_kind not in _EDITS or not call.paths:
            return _Question("tool", call.title, f"the agent asks for this ({call.tool_kind})")
        return self._question_of_edit(call)

    def _question_of_command(self, command: str) -> _Question | PermissionAnswer:
        verdict = judge_command(command, self._rules)
        match verdict:
            case Allow() | AllowRead():
                return "once"
            case Refuse(message):
                self._note(AgentNote("denied", {"message": message}))
                return "deny"

        return _Question("command", command, verdict.why)

    def _question_of_edit(self, call: AgentCall) -> _Question:
        paths = [self._below_root(path) for path in call.paths]
        subject = list_paths(path or name for path, name in zip(paths, call.paths, strict=True))
        if None in paths:
            return _Question("tool", f"{call.title}: {subject}", "it is outside of the worktree")

        places = {path: path for path in paths if path}
        protected = why_protected_edit(places, self._edits)
        if protected:
            reasons = [f"{path}: {reason}" for path, reason in protected.items()]
            why = "\n".join([*reasons, call.diff])
            return _Question("protected", subject, why)

        return _Question("edit", subject, call.diff or call.title)

    def _below_root(self, path: str) -> str | None:
        """Return a path as seen from the root; None if it leads out of the root."""
        pure = PurePosixPath(path)
        if pure.is_absolute():
            if not pure.is_relative_to(self._root):
                return None
            pure = pure.relative_to(self._root)

        if ".." in pure.parts:
            return None

        return str(pure)
