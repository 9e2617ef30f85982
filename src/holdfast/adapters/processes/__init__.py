"""Processes: commands, and the watchdog that ends them if Holdfast is killed."""
