"""Garbage: what nothing leads to any more, and the space that it takes."""
