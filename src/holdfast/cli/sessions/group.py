"""The group `holdfast sessions`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import typer

from holdfast.cli.lazy_group import CommandEntry, LazyGroup


class SessionsGroup(LazyGroup):
    """The commands. Listing does not import what deletes."""

    entries: ClassVar[Mapping[str, CommandEntry]] = {
        "list": CommandEntry(
            "holdfast.cli.sessions.view:list_", "List the sessions of this project, newest first."
        ),
        "delete": CommandEntry(
            "holdfast.cli.sessions.delete:delete",
            "Delete a session: its conversation, its checkpoints and its settled changes.",
        ),
    }


sessions = typer.Typer(
    cls=SessionsGroup,
    help="List and delete sessions.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
