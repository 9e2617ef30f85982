"""Real agents, driven against a scripted model: `make test-agents`."""
