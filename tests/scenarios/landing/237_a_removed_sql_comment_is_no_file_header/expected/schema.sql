-- users
CREATE TABLE users (id INT);
-- new note
CREATE TABLE notes (id INT);
