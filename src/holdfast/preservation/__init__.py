"""Judge what a fix must not lose, change or hide. Pure."""
