"""The directory of journals, locks, the SQLite file and caches."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_state_path


def state_directory() -> Path:
    """Return `HOLDFAST_STATE_DIR`, or the user's state directory."""
    named = os.environ.get("HOLDFAST_STATE_DIR")
    if not named:
        return user_state_path("holdfast")
    # Absolute, because git runs in other working directories than this process.
    return Path(named).absolute()
