"""HTTP: the use cases for a browser, and the page."""
