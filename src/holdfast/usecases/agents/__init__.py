"""External agents: their turns, and what is known about them."""
