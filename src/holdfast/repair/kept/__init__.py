"""The guards: what a fix must keep of the text that it mends, read from the syntax trees of both."""
