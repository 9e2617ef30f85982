"""What a terminal, or a reader of JSON, is shown."""
