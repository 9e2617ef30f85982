"""The state of the private index: a small file, ignored if it does not match the index."""

from __future__ import annotations

import json
from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, TypeAlias

from holdfast.adapters.filesystem import atomic_write
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_VERSION = 2

FileSignature: TypeAlias = list[int]


@dataclass(frozen=True, slots=True)
class IndexState:
    """What is known of the index with the signature `index`. The field names are a stored format.

    `held`: a checkpoint refers to `tree`, so no gc removes it.
    `real`, `staged` and `intended`: the signature of the user's index, its tree, and the files of
    `git add -N`, which are not in the tree.
    `rules`: the signature of the ignore rules outside the worktree.
    `settled`: False when the ignore rules may have changed since the last snapshot.
    `seq`: the last sequence number that was used.
    `usual`: the most common modes of files, of executable files and of directories.
    `modes`: the modes of all other files.
    `recent`: files that changed in the second of the last snapshot; git misses a chmod of these.
    `pipes`: pipes in place of captured files; git lists each of them only once.
    `gitlinks`: the submodules.
    `head`: a commit of the user, and its tree.
    """

    index: FileSignature | None = None
    tree: str | None = None
    held: bool = False
    real: FileSignature | None = None
    staged: str | None = None
    intended: list[str] = field(default_factory=list)
    rules: list[Any] = field(default_factory=list)
    settled: bool = False
    seq: int | None = None
    usual: list[int] = field(default_factory=list)
    modes: dict[str, int] = field(default_factory=dict)
    recent: list[str] = field(default_factory=list)
    pipes: list[str] = field(default_factory=list)
    gitlinks: list[str] = field(default_factory=list)
    head: list[str] = field(default_factory=list)
    version: int = _VERSION


def read(file: Path) -> IndexState:
    """Return the stored state, or an empty one if the file is missing or of another version."""
    try:
        values = json.loads(file.read_bytes())
        if not _is_valid(values):
            return IndexState()
        return IndexState(**values)
    except (FileNotFoundError, ValueError, TypeError):
        return IndexState()


def write(file: Path, state: IndexState) -> None:
    """Write without fsync: after a crash the state does not match the index and is ignored."""
    # Not `asdict`, which copies every value first.
    values = {each.name: getattr(state, each.name) for each in fields(state)}
    atomic_write.put(file, json.dumps(values).encode("ascii"), sync=False)


def _is_valid(values: object) -> bool:
    """Return whether every field has its type; a user may have edited the file."""
    if not isinstance(values, dict) or values.get("version") != _VERSION:
        return False
    for name, has_type in _TYPES.items():
        if name in values and not has_type(values[name]):
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
    return value is None or _are_numbers(value, {0, 4})


def _are_numbers(value: object, counts: set[int]) -> bool:
    if not isinstance(value, list) or len(value) not in counts:
        return False
    return all(type(each) is int for each in value)


def _is_usual(value: object) -> bool:
    return _are_numbers(value, {0, 3})


def _is_modes(value: object) -> bool:
    return isinstance(value, dict) and all(type(mode) is int for mode in value.values())


def _is_paths(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(path, str) for path in value)


_TYPES: dict[str, Callable[[object], bool]] = {
    "index": _is_signature,
    "tree": _is_optional_text,
    "intended": _is_list,
    "held": _is_flag,
    "real": _is_signature,
    "staged": _is_optional_text,
    "rules": _is_list,
    "settled": _is_flag,
    "seq": _is_optional_number,
    "usual": _is_usual,
    "modes": _is_modes,
    "recent": _is_paths,
    "pipes": _is_paths,
    "gitlinks": _is_paths,
    "head": _is_paths,
}
