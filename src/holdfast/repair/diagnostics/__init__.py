"""Parsers of compiler output: one file per tool, pure, and no output makes a parser raise."""
