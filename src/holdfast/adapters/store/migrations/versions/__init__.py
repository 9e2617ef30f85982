"""One script for each released schema, named by its number."""
