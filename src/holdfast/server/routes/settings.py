"""Agents, models, settings and decisions of a project."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter

from holdfast.server import setting_bodies
from holdfast.server.context import Context, Id, ProjectName
from holdfast.server.models.settings import (
    AgentList,
    DecisionAnswer,
    DecisionList,
    ModelList,
    PinRequest,
    SettingList,
)

router = APIRouter(tags=["settings"])


@router.get("/agents", operation_id="listAgents")
def list_agents(context: Context, project: ProjectName = None) -> AgentList:
    """List the agents that Holdfast knows, installed or not."""
    return setting_bodies.agents(context, project)


@router.get("/models", operation_id="listModels")
def list_models(context: Context, project: ProjectName = None) -> ModelList:
    """List the models of the server that a turn would use, or say why there is none."""
    return setting_bodies.models(context, project)


@router.get("/settings", operation_id="getSettings")
def get_settings(context: Context, project: ProjectName = None) -> SettingList:
    """Return every setting, its value and its source; of a secret, only whether it is set."""
    return setting_bodies.settings(context, project)


@router.get("/decisions", operation_id="listDecisions")
def list_decisions(
    context: Context,
    project: ProjectName = None,
    scope: Literal["build", "runtime"] | None = None,
    unpinned: bool = False,  # noqa: FBT001, FBT002 - a query parameter
) -> DecisionList:
    """List the decisions, those that are not pinned first."""
    return setting_bodies.decisions(context, project, scope, unpinned=unpinned)


@router.post("/decisions/{id}/pin", operation_id="pinDecision")
def pin_decision(
    id: Id,
    pin: PinRequest,
    context: Context,
    project: ProjectName = None,
) -> DecisionAnswer:
    """Let later repairs replay a decision without a model."""
    return setting_bodies.pin(context, project, id, pin)


@router.post("/decisions/{id}/unpin", operation_id="unpinDecision")
def unpin_decision(id: Id, context: Context, project: ProjectName = None) -> DecisionAnswer:
    """Remove the pin of a decision."""
    return setting_bodies.unpin(context, project, id)
