"""Following the event log of a store."""
