"""The composition root: the only place where a port meets an adapter.

What is heavy is imported inside the functions: `holdfast --help`, a check and a refused reply do without.
"""

from holdfast.wiring.models import find_model
from holdfast.wiring.repairs import (
    decisions_at,
    list_files,
    repair_crew_at,
    rule_book_at,
    target_of,
)
from holdfast.wiring.settings import settings_at, user_file
from holdfast.wiring.turns import run_turn_at
from holdfast.wiring.workspaces import (
    DiskWorkspace,
    GitWorktrees,
    LateStore,
    open_workspace,
    open_worktrees,
    state_directory,
)

__all__ = [
    "DiskWorkspace",
    "GitWorktrees",
    "LateStore",
    "decisions_at",
    "find_model",
    "list_files",
    "open_workspace",
    "open_worktrees",
    "repair_crew_at",
    "rule_book_at",
    "run_turn_at",
    "settings_at",
    "state_directory",
    "target_of",
    "user_file",
]
