"""Lines of a text: keys, tokens, alignment and edit scripts."""
