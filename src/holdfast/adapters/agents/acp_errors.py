"""What the errors of ACP agents mean, and which texts of theirs are errors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

_AUTH_REQUIRED = -32000
"""The code that ACP has for it; JSON-RPC leaves the number to each server."""
_LOGIN = lazy_pattern(
    r"\b(authenticat\w*|unauthori[sz]ed|log ?in|logged in|sign in|api key|credentials?|401)\b",
    re.IGNORECASE,
)
# goose ends such a turn as if all were well.
_ERROR_TEXT = lazy_pattern(
    r"(Ran into this error.*)Please retry if you think this is a transient or recoverable error\.$",
    re.DOTALL,
)
_LONGEST = 2_000


def error_text(code: int, message: str, data: Any) -> str:
    """Return what an agent says about an error: its message, and what it adds to it.

    >>> error_text(-32603, "Internal error", {"details": "no model"})
    'Internal error: no model'
    """
    added = data
    if isinstance(data, dict):
        named = [data.get(name) for name in ("details", "message", "error", "reason")]
        added = next((each for each in named if isinstance(each, str)), None)

    text = message or f"error {code}"
    if isinstance(added, str) and added not in text:
        text = f"{text}: {added}"

    return text[:_LONGEST]


def is_login_missing(code: int, text: str) -> bool:
    """Return whether an error means that the agent wants a login.

    >>> is_login_missing(-32000, "Authentication required")
    True
    >>> is_login_missing(-32603, "Internal error: You are not logged in.")
    True
    >>> is_login_missing(-32603, "Internal error: no model is configured")
    False
    """
    return code == _AUTH_REQUIRED or _LOGIN.search(text) is not None


def error_in(text: str) -> str:
    r"""Return the error that the text of a turn ends with, or "".

    >>> error_in("I look.\nRan into this error: Server error: 500.\n\nPlease retry if you think "
    ...          "this is a transient or recoverable error.")
    'Ran into this error: Server error: 500.'
    >>> error_in("I ran into this error and fixed it.")
    ''
    """
    found = _ERROR_TEXT.search(text.rstrip())
    return found[1].strip()[:_LONGEST] if found else ""


def session_modes(body: Mapping[str, Any]) -> list[str]:
    """Return the ids of the modes that the answer to `session/new` offers."""
    modes = body.get("modes")
    offered = modes.get("availableModes") if isinstance(modes, dict) else None
    if not isinstance(offered, list):
        return []
    return [str(mode.get("id")) for mode in offered if isinstance(mode, dict)]
