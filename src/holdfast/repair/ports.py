"""What repair needs of the world: a check, somebody who proposes, places for rules, decisions and answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from holdfast.rules.ports import UpdateBytes
from holdfast.vocab.diagnostics import Target

if TYPE_CHECKING:
    from holdfast.vocab.diagnostics import Diagnostic


# ------------------------------------------------------------------------------------------------------------- checks


@dataclass(frozen=True, slots=True)
class Checked:
    """A check ran to its end. `oracle` names what said so, with its version (`ruff 0.17.4 + mypy 2.4.1`).

    No error-severity diagnostic and exit 0 is `ok`; warnings do not fail it. `output` is what was printed, capped.
    """

    ok: bool
    diagnostics: tuple[Diagnostic, ...]
    oracle: str
    output: str = ""


@dataclass(frozen=True, slots=True)
class CheckTimedOut:
    """The check was ended, with all its processes, after `seconds`."""

    oracle: str
    seconds: float


class ToolchainMissing(Exception):  # noqa: N818 - the word for it
    """The check's tool is not installed; the message names it and how to install it. No outcome: somebody must act."""


class CheckCrashed(Exception):  # noqa: N818 - the word for it
    """The tool itself failed (a signal, or output that says nothing); the message has its last words."""


class Check(Protocol):
    """How one unit is checked: by which tools, alone or with its project. Each `run` starts the tools exactly once."""

    @property
    def target(self) -> Target:
        """What language it checks."""
        ...

    def run(self, path: str, text: bytes) -> Checked | CheckTimedOut:
        """Check the file at `path` (below the root) as if it held `text`, in a scratch copy: the file is not touched.

        Raises `ToolchainMissing` and `CheckCrashed`.
        """
        ...


# ---------------------------------------------------------------------------------------------------------- proposals


@dataclass(frozen=True, slots=True)
class ProposalAsked:
    """What a proposer is told: the code, all diagnostics of the last check, and what was tried before."""

    path: str
    target: Target
    text: str
    diagnostics: tuple[Diagnostic, ...]
    tried: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """A whole new text for the unit. `confidence` is as the proposer said it: not yet judged to be a number at all."""

    text: str
    confidence: object
    reasoning: str = ""
    model_id: str = ""
    rule_hint: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ProposerFailed:
    """The proposer gave nothing; `message` says why."""

    message: str


class Proposer(Protocol):
    """Whoever proposes a fix; a use case fulfils it with a model."""

    def propose(self, asked: ProposalAsked) -> Proposal | ProposerFailed:
        """Ask once. What can go wrong is a value."""
        ...


# -------------------------------------------------------------------------------------------------- what is remembered


class DecisionFiles(Protocol):
    """The decision manifests, `decisions/<scope>/<module>.json`; the same promises as `rules.ports.RuleFiles`."""

    def read_all(self, scope: Literal["build", "runtime"]) -> Sequence[tuple[str, bytes]]:
        """Give each module's name and bytes, sorted; no bytes for what cannot be read."""
        ...

    def place(self, scope: Literal["build", "runtime"], module: str) -> str:
        """Say where a manifest is, for people."""
        ...

    def update(
        self, scope: Literal["build", "runtime"], module: str, change: UpdateBytes
    ) -> bytes | None:
        """Replace one manifest atomically, one process at a time."""
        ...


class Answers(Protocol):
    """Responses of models by a hash of what was asked: the same question is paid for once."""

    def get(self, key: str) -> bytes | None:
        """Give the response; None if there is none."""
        ...

    def put(self, key: str, response: bytes) -> None:
        """Keep the response."""
        ...
