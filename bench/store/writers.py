"""How long each of several writers waits for the store: with its queue, and with SQLite's own polling."""

from __future__ import annotations

import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from holdfast.adapters.store.database_url import parse_address
from holdfast.adapters.store.engine import make_engine
from holdfast.adapters.store.queries.events import NewEvent, append_events
from holdfast.adapters.store.queries.projects import lock_project
from holdfast.adapters.store.store import open_store
from holdfast.vocab.place import Place

_EVENT = {"text": "Read the file, saw that the limit is too low, and raised it by one. " * 4}


@dataclass(frozen=True, slots=True)
class Waits:
    """What the writers waited for their transactions, in seconds, and how long all took together."""

    median: float
    p99: float
    longest: float
    total: float


def measure_waits(folder: Path, writers: int, transactions: int, *, queue: bool) -> Waits:
    """Run several processes that write as fast as they can; return what they waited."""
    file = folder / f"writers-{queue}.sqlite3"
    with open_store(str(file)) as store:
        for number in range(writers):
            store.run(lock_project, _place(folder, number))
    context = multiprocessing.get_context("spawn")
    waits, start = context.Queue(), context.Barrier(writers + 1)
    write = _write_in_line if queue else _write_polling
    arguments = [(write, file, _place(folder, each), transactions) for each in range(writers)]
    processes = [context.Process(target=_writer, args=(*each, waits, start)) for each in arguments]
    for process in processes:
        process.start()
    start.wait()
    begun = time.perf_counter()
    found = sorted(wait for _ in processes for wait in waits.get())
    total = time.perf_counter() - begun
    for process in processes:
        process.join()
    return Waits(statistics.median(found), found[int(len(found) * 0.99)], found[-1], total)


def _place(folder: Path, number: int) -> Place:
    root = str(folder / f"root-{number}")
    return Place(root, root, root, root)


_Write = Callable[[Path, Place, int, Barrier], Iterator[float]]


def _writer(  # noqa: PLR0917 - the arguments of a process
    write: _Write, file: Path, place: Place, transactions: int, waits: Any, start: Barrier
) -> None:
    waits.put(list(write(file, place, transactions, start)))


def _write_in_line(file: Path, place: Place, transactions: int, start: Barrier) -> Iterator[float]:
    """Write through the store; yield what each transaction waited."""
    with open_store(str(file)) as store:
        start.wait()
        for _ in range(transactions):
            begun = time.perf_counter()
            with store.write() as connection:
                waited = time.perf_counter() - begun
                _append(connection, place)
            yield waited


def _append(connection: Connection, place: Place) -> None:
    project = lock_project(connection, place)
    append_events(connection, project.id, [NewEvent("said", _EVENT)])


def _write_polling(file: Path, place: Place, transactions: int, start: Barrier) -> Iterator[float]:
    """Write the same through the engine alone, as SQLite's `BEGIN IMMEDIATE` lets in whom it finds."""
    engine = make_engine(parse_address(str(file)))
    start.wait()
    for _ in range(transactions):
        begun = time.perf_counter()
        with engine.begin() as connection:
            waited = time.perf_counter() - begun
            _append(connection, place)
        yield waited
    engine.dispose()
