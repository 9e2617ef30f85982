"""What one-shot agents print: a dialect turns the lines of one agent into updates."""
