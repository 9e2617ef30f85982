"""`holdfast sessions`."""
