"""Rules: a fix that was verified once is applied again without a model."""
