"""Use cases: everything a person, a model, an agent or a job can do."""
