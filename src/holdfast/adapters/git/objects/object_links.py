"""Hard links to the user's objects, in the private repository.

A checkpoint refers to files that the user has committed. With a link to each pack and each loose
object, nothing that the user's git removes is lost to a checkpoint, and nothing is stored twice.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import field
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem import atomic_write
from holdfast.checkpoints.limits import MEGABYTE
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

# Copied, if no link can be made: on another file system, or of a file of another owner.
_COPY_LIMIT = 256 * MEGABYTE
_PACK_SUFFIXES = (".pack", ".idx", ".rev", ".promisor")
_FANOUT = frozenset({"pack", *(f"{number:02x}" for number in range(256))})


@dataclass(slots=True)
class LinkedObjects:
    """What was linked: the times of the directories that were read, and whether all of it was."""

    times: dict[str, int] = field(default_factory=dict)
    complete: bool = True
    copied: int = 0


def find_object_directories(common_dir: Path) -> tuple[Path, ...]:
    """Return the user's object directory, and those that it borrows from."""
    found: dict[Path, None] = {}
    pending = [common_dir / "objects"]
    while pending:
        directory = pending.pop()
        if directory in found or not directory.is_dir():
            continue
        found[directory] = None
        pending.extend(_alternates_of(directory))

    return tuple(found)


def link_objects(
    sources: Sequence[Path], target: Path, known: Mapping[str, int], newer_than: int
) -> LinkedObjects:
    """Link every object of the sources that the target does not have.

    Directories whose time is in `known` were read before. A directory that was changed after
    `newer_than` is read again the next time: its time may not change with the next object.
    """
    linked = LinkedObjects()
    for source in sources:
        # To list the directory is faster than to look for each of 256.
        for name in sorted(_FANOUT.intersection(_names_in(source))):
            directory = source / name
            try:
                changed_at = directory.stat().st_mtime_ns
            except OSError:
                continue
            if known.get(str(directory)) != changed_at:
                _link_directory(directory, target / name, linked)
            if changed_at < newer_than:
                linked.times[str(directory)] = changed_at

    return linked


def write_alternates(target: Path, sources: Sequence[Path], *, needed: bool) -> None:
    """Let git read the sources too, if some of their objects could not be linked."""
    file = target / "info" / "alternates"
    if not needed:
        atomic_write.drop(file)
        return
    lines = b"".join(_quoted(source) + b"\n" for source in sources)
    atomic_write.put(file, lines, sync=False)


def keep_packs(target: Path, sources: Sequence[Path]) -> None:
    """Mark the packs that the user has too, so that a repack of the target leaves them alone."""
    packs = target / "pack"
    for pack in packs.glob("*.pack"):
        mark = pack.with_suffix(".keep")
        shared = any((source / "pack" / pack.name).exists() for source in sources)
        if shared:
            mark.touch()
        else:
            atomic_write.drop(mark)


def _link_directory(source: Path, target: Path, linked: LinkedObjects) -> None:
    present = set(_names_in(target))
    if not target.is_dir():
        target.mkdir(0o700)

    names = [name for name in _names_in(source) if name not in present]
    # The index of a pack comes last: git finds a pack by its index.
    names.sort(key=lambda name: name.endswith(".idx"))
    for name in names:
        if target.name == "pack" and not name.endswith(_PACK_SUFFIXES):
            continue
        if not _link(source / name, target / name, linked):
            linked.complete = False


def _link(source: Path, target: Path, linked: LinkedObjects) -> bool:
    """Link or copy one file; return whether the target has it now."""
    try:
        os.link(source, target)
    except FileExistsError:
        return True
    except FileNotFoundError:
        # The user's git has just moved it into a pack.
        return True
    except OSError:
        return _copy(source, target, linked)

    return True


def _copy(source: Path, target: Path, linked: LinkedObjects) -> bool:
    try:
        size = source.stat().st_size
        if linked.copied + size > _COPY_LIMIT:
            return False
        draft = target.with_name(f"tmp_{target.name}")
        shutil.copyfile(source, draft)
        draft.replace(target)
    except OSError:
        return False

    linked.copied += size
    return True


def _names_in(directory: Path) -> list[str]:
    with suppress(OSError):
        names = os.listdir(directory)  # noqa: PTH208 - a path for each would take twice the time
        return [name for name in names if not name.startswith("tmp_")]
    return []


def _alternates_of(objects: Path) -> Iterator[Path]:
    try:
        lines = (objects / "info" / "alternates").read_bytes().splitlines()
    except OSError:
        return

    for line in lines:
        if line and not line.startswith(b"#"):
            yield objects / os.fsdecode(line)


def _quoted(path: Path) -> bytes:
    """Return a path as a line of `info/alternates`; one with a newline needs quotes."""
    name = os.fsencode(path)
    if b"\n" not in name and not name.startswith(b'"'):
        return name
    escaped = name.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"' + escaped + b'"'
