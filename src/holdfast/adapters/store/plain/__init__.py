"""A SQLite store through its driver alone.

Most commands of a shell need one or two transactions of the store. SQLAlchemy takes three times as
long to import as all else that such a command does, so what these need is here without it.
"""
