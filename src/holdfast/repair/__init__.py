"""Check, diagnose, propose, verify, record, learn."""
