"""Use cases of approvals: a turn asks, and a person answers, in whatever process."""
