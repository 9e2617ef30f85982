"""Which files of an edit are protected: by their name, or by what git makes of the project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.guards.protected_paths import why_protected

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.tools.ports import EditGuard


def why_protected_edit(places: Mapping[str, str], guard: EditGuard) -> dict[str, str]:
    """Return why an edit of files needs approval, by path; `places` has their real paths."""
    of_git = guard.why_protected(places.keys())
    reasons: dict[str, str] = {}
    for path, at in places.items():
        reason = why_protected(path) or why_protected(at) or of_git.get(path)
        if reason is not None:
            reasons[path] = reason

    return reasons
