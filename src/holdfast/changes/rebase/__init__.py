"""Carry a change over to files that have changed since."""
