"""Sessions in the store: which there are, and what is left of those that were deleted."""
