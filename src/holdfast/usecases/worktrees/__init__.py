"""The worktrees of sessions: make, list, compare, update, merge, remove."""
