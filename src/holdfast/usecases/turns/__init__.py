"""Use cases of a turn: send a message, record it, approve, repair afterwards."""
