"""Record who runs a turn and who asked it to stop, and which folder a project has."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns; rows that are there get the agent and the generation that they have had."""
    for table in ("projects", "worktrees"):
        op.add_column(table, sa.Column("identity", sa.Text(), nullable=True))
        op.create_index(f"ix_{table}_identity", table, ["identity"], unique=True)
    op.add_column("sessions", sa.Column("worktree_id", sa.Text(), nullable=True))
    op.add_column("changes", sa.Column("worktree_id", sa.Text(), nullable=True))
    agent = sa.Column("agent", sa.Text(), nullable=False, server_default="holdfast")
    op.add_column("sessions", agent)
    op.add_column("turns", sa.Column("owner", sa.Text(), nullable=True))
    generation = sa.Column("generation", sa.Integer(), nullable=False, server_default="0")
    op.add_column("turns", generation)
    op.add_column("turns", sa.Column("stop_asked_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("turns", sa.Column("stop_message", sa.Text(), nullable=True))
    op.add_column("events", sa.Column("part_id", sa.Text(), nullable=True))
    op.create_index("ix_events_part_id", "events", ["part_id"])
