"""Parse a shell command and judge what it may do."""
