"""A project with its store open, for a process that serves many requests."""
