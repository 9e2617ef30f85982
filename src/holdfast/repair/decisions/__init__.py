"""Decisions about code for people to review: recorded, pinned, overridden, replayed."""
