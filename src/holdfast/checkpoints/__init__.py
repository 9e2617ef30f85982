"""What a snapshot keeps, and how to go back to it: the plan, not git."""
