"""From a script to its plan, and from plans to the outcome: the same for texts, line edits and hunks."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.already_applied import judge_applied
from holdfast.landing.ladder.ladder import LadderOutcome, LadderPlan, climb
from holdfast.landing.ladder.strict_match import NO_BOUNDS, NO_HINT, Bounds, Hint
from holdfast.landing.placement import Nowhere
from holdfast.landing.projection.splices import clashes, landed, lines_at
from holdfast.vocab.outcomes import RUNGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.landing.text.edit_script import EditScript
    from holdfast.landing.text.lines import Doc
    from holdfast.vocab.outcomes import Outcome, Refused


def find_plan(
    doc: Doc, script: EditScript, hint: Hint = NO_HINT, bounds: Bounds = NO_BOUNDS
) -> LadderPlan | Refused:
    """Return where and how the script lands, or the refusal of one that has no place."""
    return plan_or_refusal(doc, script, climb(doc, script, hint, bounds))


def plan_or_refusal(doc: Doc, script: EditScript, found: LadderOutcome) -> LadderPlan | Refused:
    """Return the plan, or the refusal where there is none or it is applied already."""
    applied = judge_applied(doc, script, found)
    if applied is not None:
        return refusals.of(doc, script, applied)
    if isinstance(found, LadderPlan):
        return found
    return refusals.of(doc, script, found)


def land_everywhere(doc: Doc, script: EditScript, found: Sequence[LadderOutcome]) -> Outcome:
    """Return the outcome of the plans for all places but those where they are applied already."""
    plans: list[LadderPlan] = []
    applied: Refused | None = None
    for place in found:
        plan = plan_or_refusal(doc, script, place)
        if isinstance(plan, LadderPlan):
            plans.append(plan)
            continue
        applied = plan
        if plan.reason != "already_applied":
            return plan
    if plans:
        return land_plans(doc, plans)
    return applied or refusals.of(doc, script, Nowhere())


def land_plans(doc: Doc, plans: Sequence[LadderPlan]) -> Outcome:
    """Return the outcome of all splices of the plans, on the loosest rung of them."""
    splices = list(chain.from_iterable(plan.splices for plan in plans))
    if not splices:
        return refusals.already_applied(plans[0].lines.start + 1)
    offsets = clashes(splices)
    if offsets:
        return refusals.overlap(lines_at(doc.text, offsets))

    rungs = [plan.rung for plan in plans]
    rung = max(rungs, key=RUNGS.index)
    similarity = min(plan.similarity for plan in plans)
    return landed(doc.text, splices, rung, similarity)
