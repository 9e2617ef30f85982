"""What `late_store` imports when a command needs it: the store takes long to import."""
