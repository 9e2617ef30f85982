"""Learn a rule from a verified fix, and merge rules."""
