"""Tool calls that a model printed as text."""
