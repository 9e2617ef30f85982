"""Responses of a model as they are kept: by a hash of what was asked, and of whom."""

from __future__ import annotations

import hashlib
import json

from holdfast.repair.ports import Answers, Proposal, ProposalAsked


def key_of(asked: ProposalAsked, model: str) -> str:
    """Give the key: the same question to the same model has the same one."""
    said = [
        [each.tool, each.code, each.message, repr_area(each.area)] for each in asked.diagnostics
    ]
    words = json.dumps(
        [model, asked.path, asked.target, asked.text, said, list(asked.tried)], ensure_ascii=True
    )
    return hashlib.sha256(words.encode("ascii")).hexdigest()


def repr_area(area: object) -> list[int]:
    """Give the numbers of an area; none if there is no area."""
    names = ("line", "column", "end_line", "end_column")
    return [getattr(area, name) for name in names] if area is not None else []


def find_response(answers: Answers, asked: ProposalAsked, model: str) -> Proposal | None:
    """Give what the model answered before; None if it was not asked, or the record cannot be read."""
    data = answers.get(key_of(asked, model))
    if data is None:
        return None
    try:
        told = json.loads(data)
        return Proposal(
            str(told["text"]),
            float(told["confidence"]),
            str(told["reasoning"]),
            str(told["model_id"]),
            None,
        )
    except (ValueError, KeyError, TypeError):
        return None


def keep_response(
    answers: Answers, asked: ProposalAsked, model: str, proposal: Proposal, confidence: float
) -> None:
    """Keep a response that has passed."""
    told = {
        "text": proposal.text,
        "confidence": confidence,
        "reasoning": proposal.reasoning,
        "model_id": proposal.model_id,
    }
    answers.put(key_of(asked, model), json.dumps(told, sort_keys=True).encode())
