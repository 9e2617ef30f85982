"""The settings of a project, and the path of the user's own settings file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_config_path

from holdfast.config.layers import read_settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.config.settings import BadConfig, Settings


def settings_at(root: Path, flags: Mapping[str, Any] | None = None) -> Settings | BadConfig:
    """Read the settings of a root. `flags` are those of the command line; None means not set."""
    return read_settings(flags or {}, os.environ, root, user_file())


def user_file() -> Path:
    """Return `HOLDFAST_CONFIG_FILE`, or config.toml in the user's config directory."""
    named = os.environ.get("HOLDFAST_CONFIG_FILE")
    if named:
        return Path(named)
    return user_config_path("holdfast") / "config.toml"
