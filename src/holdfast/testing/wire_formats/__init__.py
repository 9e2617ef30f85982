"""The APIs of model servers: the same reply as Chat Completions, Responses, Messages or Gemini."""
