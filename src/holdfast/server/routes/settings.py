"""Agents, models, settings and decisions of a project."""

from __future__ import annotations

import getpass
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Body

from holdfast import __version__
from holdfast.config.settings import Setting
from holdfast.repair.decisions import decision as decision_records
from holdfast.repair.decisions.manifest import BadManifest, Manifest, NoSuchDecision, Pin
from holdfast.server.context import Context, Id, ProjectName
from holdfast.server.models.settings import (
    Agent,
    AgentList,
    DecisionAnswer,
    DecisionJson,
    DecisionList,
    ModelList,
    OverruledValue,
    PinRequest,
    SandboxInfo,
    SettingList,
    SettingValueJson,
)
from holdfast.server.problems import ApiError, not_found
from holdfast.wiring.agents.choice import list_agents as find_agents
from holdfast.wiring.agents.requests import OURS
from holdfast.wiring.decisions import decisions_at
from holdfast.wiring.models import list_server_models
from holdfast.wiring.sandboxes import sandbox_status
from holdfast.wiring.settings import user_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.server.context import ServerContext

router = APIRouter(tags=["settings"])
_Outcome = TypeVar("_Outcome")


@router.get("/agents", operation_id="listAgents")
def list_agents(context: Context, project: ProjectName = None) -> AgentList:
    """List the agents that Holdfast knows, installed or not; Holdfast's own model first."""
    settings = context.projects.only(project).settings()
    ours = Agent(
        name=OURS,
        installed=True,
        version=__version__,
        path=None,
        transports=[],
        login="none",
        install="",
    )
    return AgentList(agents=[ours, *(Agent(**asdict(each)) for each in find_agents(settings))])


@router.get("/models", operation_id="listModels")
def list_models(context: Context, project: ProjectName = None) -> ModelList:
    """List the models of the server that a turn would use, or say why there is none."""
    found = list_server_models(context.projects.only(project).settings())
    return ModelList(
        models=list(found.models), model=found.model, base_url=found.base_url, problem=found.problem
    )


@router.get("/settings", operation_id="getSettings")
def get_settings(context: Context, project: ProjectName = None) -> SettingList:
    """Return every setting, its value and its source; of a secret, only whether it is set."""
    served = context.projects.only(project)
    settings = served.settings()
    sandbox = sandbox_status(served.root, settings)
    return SettingList(
        settings={name: _setting(value) for name, value in settings.values.items()},
        user_file=str(user_file()),
        key_withheld=settings.why_key_withheld,
        sandbox=SandboxInfo(kind=sandbox.kind, why=sandbox.why),
    )


@router.get("/decisions", operation_id="listDecisions")
def list_decisions(
    context: Context,
    project: ProjectName = None,
    scope: Literal["build", "runtime"] | None = None,
    unpinned: bool = False,  # noqa: FBT001, FBT002 - a query parameter
) -> DecisionList:
    """List the decisions, those that are not pinned first."""
    survey = _attempt(lambda: _manifest(context, project).survey(scope))
    listed = sorted(survey.decisions, key=lambda each: each.pinned)
    if unpinned:
        listed = [each for each in listed if not each.pinned]

    return DecisionList(
        decisions=[_decision(each) for each in listed], problems=list(survey.problems)
    )


@router.post("/decisions/{id}/pin", operation_id="pinDecision")
def pin_decision(
    id: Id,
    pin: Annotated[PinRequest, Body(default_factory=PinRequest)],
    context: Context,
    project: ProjectName = None,
) -> DecisionAnswer:
    """Let later repairs replay a decision without a model."""
    manifest = _manifest(context, project)
    found = _find(manifest, id)
    if found.superseded_by is not None:
        heir = found.superseded_by
        raise ApiError(409, "refused", f"{found.id}: {heir} has replaced it; pin that one.")
    if not found.diff and not found.counts:
        message = f"{found.id}: it led to no code, so there is nothing to replay."
        raise ApiError(409, "refused", message)

    word = Pin(_user(), datetime.now(UTC).isoformat(timespec="seconds"), pin.reason)
    return DecisionAnswer(decision=_decision(_attempt(lambda: manifest.pin(found, word))))


@router.post("/decisions/{id}/unpin", operation_id="unpinDecision")
def unpin_decision(id: Id, context: Context, project: ProjectName = None) -> DecisionAnswer:
    """Remove the pin of a decision."""
    manifest = _manifest(context, project)
    found = _find(manifest, id)
    return DecisionAnswer(decision=_decision(_attempt(lambda: manifest.unpin(found))))


def _setting(value: Any) -> SettingValueJson:
    setting: Setting = value.setting
    return SettingValueJson(
        value=_public(setting, value.value),
        set=value.value is not None,
        source=value.source,
        overruled=[
            OverruledValue(value=_public(setting, each.value), source=each.source)
            for each in value.overruled
        ],
        help=setting.help,
    )


def _public(setting: Setting, value: Any) -> Any:
    """Return a value for JSON; None for a secret."""
    if setting.secret:
        return None
    if isinstance(value, tuple):
        return list(value)
    return value


def _manifest(context: ServerContext, project: str | None) -> Manifest:
    return decisions_at(context.projects.only(project).root)


def _find(manifest: Manifest, decision_id: str) -> decision_records.Decision:
    found = _attempt(lambda: manifest.find(decision_id))
    if isinstance(found, NoSuchDecision):
        raise not_found(found.message)
    return found


def _attempt(act: Callable[[], _Outcome]) -> _Outcome:
    """Return the outcome. Raise `ApiError` if a manifest cannot be read or written."""
    try:
        return act()
    except BadManifest as error:
        raise ApiError(409, "refused", str(error)) from error


def _decision(decision: decision_records.Decision) -> DecisionJson:
    body = {"promoted_from": None, **decision_records.as_json(decision)}
    return DecisionJson(scope=decision.scope, **body)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user of a container who has no name
        return "unknown"
