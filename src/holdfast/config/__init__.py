"""The settings of Holdfast, read once, layer by layer."""
