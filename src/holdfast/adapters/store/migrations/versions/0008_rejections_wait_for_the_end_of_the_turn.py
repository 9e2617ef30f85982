"""Record rejections of hunks and their reasons; find the events of a turn by an index."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_JSON = sa.JSON().with_variant(sa.Text(), "sqlite")


def upgrade() -> None:
    """Make the table `rejections` and the index of events by turn."""
    op.create_table(
        "rejections",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("change_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("body", _JSON, nullable=False),
        sa.Column("why", sa.Text(), nullable=True),
        sa.Column("told_in", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name="fk_rejections_session_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_rejections"),
        sa.UniqueConstraint("session_id", "seq", name="uq_rejections_session_id_seq"),
    )
    op.create_index("ix_events_turn_id_seq", "events", ["turn_id", "seq"])
