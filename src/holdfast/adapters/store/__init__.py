"""The store: what Holdfast remembers, in SQLite by default or in a PostgreSQL that many share."""
