"""Compute what an edit changes at the place that was found."""
