"""What a person is told of each outcome of a repair."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "FirstTrySuccess": "passes",
    "FixItRepaired": "repaired by the compiler's own fix-it",
    "RuleRepaired": "repaired by a rule",
    "Replayed": "repaired by a pinned decision",
    "Repaired": "repaired by the model",
    "NoProvider": "fails, and there is no model to ask",
    "ProductionBlocked": "fails, and no pinned decision fixes it",
    "ProviderError": "fails, and the model returned nothing",
    "RejectedLowConfidence": "fails, and the model is not sure enough",
    "Exhausted": "fails after all attempts",
    "NoProgress": "fails, and the model makes no progress",
    "NeedsReview": "fails, and what the model proposed needs a review",
    "VerificationRejected": "fails, and what the model proposed was rejected",
    "TimedOut": "was not checked to the end",
    "FailedBefore": "was already failing before this turn",
    "NotRepaired": "fails, and was not repaired",
    "NotRun": "was not checked",
}
