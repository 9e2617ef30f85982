"""The event log: events as JSON, and how they are published."""
