"""Source text as tokens and as a syntax tree, for landing, rules and preservation. Pure."""
