"""The command of the server."""
