"""Settings of Holdfast, read once, layer by layer."""
