"""Readers of what a model sends: the text that it means, without what is around it or happened to it."""
