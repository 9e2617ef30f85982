"""What git does not store: directories, folders that are left out, repositories inside."""
