"""What of a project runs: hashed, and kept as trusted."""
