"""Sessions: stopping the turns that are at work in them."""
