"""Which project and worktree a folder is, and where the state directory keeps what is about it."""
