"""Git, run so that the user's HEAD, index, branches, stash and hooks stay untouched."""
