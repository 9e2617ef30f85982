"""What a project holds: listing, search, overview, digests."""
