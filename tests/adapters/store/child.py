"""Processes of their own for the tests of the store: `python -m tests.adapters.store.child COUNT JOB URL …`.

It says `ready`, waits for a line, lets as many processes as were asked for do the job at once, and says `done` if all
could. They are forked from one that has imported all: that takes longer than their work.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from holdfast.adapters.store.queries.checkpoints import add_checkpoint
from holdfast.adapters.store.queries.events import NewEvent, append_events
from holdfast.adapters.store.queries.messages import append_message
from holdfast.adapters.store.queries.projects import project_at
from holdfast.adapters.store.queries.sessions import add_session
from holdfast.adapters.store.store import open_store
from tests.adapters.store.queries import append_event, append_part
from tests.places import place_of

CHECKOUT = Path(__file__).parents[3]


def open_first(url: str, name: str) -> None:
    """Open a store that may not be there yet, and leave a trace in it."""
    with open_store(url) as store, store.write() as connection:
        project = project_at(connection, place_of(Path("/work/here")))
        add_session(connection, project.id, title=name)


def write_much(url: str, project_id: str, chat_id: str, count: str, name: str) -> None:
    """Add events, messages with a part, and checkpoints, each in a transaction of its own."""
    with open_store(url) as store:
        for number in range(int(count)):
            with store.write() as connection:
                append_event(connection, project_id, kind="written", body=[name, number])
            with store.write() as connection:
                message = append_message(
                    connection, chat_id, role="user", metadata={"by": [name, number]}
                )
                append_part(connection, message.id, kind="text", body=[name, number])
            with store.write() as connection:
                checkpoint_id = f"{name}-{number}"
                add_checkpoint(
                    connection,
                    checkpoint_id=checkpoint_id,
                    commit_sha="a",
                    kind="turn",
                    chat_id=chat_id,
                )


def die_in_the_middle(url: str, project_id: str) -> None:
    """Record one event, write much more than fits into SQLite's cache, and wait to be killed before that is recorded."""
    with open_store(url) as store:
        with store.write() as connection:
            append_event(connection, project_id, kind="recorded", body=1)
        with store.write() as connection:
            for number in range(60):
                append_event(
                    connection, project_id, kind="not recorded", body=[number, "x" * 100_000]
                )
            print("in the middle", flush=True)
            sys.stdin.readline()


def publish(url: str, project_id: str, count: str, name: str) -> None:
    """Publish events of a session, some in each transaction."""
    with open_store(url) as store:
        for number in range(0, int(count), 3):
            new = [NewEvent("text", {"text": f"{number + n}"}, name) for n in range(3)]
            store.run(append_events, project_id, new)


JOBS: dict[str, Callable[..., None]] = {
    "open": open_first,
    "write": write_much,
    "die": die_in_the_middle,
    "publish": publish,
}


class Child:
    """A process that is ready; `go` lets it work."""

    def __init__(self, process: subprocess.Popen[str], said: IO[str], told: IO[str]) -> None:
        self.process = process
        self._said = said
        self._told = told

    def go(self) -> None:
        self._told.write("\n")
        self._told.flush()

    def expect(self, word: str) -> None:
        line = self._said.readline().strip()
        assert line == word, f"the child said {line!r}, not {word!r}"


@contextmanager
def child(count: int, job: str, *args: str) -> Iterator[Child]:
    """Start a process that will do a job `count` times at once; it is killed at the end if it still runs."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "tests.adapters.store.child", str(count), job, *args],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        started = Child(process, process.stdout, process.stdin)
        started.expect("ready")
        yield started
    finally:
        process.kill()
        process.communicate()


def main() -> None:
    count, job, *args = sys.argv[1:]
    for name in ("alembic.command", "psycopg", "sqlalchemy.dialects.postgresql"):
        importlib.import_module(name)
    print("ready", flush=True)
    sys.stdin.readline()
    if count == "1":
        JOBS[job](*args)
    else:
        _do_at_once(int(count), job, args)
    print("done", flush=True)


def _do_at_once(count: int, job: str, args: list[str]) -> None:
    gate, opener = os.pipe()
    workers = [_fork(f"p{number}", job, args, gate, opener) for number in range(count)]
    # Each waits at the gate until nobody can write to it any more.
    os.close(opener)
    codes = [os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) for worker in workers]
    assert codes == [0] * count, codes


def _fork(name: str, job: str, args: list[str], gate: int, opener: int) -> int:
    worker = os.fork()
    if worker == 0:
        code = 1
        try:
            os.close(opener)
            os.read(gate, 1)
            JOBS[job](*args, name)
            code = 0
        except BaseException:  # noqa: BLE001 - whatever it is, this process ends here
            traceback.print_exc()
        finally:
            os._exit(code)
    return worker


if __name__ == "__main__":
    main()
