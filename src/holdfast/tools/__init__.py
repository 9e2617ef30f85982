"""What a model can call: one tool, one file, its description beside it."""
