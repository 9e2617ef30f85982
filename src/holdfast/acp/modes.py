"""The modes of a session: how edits and commands are approved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, cast, get_args

from acp.schema import SessionMode, SessionModeState

if TYPE_CHECKING:
    from holdfast.usecases.turns.approvals import ApprovalMode

Mode: TypeAlias = Literal["ask", "auto", "review", "plan"]

_DESCRIPTIONS: dict[Mode, str] = {
    "ask": "Ask before each edit and each command.",
    "auto": "Run edits and commands without asking. Every turn can be undone.",
    "review": "Leave edits as proposed changes, to be applied with `holdfast changes`.",
    "plan": "Only tools that read.",
}


def parse_mode(name: str) -> Mode | None:
    """Return the mode of this name, or None."""
    if name in get_args(Mode):
        return cast("Mode", name)
    return None


def approval_of(mode: Mode) -> ApprovalMode:
    """Return how approvals are given in a mode."""
    if mode == "plan":
        return "ask"
    return mode


def mode_state(mode: Mode) -> SessionModeState:
    """Return the modes for the client, and the current one."""
    modes = [
        SessionMode(id=name, name=name.capitalize(), description=description)
        for name, description in _DESCRIPTIONS.items()
    ]
    return SessionModeState(current_mode_id=mode, available_modes=modes)
