"""Changes: edits of files that are applied together or not at all."""
