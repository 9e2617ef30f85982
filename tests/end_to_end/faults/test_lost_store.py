"""A store that is lost or locked in mid-turn: said, with the documented exit code, and nothing is lost."""

from __future__ import annotations

import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from holdfast.testing import ScriptedServer, call, hang, say
from tests.adapters.store.postgres import CannotStart, Postgres, running_postgres
from tests.end_to_end.run.project import TEXT, Project, finish, read_until
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

EDIT = call("edit_file", path="a.py", old="x = 1", new="x = 2")
NEW = "x = 2\ny = 2\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    with ExitStack() as stack:
        try:
            server = stack.enter_context(running_postgres())
        except CannotStart as error:
            pytest.skip(str(error))
        yield server


def test_a_postgresql_that_is_stopped_in_mid_turn_ends_it_and_is_used_again_when_it_is_back(
    project: Project, postgres: Postgres
) -> None:
    release = threading.Event()
    postgres.execute("CREATE DATABASE holdfast")
    url = postgres.url("holdfast")
    script = [EDIT, hang(release, call("write_file", path="b.py", text="two\n")), say("Done.")]
    with (
        ScriptedServer(script) as server,
        project.running(
            "Do it.", "--approve", "auto", server=server, HOLDFAST_DATABASE_URL=url
        ) as process,
    ):
        read_until(process.stdout, "edit_landed")
        assert wait_until(lambda: len(server.requests) == 2)
        postgres.stop("fast")
        release.set()
        ran = finish(process)
    assert ran.code == 1
    assert "The turn could not be recorded any more, and was ended: " in ran.ended["message"]
    assert "the database cannot be reached" in ran.ended["message"]
    assert "unused-secret" not in ran.out + ran.err
    # What could not be recorded was not done either.
    assert project.texts() == {"a.py": NEW}

    gone = project.holdfast("changes", "list", HOLDFAST_DATABASE_URL=url)
    assert gone.code == 1
    postgres.start()
    with ScriptedServer([say("Here.")]) as server:
        later = project.run("And now?", server=server, HOLDFAST_DATABASE_URL=url)
    assert later.code == 0, later
    assert "was interrupted; to go on: holdfast run --continue " in later.err
    undone = project.holdfast("undo", HOLDFAST_DATABASE_URL=url)
    assert undone.code == 0, undone
    assert project.texts() == {"a.py": TEXT}


def test_a_database_that_is_locked_for_a_while_is_waited_for(project: Project) -> None:
    with ScriptedServer([say("Hello.")]) as server:
        assert project.run("Hi.", server=server).code == 0
    file = project.state / "holdfast.sqlite3"
    with (
        ScriptedServer([EDIT, say("Done.")]) as server,
        closing(sqlite3.connect(file, isolation_level=None)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        with project.running("Do it.", server=server) as process:
            # It waits: neither is it asked nor is anything changed.
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(timeout=3)
            assert (len(server.requests), project.texts()) == (0, {"a.py": TEXT})
            other.execute("COMMIT")
            ran = finish(process)
    assert ran.code == 0, ran
    assert project.texts() == {"a.py": NEW}
