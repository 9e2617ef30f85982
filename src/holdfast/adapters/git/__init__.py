"""Git, called so that nothing of the user's runs, prompts or moves: HEAD, index, branches, stash and hooks stay."""
