CREATE TABLE agent_sessions (
id text NOT NULL,
session_id text NOT NULL,
agent text NOT NULL,
backend text NOT NULL,
status text NOT NULL,
metadata json NOT NULL,
created_at timestamp with time zone NOT NULL,
chat_id text,
generation integer NOT NULL DEFAULT 0,
CONSTRAINT pk_agent_sessions PRIMARY KEY (id),
CONSTRAINT fk_agent_sessions_session_id FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);

CREATE INDEX ix_agent_sessions_session_id ON agent_sessions USING btree (session_id);

CREATE TABLE alembic_version (
version_num character varying(32) NOT NULL,
CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE approvals (
id text NOT NULL,
session_id text NOT NULL,
turn_id text NOT NULL,
what text NOT NULL,
subject text NOT NULL,
why text NOT NULL,
options json NOT NULL,
asked_at timestamp with time zone NOT NULL,
answer text,
reason text,
answered_at timestamp with time zone,
CONSTRAINT pk_approvals PRIMARY KEY (id),
CONSTRAINT fk_approvals_session_id FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE,
CONSTRAINT fk_approvals_turn_id FOREIGN KEY (turn_id) REFERENCES turns(id) ON DELETE CASCADE
);

CREATE INDEX ix_approvals_session_id ON approvals USING btree (session_id);

CREATE INDEX ix_approvals_turn_id ON approvals USING btree (turn_id);

CREATE TABLE changes (
id text NOT NULL,
project_id text NOT NULL,
session_id text,
turn_id text,
seq integer NOT NULL,
state text NOT NULL,
origin text NOT NULL,
request json NOT NULL,
files json NOT NULL,
created_at timestamp with time zone NOT NULL,
settled_at timestamp with time zone,
worktree_id text,
left_with text,
paths text,
CONSTRAINT uq_changes_project_id_seq UNIQUE (project_id, seq),
CONSTRAINT pk_changes PRIMARY KEY (id),
CONSTRAINT fk_changes_project_id FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
CONSTRAINT fk_changes_session_id FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE SET NULL,
CONSTRAINT fk_changes_turn_id FOREIGN KEY (turn_id) REFERENCES turns(id) ON DELETE SET NULL
);

CREATE INDEX ix_changes_left_with ON changes USING btree (left_with);

CREATE INDEX ix_changes_session_id ON changes USING btree (session_id);

CREATE INDEX ix_changes_turn_id ON changes USING btree (turn_id);

CREATE TABLE chats (
id text NOT NULL,
session_id text NOT NULL,
title text NOT NULL,
created_at timestamp with time zone NOT NULL,
CONSTRAINT pk_chats PRIMARY KEY (id),
CONSTRAINT fk_chats_session_id FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);

CREATE INDEX ix_chats_session_id ON chats USING btree (session_id);

CREATE TABLE checkpoints (
id text NOT NULL,
chat_id text,
session_id text,
worktree_id text,
message_id text,
message_seq integer,
commit_sha text NOT NULL,
label text NOT NULL,
kind text NOT NULL,
seq integer NOT NULL,
created_at timestamp with time zone NOT NULL,
project_id text,
left_with text,
CONSTRAINT pk_checkpoints PRIMARY KEY (id),
CONSTRAINT fk_checkpoints_chat_id FOREIGN KEY (chat_id) REFERENCES chats(id) ON DELETE CASCADE,
CONSTRAINT fk_checkpoints_project_id FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
CONSTRAINT fk_checkpoints_session_id FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE SET NULL,
CONSTRAINT fk_checkpoints_worktree_id FOREIGN KEY (worktree_id) REFERENCES worktrees(id) ON DELETE SET NULL
);

CREATE INDEX ix_checkpoints_chat_id_seq ON checkpoints USING btree (chat_id, seq);

CREATE INDEX ix_checkpoints_left_with ON checkpoints USING btree (left_with);

CREATE INDEX ix_checkpoints_project_id ON checkpoints USING btree (project_id);

CREATE INDEX ix_checkpoints_session_id ON checkpoints USING btree (session_id);

CREATE INDEX ix_checkpoints_worktree_id ON checkpoints USING btree (worktree_id);

CREATE TABLE events (
project_id text NOT NULL,
seq integer NOT NULL,
session_id text,
turn_id text,
kind text NOT NULL,
body json NOT NULL,
created_at timestamp with time zone NOT NULL,
part_id text,
CONSTRAINT pk_events PRIMARY KEY (project_id, seq),
CONSTRAINT fk_events_project_id FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE
);

CREATE INDEX ix_events_part_id ON events USING btree (part_id);

CREATE INDEX ix_events_session_id_seq ON events USING btree (session_id, seq);

CREATE INDEX ix_events_turn_id_seq ON events USING btree (turn_id, seq);

CREATE TABLE message_parts (
id text NOT NULL,
message_id text NOT NULL,
seq integer NOT NULL,
kind text NOT NULL,
body json NOT NULL,
CONSTRAINT uq_message_parts_message_id_seq UNIQUE (message_id, seq),
CONSTRAINT pk_message_parts PRIMARY KEY (id),
CONSTRAINT fk_message_parts_message_id FOREIGN KEY (message_id) REFERENCES messages(id) ON DELETE CASCADE
);

CREATE TABLE messages (
id text NOT NULL,
chat_id text NOT NULL,
seq integer NOT NULL,
role text NOT NULL,
status text NOT NULL,
metadata json NOT NULL,
created_at timestamp with time zone NOT NULL,
left_with text,
CONSTRAINT uq_messages_chat_id_seq UNIQUE (chat_id, seq),
CONSTRAINT pk_messages PRIMARY KEY (id),
CONSTRAINT fk_messages_chat_id FOREIGN KEY (chat_id) REFERENCES chats(id) ON DELETE CASCADE
);

CREATE INDEX ix_messages_left_with ON messages USING btree (left_with);

CREATE TABLE projects (
id text NOT NULL,
root text NOT NULL,
created_at timestamp with time zone NOT NULL,
identity text,
CONSTRAINT uq_projects_root UNIQUE (root),
CONSTRAINT pk_projects PRIMARY KEY (id)
);

CREATE UNIQUE INDEX ix_projects_identity ON projects USING btree (identity);

CREATE TABLE queued_messages (
id text NOT NULL,
session_id text NOT NULL,
seq integer NOT NULL,
client_id text,
turn_id text NOT NULL,
state text NOT NULL,
body json NOT NULL,
why text,
created_at timestamp with time zone NOT NULL,
CONSTRAINT uq_queued_messages_session_id_client_id UNIQUE (session_id, client_id),
CONSTRAINT uq_queued_messages_session_id_seq UNIQUE (session_id, seq),
CONSTRAINT pk_queued_messages PRIMARY KEY (id),
CONSTRAINT fk_queued_messages_session_id FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);

CREATE TABLE rejections (
id text NOT NULL,
session_id text NOT NULL,
seq integer NOT NULL,
change_id text NOT NULL,
state text NOT NULL,
body json NOT NULL,
why text,
told_in text,
created_at timestamp with time zone NOT NULL,
CONSTRAINT uq_rejections_session_id_seq UNIQUE (session_id, seq),
CONSTRAINT pk_rejections PRIMARY KEY (id),
CONSTRAINT fk_rejections_session_id FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);

CREATE TABLE sessions (
id text NOT NULL,
project_id text NOT NULL,
title text NOT NULL,
status text NOT NULL,
metadata json NOT NULL,
created_at timestamp with time zone NOT NULL,
worktree_id text,
agent text NOT NULL DEFAULT 'holdfast'::text,
model text,
mode text,
CONSTRAINT pk_sessions PRIMARY KEY (id),
CONSTRAINT fk_sessions_project_id FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE
);

CREATE INDEX ix_sessions_project_id ON sessions USING btree (project_id);

CREATE TABLE turns (
id text NOT NULL,
chat_id text NOT NULL,
message_id text,
status text NOT NULL,
stop_reason text,
metadata json NOT NULL,
started_at timestamp with time zone NOT NULL,
ended_at timestamp with time zone,
owner text,
generation integer NOT NULL DEFAULT 0,
stop_asked_at timestamp with time zone,
stop_message text,
left_with text,
CONSTRAINT pk_turns PRIMARY KEY (id),
CONSTRAINT fk_turns_chat_id FOREIGN KEY (chat_id) REFERENCES chats(id) ON DELETE CASCADE
);

CREATE INDEX ix_turns_chat_id ON turns USING btree (chat_id);

CREATE INDEX ix_turns_left_with ON turns USING btree (left_with);

CREATE TABLE worktrees (
id text NOT NULL,
project_id text NOT NULL,
path text NOT NULL,
branch text NOT NULL,
base_sha text NOT NULL,
created_at timestamp with time zone NOT NULL,
identity text,
CONSTRAINT uq_worktrees_path UNIQUE (path),
CONSTRAINT pk_worktrees PRIMARY KEY (id),
CONSTRAINT fk_worktrees_project_id FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE
);

CREATE INDEX ix_worktrees_project_id ON worktrees USING btree (project_id);

CREATE UNIQUE INDEX ix_worktrees_identity ON worktrees USING btree (identity);
