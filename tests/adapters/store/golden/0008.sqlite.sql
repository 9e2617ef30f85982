CREATE TABLE agent_sessions (
id TEXT NOT NULL,
session_id TEXT NOT NULL,
agent TEXT NOT NULL,
backend TEXT NOT NULL,
status TEXT NOT NULL,
metadata TEXT NOT NULL,
created_at DATETIME NOT NULL, chat_id TEXT, generation INTEGER DEFAULT '0' NOT NULL,
CONSTRAINT pk_agent_sessions PRIMARY KEY (id),
CONSTRAINT fk_agent_sessions_session_id FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);

CREATE INDEX ix_agent_sessions_session_id ON agent_sessions (session_id);

CREATE TABLE alembic_version (
version_num VARCHAR(32) NOT NULL,
CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE approvals (
id TEXT NOT NULL,
session_id TEXT NOT NULL,
turn_id TEXT NOT NULL,
what TEXT NOT NULL,
subject TEXT NOT NULL,
why TEXT NOT NULL,
options TEXT NOT NULL,
asked_at DATETIME NOT NULL,
answer TEXT,
reason TEXT,
answered_at DATETIME,
CONSTRAINT pk_approvals PRIMARY KEY (id),
CONSTRAINT fk_approvals_session_id FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE,
CONSTRAINT fk_approvals_turn_id FOREIGN KEY(turn_id) REFERENCES turns (id) ON DELETE CASCADE
);

CREATE INDEX ix_approvals_session_id ON approvals (session_id);

CREATE INDEX ix_approvals_turn_id ON approvals (turn_id);

CREATE TABLE changes (
id TEXT NOT NULL,
project_id TEXT NOT NULL,
session_id TEXT,
turn_id TEXT,
seq INTEGER NOT NULL,
state TEXT NOT NULL,
origin TEXT NOT NULL,
request TEXT NOT NULL,
files TEXT NOT NULL,
created_at DATETIME NOT NULL,
settled_at DATETIME, worktree_id TEXT, left_with TEXT, paths TEXT,
CONSTRAINT pk_changes PRIMARY KEY (id),
CONSTRAINT fk_changes_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
CONSTRAINT fk_changes_session_id FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE SET NULL,
CONSTRAINT fk_changes_turn_id FOREIGN KEY(turn_id) REFERENCES turns (id) ON DELETE SET NULL,
CONSTRAINT uq_changes_project_id_seq UNIQUE (project_id, seq)
);

CREATE INDEX ix_changes_left_with ON changes (left_with);

CREATE INDEX ix_changes_session_id ON changes (session_id);

CREATE INDEX ix_changes_turn_id ON changes (turn_id);

CREATE TABLE chats (
id TEXT NOT NULL,
session_id TEXT NOT NULL,
title TEXT NOT NULL,
created_at DATETIME NOT NULL,
CONSTRAINT pk_chats PRIMARY KEY (id),
CONSTRAINT fk_chats_session_id FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE
);

CREATE INDEX ix_chats_session_id ON chats (session_id);

CREATE TABLE "checkpoints" (
id TEXT NOT NULL,
chat_id TEXT,
session_id TEXT,
worktree_id TEXT,
message_id TEXT,
message_seq INTEGER,
commit_sha TEXT NOT NULL,
label TEXT NOT NULL,
kind TEXT NOT NULL,
seq INTEGER NOT NULL,
created_at DATETIME NOT NULL,
project_id TEXT, left_with TEXT,
CONSTRAINT pk_checkpoints PRIMARY KEY (id),
CONSTRAINT fk_checkpoints_chat_id FOREIGN KEY(chat_id) REFERENCES chats (id) ON DELETE CASCADE,
CONSTRAINT fk_checkpoints_session_id FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE SET NULL,
CONSTRAINT fk_checkpoints_worktree_id FOREIGN KEY(worktree_id) REFERENCES worktrees (id) ON DELETE SET NULL,
CONSTRAINT fk_checkpoints_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE INDEX ix_checkpoints_chat_id_seq ON checkpoints (chat_id, seq);

CREATE INDEX ix_checkpoints_left_with ON checkpoints (left_with);

CREATE INDEX ix_checkpoints_project_id ON checkpoints (project_id);

CREATE INDEX ix_checkpoints_session_id ON checkpoints (session_id);

CREATE INDEX ix_checkpoints_worktree_id ON checkpoints (worktree_id);

CREATE TABLE events (
project_id TEXT NOT NULL,
seq INTEGER NOT NULL,
session_id TEXT,
turn_id TEXT,
kind TEXT NOT NULL,
body TEXT NOT NULL,
created_at DATETIME NOT NULL, part_id TEXT,
CONSTRAINT pk_events PRIMARY KEY (project_id, seq),
CONSTRAINT fk_events_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE INDEX ix_events_part_id ON events (part_id);

CREATE INDEX ix_events_session_id_seq ON events (session_id, seq);

CREATE INDEX ix_events_turn_id_seq ON events (turn_id, seq);

CREATE TABLE message_parts (
id TEXT NOT NULL,
message_id TEXT NOT NULL,
seq INTEGER NOT NULL,
kind TEXT NOT NULL,
body TEXT NOT NULL,
CONSTRAINT pk_message_parts PRIMARY KEY (id),
CONSTRAINT fk_message_parts_message_id FOREIGN KEY(message_id) REFERENCES messages (id) ON DELETE CASCADE,
CONSTRAINT uq_message_parts_message_id_seq UNIQUE (message_id, seq)
);

CREATE TABLE messages (
id TEXT NOT NULL,
chat_id TEXT NOT NULL,
seq INTEGER NOT NULL,
role TEXT NOT NULL,
status TEXT NOT NULL,
metadata TEXT NOT NULL,
created_at DATETIME NOT NULL, left_with TEXT,
CONSTRAINT pk_messages PRIMARY KEY (id),
CONSTRAINT fk_messages_chat_id FOREIGN KEY(chat_id) REFERENCES chats (id) ON DELETE CASCADE,
CONSTRAINT uq_messages_chat_id_seq UNIQUE (chat_id, seq)
);

CREATE INDEX ix_messages_left_with ON messages (left_with);

CREATE TABLE projects (
id TEXT NOT NULL,
root TEXT NOT NULL,
created_at DATETIME NOT NULL, identity TEXT,
CONSTRAINT pk_projects PRIMARY KEY (id),
CONSTRAINT uq_projects_root UNIQUE (root)
);

CREATE UNIQUE INDEX ix_projects_identity ON projects (identity);

CREATE TABLE queued_messages (
id TEXT NOT NULL,
session_id TEXT NOT NULL,
seq INTEGER NOT NULL,
client_id TEXT,
turn_id TEXT NOT NULL,
state TEXT NOT NULL,
body TEXT NOT NULL,
why TEXT,
created_at DATETIME NOT NULL,
CONSTRAINT pk_queued_messages PRIMARY KEY (id),
CONSTRAINT fk_queued_messages_session_id FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE,
CONSTRAINT uq_queued_messages_session_id_seq UNIQUE (session_id, seq),
CONSTRAINT uq_queued_messages_session_id_client_id UNIQUE (session_id, client_id)
);

CREATE TABLE rejections (
id TEXT NOT NULL,
session_id TEXT NOT NULL,
seq INTEGER NOT NULL,
change_id TEXT NOT NULL,
state TEXT NOT NULL,
body TEXT NOT NULL,
why TEXT,
told_in TEXT,
created_at DATETIME NOT NULL,
CONSTRAINT pk_rejections PRIMARY KEY (id),
CONSTRAINT fk_rejections_session_id FOREIGN KEY(session_id) REFERENCES sessions (id) ON DELETE CASCADE,
CONSTRAINT uq_rejections_session_id_seq UNIQUE (session_id, seq)
);

CREATE TABLE sessions (
id TEXT NOT NULL,
project_id TEXT NOT NULL,
title TEXT NOT NULL,
status TEXT NOT NULL,
metadata TEXT NOT NULL,
created_at DATETIME NOT NULL, worktree_id TEXT, agent TEXT DEFAULT 'holdfast' NOT NULL, model TEXT, mode TEXT,
CONSTRAINT pk_sessions PRIMARY KEY (id),
CONSTRAINT fk_sessions_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE
);

CREATE INDEX ix_sessions_project_id ON sessions (project_id);

CREATE TABLE turns (
id TEXT NOT NULL,
chat_id TEXT NOT NULL,
message_id TEXT,
status TEXT NOT NULL,
stop_reason TEXT,
metadata TEXT NOT NULL,
started_at DATETIME NOT NULL,
ended_at DATETIME, owner TEXT, generation INTEGER DEFAULT '0' NOT NULL, stop_asked_at DATETIME, stop_message TEXT, left_with TEXT,
CONSTRAINT pk_turns PRIMARY KEY (id),
CONSTRAINT fk_turns_chat_id FOREIGN KEY(chat_id) REFERENCES chats (id) ON DELETE CASCADE
);

CREATE INDEX ix_turns_chat_id ON turns (chat_id);

CREATE INDEX ix_turns_left_with ON turns (left_with);

CREATE TABLE worktrees (
id TEXT NOT NULL,
project_id TEXT NOT NULL,
path TEXT NOT NULL,
branch TEXT NOT NULL,
base_sha TEXT NOT NULL,
created_at DATETIME NOT NULL, identity TEXT,
CONSTRAINT pk_worktrees PRIMARY KEY (id),
CONSTRAINT fk_worktrees_project_id FOREIGN KEY(project_id) REFERENCES projects (id) ON DELETE CASCADE,
CONSTRAINT uq_worktrees_path UNIQUE (path)
);

CREATE UNIQUE INDEX ix_worktrees_identity ON worktrees (identity);

CREATE INDEX ix_worktrees_project_id ON worktrees (project_id);
