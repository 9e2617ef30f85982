"""Processes: running commands, and the watchdog that ends them."""
