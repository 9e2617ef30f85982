"""Model APIs. Their dialects end here: a reply becomes the stream pieces of `loop.ports`."""
