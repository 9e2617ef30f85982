"""The group `holdfast changes`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import typer

from holdfast.cli.lazy_group import CommandEntry, LazyGroup


class ChangesGroup(LazyGroup):
    """The commands. Those that only read the record do not import what lands an edit."""

    entries: ClassVar[Mapping[str, CommandEntry]] = {
        "list": CommandEntry(
            "holdfast.cli.changes.view:list_", "List the changes of this project, newest first."
        ),
        "show": CommandEntry(
            "holdfast.cli.changes.view:show", "Show one change: its files and its numbered hunks."
        ),
        "propose": CommandEntry(
            "holdfast.cli.changes.review:propose",
            "Record a model's reply as a proposed change; write no file.",
        ),
        "apply": CommandEntry(
            "holdfast.cli.changes.review:apply", "Write a proposed change to its files."
        ),
        "reject": CommandEntry("holdfast.cli.changes.review:reject", "Reject a proposed change."),
        "rewind": CommandEntry(
            "holdfast.cli.changes.rewind:rewind", "Undo an applied change, even below later ones."
        ),
        "prune": CommandEntry(
            "holdfast.cli.changes.prune:prune",
            "Remove old changes from the record; proposed ones stay.",
        ),
    }


changes = typer.Typer(
    cls=ChangesGroup,
    help="Review, apply, reject and rewind changes of files.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
