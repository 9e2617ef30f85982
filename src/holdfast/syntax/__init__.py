"""Source text as tokens and syntax trees, shared by landing, rules and preservation. Pure."""
