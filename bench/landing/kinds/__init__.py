"""Kinds of cases. A maker makes one case of its kind, or None where the file or the edit it drew does not fit."""
