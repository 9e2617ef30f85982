"""The system prompt and the tools that each kind of model is offered."""
