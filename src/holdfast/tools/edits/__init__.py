"""Land the edits of a tool call and report the result to the model."""
