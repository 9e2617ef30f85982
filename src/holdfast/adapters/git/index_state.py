"""What is known about the private index: one small file beside it, worth nothing if it does not fit."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from holdfast.adapters.filesystem import atomic_write

_VERSION = 1

IndexSignature: TypeAlias = list[int]


@dataclass(frozen=True, slots=True)
class IndexState:
    """What holds for the index with this signature: its tree, what it was compared with, odd permissions.

    `held` is whether a checkpoint holds the tree, so that no gc removes it. `settled` is False when ignored files may
    be in it. `seq` is the last number given. `pipes` stand where files were; git does not name them a second time.
    """

    index: IndexSignature | None = None
    tree: str | None = None
    held: bool = False
    real: IndexSignature | None = None
    staged: str | None = None
    staged_commit: list[str | None] = field(default_factory=list)
    rules: list[Any] = field(default_factory=list)
    settled: bool = False
    sparse: bool = False
    seq: int | None = None
    modes: dict[str, int] = field(default_factory=dict)
    pipes: list[str] = field(default_factory=list)
    version: int = _VERSION


def read(file: Path) -> IndexState:
    """Give what was written; nothing is known if it is not there, or is not what this version writes."""
    try:
        told = json.loads(file.read_bytes())
        return IndexState(**told) if _is_sound(told) else IndexState()
    except (FileNotFoundError, ValueError, TypeError):
        return IndexState()


def write(file: Path, state: IndexState) -> None:
    """Write it down. Not durably: it does not fit the index after a crash, and is not believed."""
    atomic_write.put(file, json.dumps(asdict(state)).encode("ascii"), sync=False)


def _is_sound(told: object) -> bool:
    """Whether every part is of its kind: somebody may have edited it."""
    if not isinstance(told, dict) or told.get("version") != _VERSION:
        return False
    return all(is_of_kind(told[name]) for name, is_of_kind in _KINDS.items() if name in told)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_word(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_signature(value: object) -> bool:
    return value is None or (
        isinstance(value, list)
        and len(value) in {0, 4}
        and all(type(each) is int for each in value)
    )


_KINDS: dict[str, Callable[[object], bool]] = {
    "index": _is_signature,
    "tree": _is_word,
    "held": _is_flag,
    "real": _is_signature,
    "staged": _is_word,
    "staged_commit": lambda value: (
        isinstance(value, list) and len(value) in {0, 3} and all(map(_is_word, value))
    ),
    "rules": lambda value: isinstance(value, list),
    "settled": _is_flag,
    "sparse": _is_flag,
    "seq": lambda value: value is None or type(value) is int,
    "modes": lambda value: (
        isinstance(value, dict) and all(type(mode) is int for mode in value.values())
    ),
    "pipes": lambda value: isinstance(value, list) and all(isinstance(path, str) for path in value),
}
