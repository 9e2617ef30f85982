"""The bases of the models: what a client sends, and what it receives."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Sent(BaseModel):
    """A body that a client sends; a field that is not known is refused."""

    model_config = ConfigDict(extra="forbid")


class AnswerBody(BaseModel):
    """A body that the server returns; every field is there."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, json_schema_serialization_defaults_required=True
    )
