"""A decision about code that a person can review."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias, get_args

from holdfast.repair.decisions.decision_ids import cut_reasoning

BuildType: TypeAlias = Literal["codegen", "repair", "optimize", "rule_applied", "handler_choice"]
RuntimeType: TypeAlias = Literal["adaptive_recovery"]
DecisionType: TypeAlias = BuildType | RuntimeType
DecisionScope: TypeAlias = Literal["build", "runtime"]
DecisionVerdict: TypeAlias = Literal["accepted", "rejected", "failed"]
SCOPES: tuple[DecisionScope, ...] = get_args(DecisionScope)
_TYPES: tuple[str, ...] = get_args(BuildType) + get_args(RuntimeType)


@dataclass(frozen=True, slots=True)
class Decision:
    """What was chosen for a module, by whom, why, and which oracle said yes.

    `choice` says in a few words what was chosen, `alternatives` what else was tried. `verdict` is `accepted` for what
    passed `verify()`, `rejected` for what we refused, `failed` for what came to nothing; `detail` says why. `diff`
    leads from the bytes of `before_sha` to those of `after_sha`. `diagnostic` is the first complaint it was about.
    `pinned` is a person's word that this may be made again, without a model. `promoted_from` is the id that it had
    while it was a running program's.
    """

    id: str
    module: str
    path: str
    target: str
    decision_type: DecisionType
    choice: str
    verdict: DecisionVerdict = "accepted"
    detail: str = ""
    alternatives: tuple[str, ...] = ()
    reasoning: str = ""
    model_id: str = ""
    confidence: float | None = None
    pinned: bool = False
    pin_reason: str | None = None
    pinned_at: str | None = None
    pinned_by: str | None = None
    superseded_by: str | None = None
    timestamp: str = ""
    diff: str = ""
    before_sha: str = ""
    after_sha: str = ""
    oracle: str = ""
    rule_id: str | None = None
    diagnostic: Mapping[str, str] | None = None
    promoted_from: str | None = None

    @property
    def scope(self) -> DecisionScope:
        """Where it belongs: with the project, or on this machine."""
        return scope_of(self.decision_type)

    @property
    def counts(self) -> bool:
        """Whether the code of the module rests on it."""
        return self.verdict == "accepted" and self.superseded_by is None


def scope_of(decision_type: DecisionType) -> DecisionScope:
    """Give the scope of a type of decisions."""
    return "runtime" if decision_type in get_args(RuntimeType) else "build"


def renewed(old: Decision, new: Decision) -> Decision:
    """Give the same decision made again: what people said of it stays, and so does the time it was first made."""
    return replace(
        new,
        pinned=old.pinned,
        pin_reason=old.pin_reason,
        pinned_at=old.pinned_at,
        pinned_by=old.pinned_by,
        superseded_by=old.superseded_by,
        timestamp=old.timestamp,
    )


class BadDecision(ValueError):  # noqa: N818 - the word for it
    """A record in a manifest is no decision."""


def as_json(decision: Decision) -> dict[str, Any]:
    """Give what the manifest holds."""
    told: dict[str, Any] = {field.name: getattr(decision, field.name) for field in fields(decision)}
    told["alternatives"] = list(decision.alternatives)
    told["diagnostic"] = dict(decision.diagnostic) if decision.diagnostic is not None else None
    told["reasoning"] = cut_reasoning(decision.reasoning)
    if decision.promoted_from is None:
        del told["promoted_from"]
    return told


def from_json(told: object) -> Decision:
    """Read what a manifest holds; raises `BadDecision`. A field that is not known yet is left out."""
    if not isinstance(told, dict):
        raise BadDecision("a decision must be an object.")
    known = {field.name: told[field.name] for field in fields(Decision) if field.name in told}
    for name in ("id", "module", "path", "target", "decision_type", "choice"):
        if not isinstance(known.get(name), str):
            raise BadDecision(f"a decision has no `{name}`.")
    if known["decision_type"] not in _TYPES:
        raise BadDecision(f"{known['id']}: there is no decision type {known['decision_type']}.")
    if known.get("verdict", "accepted") not in get_args(DecisionVerdict):
        raise BadDecision(f"{known['id']}: there is no verdict {known['verdict']}.")
    alternatives = known.get("alternatives", [])
    known["alternatives"] = tuple(map(str, alternatives)) if isinstance(alternatives, list) else ()
    # Only `true` pins: a 1 or a "false" that somebody typed must not open the way into production.
    known["pinned"] = known.get("pinned") is True
    return Decision(**known)
