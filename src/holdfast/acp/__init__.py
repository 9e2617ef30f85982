"""Holdfast as an ACP agent on standard input and output, for editors."""
