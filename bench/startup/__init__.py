"""How long commands take to start."""
