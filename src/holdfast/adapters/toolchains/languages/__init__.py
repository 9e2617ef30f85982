"""The checks of each language."""
