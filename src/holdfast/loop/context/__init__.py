"""The model's context: history, payload, token budget, compaction."""
