"""How long a worktree of a session takes to make."""
