"""Mutation testing: change one condition at a time and see whether a test fails."""
