"""Model APIs. Their dialect ends here: a reply leaves this package as the pieces of `loop.ports`."""
