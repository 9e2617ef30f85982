"""Judges: they say what is allowed, and never ask anybody. Pure."""
