"""Calls that a model printed as text, in the dialects that models were trained on."""
