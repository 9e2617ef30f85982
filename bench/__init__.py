"""Side-by-side measurements; never timed tests."""
