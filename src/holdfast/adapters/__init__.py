"""The world, one file or folder for each part of it."""
