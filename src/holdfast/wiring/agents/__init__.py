"""External agents: which there are, and turns with them."""
