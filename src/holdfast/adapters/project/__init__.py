"""The content of a project: listing, search, overview, digests."""
