"""One turn of 60 steps: its transactions through the adapters of the store, and the same rows through plain sqlite3."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from holdfast.adapters.filesystem.turn_locks import TurnLocks
from holdfast.adapters.places.place_records import find_place
from holdfast.adapters.store.change_log import StoredChanges
from holdfast.adapters.store.plain.column_values import new_id
from holdfast.adapters.store.store import Store
from holdfast.adapters.store.turn_log import StoredTurnLog
from holdfast.changes.change import AT_ONCE, Change, RequestedEdits
from holdfast.changes.change_json import plan_to_json, requested_to_json
from holdfast.changes.plan import ChangePlan, FileLanded
from holdfast.changes.swaps import Content, Swap
from holdfast.usecases.events.event_json import is_transcript
from holdfast.usecases.events.event_to_json import event_to_json
from holdfast.usecases.turns.ports import TurnBegun, TurnRequest
from holdfast.vocab.events import CallEnded, CallStarted, Event, Said, StepStarted, TurnEnded
from holdfast.vocab.requests import FileRequest, Replace
from holdfast.vocab.tool_calls import ToolCall

STEPS = 60
STEPS_PER_EDIT = 5
# One to begin, two a step (the last of them ends the turn), and two for each edit.
TRANSACTIONS = 1 + 2 * STEPS + 2 * (STEPS // STEPS_PER_EDIT)
_OPENING = TurnRequest("Raise the limit.", "a model", "Rules.", "all")
_TEXT = "Read the file, saw that the limit is too low, and raised it by one. " * 4
_CODE = "LIMIT = 0\n\n\ndef work(value):\n    return value + LIMIT\n" * 8


@dataclass(frozen=True, slots=True)
class Step:
    """What a step records: what the model said, the edit that it made, and what the tool answered."""

    said: tuple[Event, ...]
    answered: tuple[Event, ...]
    edit: Change | None


def steps(count: int = STEPS) -> tuple[Step, ...]:
    """Return the steps of a turn."""
    return tuple(_step(number) for number in range(1, count + 1))


def steps_of_edits(count: int, edits: list[Change]) -> tuple[Step, ...]:
    """Return the steps of a turn, of which the last ones make these edits."""
    plain = [replace(_step(number), edit=None) for number in range(1, count + 1)]
    first = count - len(edits)
    for place, edit in enumerate(edits, first):
        plain[place] = replace(plain[place], edit=edit)
    return tuple(plain)


def _step(number: int) -> Step:
    call = ToolCall(
        f"call-{number}",
        "edit_file",
        {"path": "src/part.py", "old": "LIMIT = 0", "new": "LIMIT = 1"},
    )
    said = (StepStarted(number), Said(_TEXT, "", (call,)), CallStarted(call))
    answered = (CallEnded(call.id, call.name, _CODE, None, ("src/part.py",)),)
    return Step(said, answered, _edit() if number % STEPS_PER_EDIT == 0 else None)


def _edit() -> Change:
    return edit_of("src/part.py", _CODE.encode(), _CODE.replace("0", "1").encode())


def edit_of(path: str, old: bytes, new: bytes) -> Change:
    """Return a change of one file."""
    asked = RequestedEdits((FileRequest(path, "edit", Replace("LIMIT = 0", "LIMIT = 1")),))
    landed = FileLanded(path, "edit", "exact", 1.0, "-LIMIT = 0\n+LIMIT = 1\n")
    swap = Swap(path, Content(old, 0o644), Content(new, 0o644))
    return Change(new_id(), "proposed", AT_ONCE, asked, ChangePlan((landed,), (swap,), ()))


def record_turn(store: Store, root: Path, state: Path, turn: tuple[Step, ...]) -> None:
    """Record a turn as the use cases do."""
    place = find_place(root, state)
    records, log = StoredTurnLog(store, place, TurnLocks(state)), StoredChanges(store, place)
    begun = records.begin(_OPENING, lambda _: ())
    assert isinstance(begun, TurnBegun)
    for step in turn:
        records.keep(begun, step.said)
        if step.edit is not None:
            log.add(step.edit, lambda _: ())
            log.move(step.edit.id, "proposed", "applied", ())
        if step is turn[-1]:
            records.end(begun, step.answered, _END)
        else:
            records.keep(begun, step.answered)


_END = TurnEnded("done", "Done.", STEPS, 0, 0)
_Statement = tuple[str, list[tuple[Any, ...]]]


def plain_transactions(root: Path, turn: tuple[Step, ...]) -> Iterator[list[_Statement]]:
    """Yield the statements of each transaction of the same turn, with their rows: the same JSON, ids and moments."""
    project, session, chat, message, answer, turn_id = (new_id() for _ in range(6))
    yield [
        (
            "INSERT INTO projects (id, root, created_at) VALUES (?, ?, ?)",
            [(project, str(root), _now())],
        ),
        (
            _SESSION,
            [(session, project, "Raise", "open", "{}", _now())],
        ),
        ("INSERT INTO chats VALUES (?, ?, ?, ?)", [(chat, session, "", _now())]),
        (_MESSAGE, [(message, chat, 1, "user", "done", "{}", _now())]),
        (_PART, [(new_id(), message, 1, "text", json.dumps({"text": _OPENING.prompt}))]),
        (_MESSAGE, [(answer, chat, 2, "assistant", "running", "{}", _now())]),
        (
            _TURN,
            [(turn_id, chat, answer, "running", None, "{}", _now(), None)],
        ),
    ]
    numbers = {"events": 0, "parts": 0, "changes": 0}

    def kept(events: tuple[Event, ...]) -> list[_Statement]:
        parts, facts = [], []
        for event in events:
            body = json.dumps(event_to_json(event))
            part_id = None
            if is_transcript(event):
                part_id = new_id()
                numbers["parts"] += 1
                parts.append((part_id, answer, numbers["parts"], event.kind, "null"))
            numbers["events"] += 1
            owner = (project, numbers["events"], session, turn_id)
            facts.append((*owner, event.kind, body, _now(), part_id))
        return [(_PART, parts), ("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", facts)]

    for step in turn:
        yield kept(step.said)
        if step.edit is not None:
            numbers["changes"] += 1
            asked, files = (
                json.dumps(requested_to_json(step.edit.requested)),
                json.dumps(plan_to_json(step.edit.plan)),
            )
            row = (
                step.edit.id,
                project,
                None,
                None,
                numbers["changes"],
                "proposed",
                AT_ONCE,
                asked,
                files,
            )
            yield [
                (
                    _CHANGE,
                    [(*row, _now(), None)],
                )
            ]
            moved = ("applied", _now(), step.edit.id)
            yield [("UPDATE changes SET state = ?, settled_at = ? WHERE id = ?", [moved])]
        if step is turn[-1]:
            yield [
                *kept((*step.answered, _END)),
                ("UPDATE messages SET status = ? WHERE id = ?", [("done", answer)]),
                (
                    "UPDATE turns SET status = ?, ended_at = ? WHERE id = ?",
                    [("done", _now(), turn_id)],
                ),
            ]
        else:
            yield kept(step.answered)


_MESSAGE = (
    "INSERT INTO messages (id, chat_id, seq, role, status, metadata, created_at) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_SESSION = (
    "INSERT INTO sessions (id, project_id, title, status, metadata, created_at) "
    "VALUES (?, ?, ?, ?, ?, ?)"
)
_TURN = (
    "INSERT INTO turns (id, chat_id, message_id, status, stop_reason, metadata, started_at, "
    "ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_CHANGE = (
    "INSERT INTO changes (id, project_id, session_id, turn_id, seq, state, origin, request, files, "
    "created_at, settled_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_PART = "INSERT INTO message_parts VALUES (?, ?, ?, ?, ?)"


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")


def open_plain(file: Path) -> sqlite3.Connection:
    """Open the file of a store as plain sqlite3 does, with the pragmas of the store."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def write_plain(connection: sqlite3.Connection, transactions: Iterable[list[_Statement]]) -> int:
    """Write the rows, a transaction at a time, and return how many transactions there were."""
    count = 0
    for statements in transactions:
        connection.execute("BEGIN IMMEDIATE")
        for statement, rows in statements:
            connection.executemany(statement, rows)
        connection.execute("COMMIT")
        count += 1
    return count
