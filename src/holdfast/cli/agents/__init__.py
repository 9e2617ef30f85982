"""The commands about external agents."""
