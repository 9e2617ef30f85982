"""The ports of repair: check, proposer, rules, decision ledger and response cache."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import field
from typing import TYPE_CHECKING, Protocol, TypeAlias

from holdfast.repair.model_queue import ModelQueue
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from contextlib import AbstractContextManager

    from holdfast.repair.decisions.decision import Decision
    from holdfast.repair.strictness import Strictness
    from holdfast.vocab.diagnostics import Diagnostic, Target


@dataclass(frozen=True, slots=True)
class RepairUnit:
    """The file to repair: its path below the root, its bytes and its language."""

    path: str
    data: bytes
    target: Target


# ------------------------------------------------------------------------------------------- checks


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check that ran to its end.

    `oracle` names the tools that ran, with their versions (`ruff 0.17.4 + mypy 2.4.1`). `ok` means
    exit code 0 and no diagnostic of severity error; warnings do not fail a check. `output` is what
    the tools printed, truncated.
    """

    ok: bool
    diagnostics: tuple[Diagnostic, ...]
    oracle: str
    output: str = ""


@dataclass(frozen=True, slots=True)
class CheckTimedOut:
    """A check that was stopped, with all its processes, after `seconds`."""

    oracle: str
    seconds: float


class ToolchainMissing(Exception):  # noqa: N818 - the word for it
    """The tool of a check is not installed; the message names the tool and how to install it.

    This is not an outcome: the user has to act.
    """


class CheckCrashed(Exception):  # noqa: N818 - the word for it
    """The tool itself failed (a signal, or unreadable output); the message has its last output."""


class Check(Protocol):
    """The check of a unit, alone or with its project. Each `run` starts each tool exactly once."""

    @property
    def target(self) -> Target:
        """The language that is checked."""

    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        """Check the file at `path` (below the root) as if it contained `text`.

        The check runs in a scratch copy; the file itself is not touched. Raise `ToolchainMissing`
        or `CheckCrashed`.
        """


# ---------------------------------------------------------------------------------------- proposals


@dataclass(frozen=True, slots=True)
class ProposalRequest:
    """The input of a proposer: the code, the last check's diagnostics, and earlier attempts.

    `hints` are fixes that are not certain: each has the name of a rule and a diff.
    """

    path: str
    target: Target
    text: str
    diagnostics: tuple[Diagnostic, ...]
    tried: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """A whole new text for the unit.

    `confidence` is the proposer's own value. It is not validated: it may not even be a number.
    `rule` is the pattern and the fix of a rule that the proposer suggests.
    """

    text: str
    confidence: object
    reasoning: str = ""
    model_id: str = ""
    rule: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ProposerFailed:
    """The proposer returned no proposal; `message` is the reason.

    `unreachable`: the server that the user named does not answer.
    """

    message: str
    unreachable: bool = False


class Proposer(Protocol):
    """A source of fixes; a use case implements it with a model."""

    def propose(self, request: ProposalRequest) -> Proposal | ProposerFailed:
        """Ask for one proposal. A failure is a value, not an exception."""


@dataclass(frozen=True, slots=True)
class Provider:
    """The proposer, or None if there is no model, and the model name that keys cached responses."""

    proposer: Proposer | None = None
    model: str = ""


# -------------------------------------------------------------------------------------------- rules


@dataclass(frozen=True, slots=True)
class RuleFits:
    """A rule matches a diagnostic; `text` is the unit's text after the rewrite.

    `reviewed`: a person has judged the rule, or written it.
    """

    rule_id: str
    text: str
    confidence: float | None = None
    pinned: bool = False
    reviewed: bool = True
    model_id: str = ""


@dataclass(frozen=True, slots=True)
class NoRule:
    """No rule matches."""


RuleMatch: TypeAlias = RuleFits | NoRule


class Rules(Protocol):
    """The rule book as a repair uses it."""

    def look_up(
        self,
        unit: RepairUnit,
        text: str,
        errors: Sequence[Diagnostic],
        strictness: Strictness,
        without: Collection[str],
        *,
        unsafe: bool = False,
    ) -> RuleMatch:
        """Find the best rule for one of the errors, other than those in `without`.

        Without `unsafe`, only safe rules are looked at; with it, only the others.
        """

    def record(self, rule_id: str, *, helped: bool) -> None:
        """Count whether the text that a rule made passed; raise OSError if that cannot be saved."""

    def learn(
        self,
        unit: RepairUnit,
        before: str,
        after: str,
        errors: Sequence[Diagnostic],
        model: str,
    ) -> str | None:
        """Learn a rule from a verified pair of texts and return its id; None if there is none."""

    def propose(
        self,
        unit: RepairUnit,
        before: str,
        after: str,
        errors: Sequence[Diagnostic],
        rule: tuple[str, str],
        *,
        model: str,
    ) -> str | None:
        """Keep the rule that a model suggests, for a person to approve, if it repeats the fix."""


# ------------------------------------------------------------------------------------------ records


class DecisionLedger(Protocol):
    """The record of decisions. Its methods raise OSError or another error if it is not writable."""

    def record(self, decision: Decision) -> Decision:
        """Record a decision and return it as it is stored."""

    def pinned(self, module: str) -> tuple[Decision, ...]:
        """Return the pinned decisions of a module."""

    def unpinned(self, module: str) -> tuple[Decision, ...]:
        """Return the accepted decisions of a module that are not pinned."""


class Answers(Protocol):
    """The cached responses of models, by a hash of the request."""

    def get(self, key: str) -> bytes | None:
        """Return the response, or None if there is none."""

    def put(self, key: str, response: bytes) -> None:
        """Store the response."""


@dataclass(frozen=True, slots=True)
class PipelinePorts:
    """Everything that a repair may use.

    `provider` is called only after everything cheaper has failed. `project` means that the check
    sees other files of the project too. `queue` is shared by the repairs of a run. The repair waits
    for a model, or for another repair, in the context that `waiting` returns.
    """

    check: Check
    ledger: DecisionLedger
    rules: Rules | None = None
    provider: Callable[[], Provider] = Provider
    answers: Answers | None = None
    tests: Check | None = None
    project: bool = False
    queue: ModelQueue = field(default_factory=ModelQueue)
    waiting: Callable[[], AbstractContextManager[None]] = nullcontext
