"""`holdfast gc`: remove what nothing leads to any more."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.options import AsJson, require_directory
from holdfast.cli.refusal import refuse
from holdfast.cli.render.edits import settled_as_json, warn_settled
from holdfast.cli.render.text import count_of, write
from holdfast.usecases.garbage.collect import Collected, GarbageRequest, collect_garbage
from holdfast.usecases.garbage.ports import GarbageUnavailable
from holdfast.wiring.garbage import garbage_places

_NOUNS = {
    "refs": "ref",
    "changes": "change",
    "events": "event",
    "repositories": "private repository",
    "files": "old file",
}


def gc(
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Remove nothing, and print the same figures.")
    ] = False,
    now: Annotated[
        bool,
        typer.Option("--now", help="Do not wait until a folder has been gone for 30 days."),
    ] = False,
    root: Annotated[
        Path | None,
        typer.Option(
            "--root", metavar="DIR", help="Only this project.", show_default="all projects"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Remove what nothing leads to any more, and free its space.

    In all projects: refs and events of deleted sessions, settled changes beyond the latest 1,000,
    private repositories of folders that are gone, old saved texts. SQLite's file is made smaller.
    It can be stopped at any moment; the next run continues.

    Exit 0: done. 1: refused. 2: wrong usage.
    """
    real = None
    if root is not None:
        require_directory(root)
        real = os.path.realpath(root)

    try:
        with garbage_places() as places:
            collected = collect_garbage(GarbageRequest(dry_run, now, real), places)
    except GarbageUnavailable as error:
        refuse(str(error), as_json=as_json)

    warn_settled(collected.recovered)
    if as_json:
        print(json.dumps(_as_json(collected)))
    else:
        _show(collected)


def _as_json(collected: Collected) -> dict[str, object]:
    return {
        "dry_run": collected.dry_run,
        "removed": {kind: collected.removed[kind] for kind in _NOUNS},
        "freed": collected.freed,
        "bytes": collected.size,
        "kept": [asdict(kept) for kept in collected.kept],
        "recovered": settled_as_json(collected.recovered),
    }


def _show(collected: Collected) -> None:
    verb = "Would remove" if collected.dry_run else "Removed"
    for kind, noun in _NOUNS.items():
        count = collected.removed[kind]
        if count:
            write(f"{verb} {_counted(count, noun)} ({_bytes(collected.freed[kind])}).")

    for kept in collected.kept:
        write(f"Kept {kept.path}: {kept.reason}.", dim=True)

    would = "would be" if collected.dry_run else "are"
    write(f"{_bytes(collected.size)} {would} free.")


def _counted(count: int, noun: str) -> str:
    if noun.endswith("y") and count != 1:
        return f"{count} {noun.removesuffix('y')}ies"
    return count_of(count, noun)


def _bytes(size: int) -> str:
    """Return a size for people."""
    if size < 1_000:
        return count_of(size, "byte")
    if size < 1_000_000:
        return f"{size / 1_000:.1f} KB"
    return f"{size / 1_000_000:.1f} MB"
