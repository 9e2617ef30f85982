"""Sessions: stop the turns that run in them."""
