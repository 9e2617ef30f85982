"""The settings of a command that runs with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import typer

from holdfast.cli.options import require_directory
from holdfast.cli.render.text import warn
from holdfast.config.settings import BadConfig, Settings
from holdfast.wiring.settings import settings_at


def read_settings_or_exit(root: Path, flags: Mapping[str, str | float | None]) -> Settings:
    """Return the settings at a root, or print their problems and exit with 2."""
    require_directory(root)
    settings = settings_at(root, flags)
    if isinstance(settings, BadConfig):
        for problem in settings.problems:
            warn(problem)
        raise typer.Exit(2)

    for warning in settings.warnings:
        warn(warning)

    return settings
