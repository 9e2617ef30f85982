"""Git's objects and index file, read and written in this process."""
