"""Checks of one unit by compilers and checkers: finding, running and reading the tools."""
