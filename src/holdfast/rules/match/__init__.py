"""Where a rule fits: patterns, operands, and what is around a place."""
