"""Edits of files that happen together or not at all."""
