"""How Alembic runs the scripts.

On the connection it is given, inside the transaction that is under way there.
"""

from __future__ import annotations

from alembic import context

from holdfast.adapters.store.tables import metadata


def run() -> None:
    """Run the scripts."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        # SQLite cannot alter a column: Alembic then makes the table anew and copies the rows.
        render_as_batch=True,
    )
    context.run_migrations()


# Else nobody migrates, and this file is only imported: pytest does, in search of doctests.
if hasattr(context, "config"):
    run()
