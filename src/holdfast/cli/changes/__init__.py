"""`holdfast changes`: review proposed and applied changes."""
