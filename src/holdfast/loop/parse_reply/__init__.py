"""A reply of a model made into calls that can be run, or into sentences that say why one cannot."""

from __future__ import annotations

from holdfast.loop.parse_reply.bad_call import BadCall
from holdfast.loop.parse_reply.fit_calls import Normalised, normalise

__all__ = ["BadCall", "Normalised", "normalise"]
