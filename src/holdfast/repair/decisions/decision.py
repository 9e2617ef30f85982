"""A decision about code that a person can review."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from holdfast.repair.decisions.decision_ids import cut_reasoning
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

BuildType: TypeAlias = Literal["codegen", "repair", "optimize", "rule_applied", "handler_choice"]
RuntimeType: TypeAlias = Literal["adaptive_recovery"]
DecisionType: TypeAlias = BuildType | RuntimeType
DecisionScope: TypeAlias = Literal["build", "runtime"]
DecisionVerdict: TypeAlias = Literal["accepted", "rejected", "failed"]
SCOPES: tuple[DecisionScope, ...] = get_args(DecisionScope)
_TYPES: tuple[str, ...] = get_args(BuildType) + get_args(RuntimeType)


REPLAY = "replay of "
"""How the choice of a replayed decision begins; its id follows."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice for a module: its origin, its reason, and the oracle that accepted it.

    `choice` names what was chosen in a few words, `alternatives` what else was tried. `verdict` is
    `accepted` for a text that passed `verify()`, `rejected` for one that we refused, `failed` for
    one that did not work; `detail` is the reason. `diff` leads from the bytes of `before_sha` to
    those of `after_sha`. `diagnostic` is the first diagnostic that the decision was for. `pinned`
    means that a person allows replaying the decision without a model. `promoted_from` is the id
    that the decision had while it belonged to a running program.
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
        """Where the decision is stored: with the project, or on this machine."""
        return scope_of(self.decision_type)

    @property
    def counts(self) -> bool:
        """Whether the code of the module depends on this decision."""
        return self.verdict == "accepted" and self.superseded_by is None


def scope_of(decision_type: DecisionType) -> DecisionScope:
    """Return the scope of a decision type."""
    if decision_type in get_args(RuntimeType):
        return "runtime"
    return "build"


def renewed(old: Decision, new: Decision) -> Decision:
    """Return the new decision with the pin, the successor and the time of the old one.

    The rule that was learned from it stays named. If only the new one is pinned, because a pinned
    rule made it, its pin stays.
    """
    kept = replace(
        new,
        superseded_by=old.superseded_by,
        timestamp=old.timestamp,
        rule_id=new.rule_id or old.rule_id,
    )
    if new.pinned and not old.pinned:
        return kept

    return replace(
        kept,
        pinned=old.pinned,
        pin_reason=old.pin_reason,
        pinned_at=old.pinned_at,
        pinned_by=old.pinned_by,
    )


class BadDecision(ValueError):  # noqa: N818 - the word for it
    """A record in a manifest is not a decision."""


def as_json(decision: Decision) -> dict[str, Any]:
    """Return the record for the manifest."""
    record: dict[str, Any] = {each.name: getattr(decision, each.name) for each in fields(decision)}
    record["alternatives"] = list(decision.alternatives)
    if decision.diagnostic is not None:
        record["diagnostic"] = dict(decision.diagnostic)

    record["reasoning"] = cut_reasoning(decision.reasoning)
    if decision.promoted_from is None:
        del record["promoted_from"]

    return record


def from_json(record: object) -> Decision:
    """Parse a record of a manifest; raise `BadDecision`. Unknown fields are ignored."""
    if not isinstance(record, dict):
        raise BadDecision("a decision must be an object.")

    known: dict[str, Any] = {}
    for each in fields(Decision):
        name = each.name
        if name in record:
            known[name] = record[name]

    for name in ("id", "module", "path", "target", "decision_type", "choice"):
        if not isinstance(known.get(name), str):
            raise BadDecision(f"a decision has no `{name}`.")

    if known["decision_type"] not in _TYPES:
        raise BadDecision(f"{known['id']}: there is no decision type {known['decision_type']}.")
    if known.get("verdict", "accepted") not in get_args(DecisionVerdict):
        raise BadDecision(f"{known['id']}: there is no verdict {known['verdict']}.")

    alternatives = known.get("alternatives")
    if not isinstance(alternatives, list):
        alternatives = []

    known["alternatives"] = tuple(map(str, alternatives))
    # Only `true` pins: a typed 1 or "false" must not let a decision into production.
    known["pinned"] = known.get("pinned") is True
    return Decision(**known)
