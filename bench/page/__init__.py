"""Measure the page in a browser, with a server that only serves generated answers."""
