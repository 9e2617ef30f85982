"""Checks for each language."""
