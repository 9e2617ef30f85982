"""The state of the private index: a small file, ignored if it does not match the index."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from holdfast.adapters.filesystem import atomic_write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_VERSION = 1

IndexSignature: TypeAlias = list[int]


@dataclass(frozen=True, slots=True)
class IndexState:
    """What is known of the index with the signature `index`. The field names are a stored format.

    `held`: a checkpoint refers to `tree`, so no gc removes it.
    `real`, `staged` and `staged_commit`: the signature of the user's index, its tree and commit.
    `rules`: the signature of the ignore rules outside the worktree.
    `settled`: False when the index may contain ignored files.
    `seq`: the last sequence number that was used.
    `modes`: the permissions of private files.
    `pipes`: pipes in place of captured files; git lists each of them only once.
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
    """Return the stored state, or an empty one if the file is missing or of another version."""
    try:
        fields = json.loads(file.read_bytes())
        if not _is_valid(fields):
            return IndexState()
        return IndexState(**fields)
    except (FileNotFoundError, ValueError, TypeError):
        return IndexState()


def write(file: Path, state: IndexState) -> None:
    """Write without fsync: after a crash the state does not match the index and is ignored."""
    atomic_write.put(file, json.dumps(asdict(state)).encode("ascii"), sync=False)


def _is_valid(fields: object) -> bool:
    """Return whether every field has its type; a user may have edited the file."""
    if not isinstance(fields, dict) or fields.get("version") != _VERSION:
        return False
    for name, has_type in _TYPES.items():
        if name in fields and not has_type(fields[name]):
            return False
    return True


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_list(value: object) -> bool:
    return isinstance(value, list)


def _is_optional_text(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_optional_number(value: object) -> bool:
    return value is None or type(value) is int


def _is_signature(value: object) -> bool:
    if value is None:
        return True
    if not isinstance(value, list) or len(value) not in {0, 4}:
        return False
    return all(type(each) is int for each in value)


def _is_staged_commit(value: object) -> bool:
    if not isinstance(value, list) or len(value) not in {0, 3}:
        return False
    return all(map(_is_optional_text, value))


def _is_modes(value: object) -> bool:
    return isinstance(value, dict) and all(type(mode) is int for mode in value.values())


def _is_paths(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(path, str) for path in value)


_TYPES: dict[str, Callable[[object], bool]] = {
    "index": _is_signature,
    "tree": _is_optional_text,
    "held": _is_flag,
    "real": _is_signature,
    "staged": _is_optional_text,
    "staged_commit": _is_staged_commit,
    "rules": _is_list,
    "settled": _is_flag,
    "sparse": _is_flag,
    "seq": _is_optional_number,
    "modes": _is_modes,
    "pipes": _is_paths,
}
