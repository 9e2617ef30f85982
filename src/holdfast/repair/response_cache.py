"""The cache of model responses, keyed by a hash of the model and the request."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from holdfast.repair.ports import Answers, Proposal, ProposalRequest

if TYPE_CHECKING:
    from holdfast.vocab.diagnostics import Area


def find_response(answers: Answers, request: ProposalRequest, model: str) -> Proposal | None:
    """Return the model's cached response; None if there is none or it cannot be parsed."""
    data = answers.get(_cache_key(request, model))
    if data is None:
        return None

    try:
        fields = json.loads(data)
        return Proposal(
            text=str(fields["text"]),
            confidence=float(fields["confidence"]),
            reasoning=str(fields["reasoning"]),
            model_id=str(fields["model_id"]),
        )
    except (ValueError, KeyError, TypeError):
        return None


def keep_response(
    answers: Answers, request: ProposalRequest, model: str, proposal: Proposal, confidence: float
) -> None:
    """Cache a response that was verified."""
    fields = {
        "text": proposal.text,
        "confidence": confidence,
        "reasoning": proposal.reasoning,
        "model_id": proposal.model_id,
    }
    answers.put(_cache_key(request, model), json.dumps(fields, sort_keys=True).encode())


def _cache_key(request: ProposalRequest, model: str) -> str:
    """Return the key: the same request to the same model has the same key."""
    diagnostics = [
        [each.tool, each.code, each.message, _numbers(each.area)] for each in request.diagnostics
    ]
    tried = list(request.tried)
    parts = [model, request.path, request.target, request.text, diagnostics, tried]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode("ascii")).hexdigest()


def _numbers(area: Area | None) -> list[int]:
    """Return the numbers of an area; [] if there is no area."""
    if area is None:
        return []
    return [area.line, area.column, area.end_line, area.end_column]
