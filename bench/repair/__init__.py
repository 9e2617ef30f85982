"""Repair: what a rule costs to find, and what it saves."""
