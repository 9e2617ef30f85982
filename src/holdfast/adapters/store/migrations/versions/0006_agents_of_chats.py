"""Record which chat an external agent remembers, and how often a restore took that memory away."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add `chat_id` and `generation` to `agent_sessions`."""
    op.add_column("agent_sessions", sa.Column("chat_id", sa.Text(), nullable=True))
    generation = sa.Column("generation", sa.Integer(), nullable=False, server_default="0")
    op.add_column("agent_sessions", generation)
