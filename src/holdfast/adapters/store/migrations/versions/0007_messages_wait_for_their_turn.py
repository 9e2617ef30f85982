"""Record the messages that wait for the next turn, and what model and mode a session uses."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_JSON = sa.JSON().with_variant(sa.Text(), "sqlite")


def upgrade() -> None:
    """Make the table `queued_messages`; add `model` and `mode` to `sessions`."""
    op.add_column("sessions", sa.Column("model", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("mode", sa.Text(), nullable=True))
    op.create_table(
        "queued_messages",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("client_id", sa.Text(), nullable=True),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("body", _JSON, nullable=False),
        sa.Column("why", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["sessions.id"],
            name="fk_queued_messages_session_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_queued_messages"),
        sa.UniqueConstraint("session_id", "seq", name="uq_queued_messages_session_id_seq"),
        sa.UniqueConstraint(
            "session_id", "client_id", name="uq_queued_messages_session_id_client_id"
        ),
    )
