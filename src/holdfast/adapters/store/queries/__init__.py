"""Queries of the store, one module per table."""
