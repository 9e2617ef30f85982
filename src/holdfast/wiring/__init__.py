"""The composition root: the only package in which a port meets an adapter.

Each module imports what its own commands need and no more; nothing is re-exported here.
"""
