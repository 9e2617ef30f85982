"""Rebase of a change onto files that have changed since."""
