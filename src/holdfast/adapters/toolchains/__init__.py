"""Compilers and checkers, run on one unit: where they are, how they are called, what they said."""
