"""Parse the notations in which models write edits."""
