"""Split a command line into words, and judge what those words do."""
