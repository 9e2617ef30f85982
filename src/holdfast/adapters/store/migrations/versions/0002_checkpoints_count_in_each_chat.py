"""Number checkpoints in each chat.

A number over all chats made all projects wait for each other.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Drop the unique constraint over all checkpoints; existing numbers stay."""
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint("uq_checkpoints_seq", "checkpoints")
        return

    # SQLite cannot drop a constraint, and Alembic's batch mode writes the foreign keys in another
    # order each time.
    op.create_table(
        "new_checkpoints",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=True),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("worktree_id", sa.Text(), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("message_seq", sa.Integer(), nullable=True),
        sa.Column("commit_sha", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["chat_id"], ["chats.id"], name="fk_checkpoints_chat_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["session_id"], ["sessions.id"], name="fk_checkpoints_session_id", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["worktree_id"],
            ["worktrees.id"],
            name="fk_checkpoints_worktree_id",
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_checkpoints"),
    )
    op.execute("INSERT INTO new_checkpoints SELECT * FROM checkpoints")
    op.drop_table("checkpoints")
    op.rename_table("new_checkpoints", "checkpoints")
    op.create_index("ix_checkpoints_chat_id_seq", "checkpoints", ["chat_id", "seq"])
    op.create_index("ix_checkpoints_session_id", "checkpoints", ["session_id"])
    op.create_index("ix_checkpoints_worktree_id", "checkpoints", ["worktree_id"])
