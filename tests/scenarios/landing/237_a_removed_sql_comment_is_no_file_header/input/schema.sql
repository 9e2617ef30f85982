-- users
CREATE TABLE users (id INT);
-- old note
CREATE TABLE notes (id INT);
