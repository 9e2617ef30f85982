"""What a server costs: followers, turns, restores."""
