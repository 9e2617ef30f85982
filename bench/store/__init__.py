"""What the store costs a turn, beside plain sqlite3."""
