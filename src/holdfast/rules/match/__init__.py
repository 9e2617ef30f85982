"""Find where a rule applies and rewrite the text."""
