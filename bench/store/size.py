"""How large the store and the private repository of a plain folder are after many turns."""

from __future__ import annotations

import os
import random
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from bench.store.turn import edit_of, record_turn, steps_of_edits
from holdfast.adapters.store.store import open_store
from holdfast.usecases.checkpoints.checkpoint import Created, create_checkpoint
from holdfast.wiring.worktrees import open_worktrees

_FILES = 200
_LINES = 400
_EDITS = 2
_STEPS = 8


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes after so many turns: the store's file, its largest tables, and the private repository."""

    turns: int
    store: int
    tables: dict[str, int]
    repository: int


def measure_sizes(folder: Path, turns: int) -> Sizes:
    """Run turns of eight steps with two edits of one line each, and a checkpoint before each turn.

    The folder has 200 files of 400 lines; the texts that a turn reads are of such a file.
    """
    root, state = folder / "root", folder / "state"
    root.mkdir()
    chance = random.Random(1)
    for number in range(_FILES):
        _file(root, number).write_text(_text(number), encoding="utf-8")
    os.environ["HOLDFAST_STATE_DIR"] = str(state)
    file = state / "holdfast.sqlite3"
    with open_store(str(file)) as store:
        for turn in range(turns):
            taken = create_checkpoint(open_worktrees(root), "a turn")
            assert isinstance(taken, Created), taken
            edits = [edit_of(*_edit(root, chance, turn)) for _ in range(_EDITS)]
            record_turn(store, root, state, steps_of_edits(_STEPS, edits))
    return Sizes(turns, _size_of_store(file), _sizes_of_tables(file), _size_of_repository(state))


def _file(root: Path, number: int) -> Path:
    return root / f"part_{number}.py"


def _text(number: int) -> str:
    lines = (f"VALUE_{line} = {line * number} + LIMIT_{line % 7}\n" for line in range(_LINES))
    return "".join(lines)


def _edit(root: Path, chance: random.Random, turn: int) -> tuple[str, bytes, bytes]:
    """Change one line of a file; return its name, its old bytes and its new ones."""
    file = _file(root, chance.randrange(_FILES))
    old = file.read_bytes()
    lines = old.splitlines(keepends=True)
    at = chance.randrange(len(lines))
    lines[at] = f"VALUE_{at} = {turn}\n".encode()
    new = b"".join(lines)
    file.write_bytes(new)
    return file.name, old, new


def _size_of_store(file: Path) -> int:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return file.stat().st_size


def _sizes_of_tables(file: Path) -> dict[str, int]:
    """Return the lengths of the texts in the tables that have long ones."""
    columns = {
        "events": "length(body)",
        "message_parts": "length(body)",
        "changes": "length(files) + length(request)",
    }
    sizes = {}
    with closing(sqlite3.connect(file)) as connection:
        for table, length in columns.items():
            query = f"SELECT coalesce(sum({length}), 0) FROM {table}"  # noqa: S608 - the names are above
            sizes[table] = int(connection.execute(query).fetchone()[0])
    return sizes


def _size_of_repository(state: Path) -> int:
    """Return the bytes of the private repository on the disk."""
    files = [path for path in state.rglob("*.git/**/*") if path.is_file()]
    return sum(512 * path.stat().st_blocks for path in files)
