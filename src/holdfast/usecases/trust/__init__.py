"""Trust in the code of a project."""
