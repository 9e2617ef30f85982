"""Nouns everybody may name: requests, outcomes. Frozen data, no verbs."""
