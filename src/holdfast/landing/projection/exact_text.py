"""A whole text that no model sends: it was judged before, or a tool or a rule has made it.

Nothing is judged or undone here, so this imports little.
"""

from __future__ import annotations

from holdfast.landing.projection.splices import Splice, landed
from holdfast.landing.text.shared_ends import shared_ends
from holdfast.vocab.outcomes import Landed, Refused


def land_exactly(text: str, new: str) -> Landed | Refused:
    r"""Return the landing of a whole text as it is.

    >>> land_exactly("a = 1\nb = 2\n", "a = 1\nb = 3\n").spans
    (Span(start=10, end=11, line=2),)
    """
    if new == text:
        return Refused("no_change", "the file has this text already; nothing to do.")
    return landed(text, [changed_part(text, new)], "exact")


def changed_part(text: str, new: str) -> Splice:
    """Return the splice without the beginning and the end that both texts share."""
    head, tail = shared_ends(text, new)
    return Splice(head, len(text) - tail, new[head : len(new) - tail])


def diff_between(text: str, new: str) -> str:
    r"""Return the hunks from one text to the other.

    >>> print(diff_between("a = 1\n", "a = 2\n"), end="")
    @@ -1 +1 @@
    -a = 1
    +a = 2
    """
    if new == text:
        return ""
    return landed(text, [changed_part(text, new)], "exact").diff
