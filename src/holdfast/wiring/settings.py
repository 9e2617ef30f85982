"""The settings that hold at a root, and where the user's own are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.config.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.config.settings import BadConfig, Settings


def settings_at(root: Path, flags: Mapping[str, Any] | None = None) -> Settings | BadConfig:
    """Read the settings for a root; `flags` are those of the command line, None where one was not given."""
    return read_settings(flags or {}, os.environ, root, user_file())


def user_file() -> Path:
    """Say where the user's own settings are: `HOLDFAST_CONFIG_FILE`, or the user's config directory."""
    named = os.environ.get("HOLDFAST_CONFIG_FILE")
    if named:
        return Path(named)
    from platformdirs import user_config_path  # noqa: PLC0415 - as in `state_directory`

    return user_config_path("holdfast") / "config.toml"
