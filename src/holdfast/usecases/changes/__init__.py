"""Use cases of changes: apply, propose, review, rewind, undo, prune."""
