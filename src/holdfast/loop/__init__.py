"""One guarded turn: a user's message carried to its end."""
