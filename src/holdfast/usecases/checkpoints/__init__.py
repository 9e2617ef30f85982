"""Use cases of checkpoints: create, list, restore, undo, prune."""
