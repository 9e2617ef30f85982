"""Rewrite source text by learned and built-in rules. Pure."""
