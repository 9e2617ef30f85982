"""The repair pipeline: check, diagnose, propose, verify, record, learn."""
