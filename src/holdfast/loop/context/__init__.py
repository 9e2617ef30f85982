"""What is sent to the model: history, payload, token budget, compaction."""
