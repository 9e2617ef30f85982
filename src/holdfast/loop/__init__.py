"""One guarded turn: ask the model and run its calls until the turn ends."""
