"""What the sandbox costs, and whether ordinary work still works in it."""
