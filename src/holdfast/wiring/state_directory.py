"""The directory of journals, locks, the SQLite file and caches."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_state_path


def why_state_refused(root: Path) -> str | None:
    """Return why the state directory cannot be used for a project; None if it can.

    In the project a model could write it, and with it what is allowed and trusted.
    """
    state = os.path.realpath(state_directory())
    project = os.path.realpath(root)
    if not Path(state).is_relative_to(project):
        return None

    return (
        f"the state directory {state} is inside the project {project}, where a model could change "
        "what is allowed; set HOLDFAST_STATE_DIR to a directory outside of it."
    )


def state_directory() -> Path:
    """Return `HOLDFAST_STATE_DIR`, or the user's state directory."""
    named = os.environ.get("HOLDFAST_STATE_DIR")
    if not named:
        return user_state_path("holdfast")
    # Absolute, because git runs in other working directories than this process.
    return Path(named).absolute()
