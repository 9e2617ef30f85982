"""Use cases of repair: repair files, list and pin decisions."""
