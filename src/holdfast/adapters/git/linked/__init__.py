"""Linked worktrees of the user's repository, one for each session."""
