"""The way from each released schema to the next."""
