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
        "show": CommandEntry(
            "holdfast.cli.sessions.view:show",
            "Show one session: its state, agent, place, and last words.",
        ),
        "rename": CommandEntry(
            "holdfast.cli.sessions.change:rename", "Give a session another title."
        ),
        "archive": CommandEntry(
            "holdfast.cli.sessions.change:archive",
            "Put a session away: lists leave it out. Nothing is removed.",
        ),
        "export": CommandEntry(
            "holdfast.cli.sessions.export:export",
            "Print the conversation of a session as Markdown, or all of it as JSON.",
        ),
        "delete": CommandEntry(
            "holdfast.cli.sessions.delete:delete",
            "Delete a session: its conversation, its checkpoints and its settled changes.",
        ),
    }


sessions = typer.Typer(
    cls=SessionsGroup,
    help="List, rename, archive, export and delete sessions.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
