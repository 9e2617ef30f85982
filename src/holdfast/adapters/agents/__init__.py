"""External agents: their processes, their protocols, and the agents that stay warm."""
