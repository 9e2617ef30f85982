"""Use cases: what a person, a model or a CI job can ask for, whichever face it comes through."""
