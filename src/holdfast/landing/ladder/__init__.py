"""Find where an edit belongs: the rungs of the match ladder, strictest first."""
