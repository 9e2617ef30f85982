"""`holdfast trust`, and the question that other commands ask."""
