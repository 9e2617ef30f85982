"""The body of an error, `application/problem+json`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from holdfast.vocab.outcomes import Reason

ProblemCode: TypeAlias = Literal[
    "unauthorized",
    "forbidden_host",
    "forbidden_origin",
    "not_json",
    "too_large",
    "too_slow",
    "invalid",
    "not_found",
    "method_not_allowed",
    "conflict",
    "answered",
    "refused",
    "turn_running",
    "nothing_running",
    "nothing_to_continue",
    "not_added",
    "not_sent",
    "stopping",
    "disk_full",
    "unavailable",
    "internal",
]


class Refusal(BaseModel):
    """Why a file, or the whole change (`path` is ""), was refused; as `--json` prints it."""

    path: str
    reason: Reason
    message: str
    closest: str = ""
    candidates: list[int] = []


class Problem(BaseModel):
    """What went wrong, for a person (`title`, `detail`, `hint`) and for a program (`code`)."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)

    title: str
    status: int
    detail: str
    hint: str = ""
    code: ProblemCode
    refusals: list[Refusal] = []
