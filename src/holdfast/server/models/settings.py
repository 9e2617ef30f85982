"""Agents, models, settings and decisions."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from holdfast.server.models.base import AnswerBody, Sent
from holdfast.vocab.agent_events import Transport
from holdfast.vocab.sandbox import SandboxKind


class Agent(AnswerBody):
    """An agent, as `holdfast agents list --json` prints it. Holdfast's own one is first."""

    name: str
    installed: bool
    version: str | None
    path: str | None
    transports: list[Transport]
    login: str
    install: str


class AgentList(AnswerBody):
    """The agents that can be used, and those that can be installed."""

    agents: list[Agent]


class ModelList(AnswerBody):
    """The models of the server that a turn would use.

    `model` is the one that a turn would use. Without one, `problem` says why and what to do.
    """

    models: list[str]
    model: str | None
    base_url: str | None
    problem: str


class OverruledValue(AnswerBody):
    """A value that is not used, and where it comes from."""

    value: Any
    source: str


class SettingValueJson(AnswerBody):
    """A setting: its value (None for a secret), whether it is set, and its source."""

    value: Any
    set: bool
    source: str
    overruled: list[OverruledValue]
    help: str


class SandboxInfo(AnswerBody):
    """What confines commands on this machine; `why` has the cure where nothing does."""

    kind: SandboxKind
    why: str


class SettingList(AnswerBody):
    """The settings, as `holdfast config show --json` prints them."""

    settings: dict[str, SettingValueJson]
    user_file: str
    key_withheld: str | None
    sandbox: SandboxInfo


class DecisionJson(AnswerBody):
    """A decision, as `holdfast decisions list --json` prints it."""

    id: str
    module: str
    path: str
    target: str
    decision_type: str
    choice: str
    verdict: Literal["accepted", "rejected", "failed"]
    detail: str
    alternatives: list[str]
    reasoning: str
    model_id: str
    confidence: float | None
    pinned: bool
    pin_reason: str | None
    pinned_at: str | None
    pinned_by: str | None
    superseded_by: str | None
    timestamp: str
    diff: str
    before_sha: str
    after_sha: str
    oracle: str
    rule_id: str | None
    diagnostic: dict[str, Any] | None
    promoted_from: str | None
    scope: Literal["build", "runtime"]


class DecisionList(AnswerBody):
    """Decisions, those that are not pinned first; `problems` are manifests that cannot be read."""

    decisions: list[DecisionJson]
    problems: list[str]


class PinRequest(Sent):
    """Why a decision may be used again."""

    reason: str = Field("", max_length=10_000)


class DecisionAnswer(AnswerBody):
    """One decision."""

    decision: DecisionJson
