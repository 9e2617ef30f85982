"""Batches carried out on real files by the real journal."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapters.filesystem.disk_files import DiskFiles
from holdfast.changes.ports import FileMissing
from holdfast.changes.swaps import Batch, Content, Swap, directories_above, in_order
from holdfast.changes.transaction import Done, Finished, apply_batch, recover
from holdfast.wiring.journals import lock_journal
from tests.end_to_end.fifty_files import Snapshot, restore, snapshot

pytestmark = pytest.mark.integration

NAMES = ["a", "b.py", "d", "d/a", "d/e", "d/e/b", "d/e/f/c", "other", "other/x"]


def _can_be(files: dict[str, tuple[bytes, int]]) -> bool:
    """Return whether no file is in the place of a directory."""
    return not any(other.startswith(f"{name}/") for name in files for other in files)


trees = st.dictionaries(
    st.sampled_from(NAMES), st.tuples(st.binary(max_size=3), st.sampled_from([0o644, 0o600, 0o755]))
).filter(_can_be)


@given(trees, trees)
def test_a_batch_makes_any_files_of_any_and_its_reverse_brings_them_back(
    before: dict[str, tuple[bytes, int]], after: dict[str, tuple[bytes, int]]
) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "root"
        restore(root, _snapshot(before))
        root.mkdir(exist_ok=True)
        old = snapshot(root)
        files = DiskFiles(str(root))
        swaps = in_order(
            Swap(name, _content(before.get(name)), _content(after.get(name)))
            for name in NAMES
            if before.get(name, (None,))[0] != after.get(name, (None,))[0]
        )
        looked = [files.look(swap.path) for swap in swaps if swap.before is None]
        makes = dict.fromkeys(
            parent for look in looked if isinstance(look, FileMissing) for parent in look.parents
        )
        batch = Batch("one", swaps, tuple(makes))
        with lock_journal(Path(place) / "state", root) as journal:
            assert apply_batch(batch, files, journal) == Done()
            assert _texts(snapshot(root)) == {name: data for name, (data, _) in after.items()}
            assert apply_batch(_reverse(batch), files, journal) == Done()
        files.close()
        assert snapshot(root) == old


class _Stop(Exception):  # noqa: N818 - not an error
    """The process ends here."""


class _DyingFiles(DiskFiles):
    """Ends after some steps, or finds a foreign file there."""

    steps = 0
    dies = True

    def put(self, swap: Swap, sibling: str) -> bool:
        self.steps -= 1
        if self.steps == 0 and self.dies:
            raise _Stop
        return self.steps != 0 and super().put(swap, sibling)

    def stage(self, swap: Swap, sibling: str) -> None:
        self.steps -= self.dies
        if self.steps == 0:
            raise _Stop
        super().stage(swap, sibling)


@given(trees, trees, st.integers(1, 9), st.booleans())
def test_a_batch_that_dies_or_is_stopped_leaves_all_files_old_or_all_new(
    before: dict[str, tuple[bytes, int]],
    after: dict[str, tuple[bytes, int]],
    steps: int,
    dies: bool,
) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "root"
        restore(root, _snapshot(before))
        root.mkdir(exist_ok=True)
        files = _DyingFiles(str(root))
        files.steps, files.dies = steps, dies
        swaps = in_order(
            Swap(name, _content(before.get(name)), _content(after.get(name)), modes=True)
            for name in NAMES
            if before.get(name) != after.get(name)
        )
        makes = dict.fromkeys(
            parent
            for swap in swaps
            for parent in directories_above(swap.path)
            if parent not in NAMES and not (root / parent).exists()
        )
        states = [{name: data for name, (data, _) in each.items()} for each in (before, after)]
        with lock_journal(Path(place) / "state", root) as journal:
            try:
                outcome: object = apply_batch(Batch("one", swaps, tuple(makes)), files, journal)
            except _Stop:
                [pending] = journal.batches()
                files.steps = 0
                outcome = recover(pending, files, journal.at(pending))
        files.close()
        expected = states[isinstance(outcome, Done | Finished)]
        assert _texts(snapshot(root)) == expected


def _reverse(batch: Batch) -> Batch:
    swaps = tuple(swap.reversed() for swap in reversed(batch.swaps))
    return Batch(batch.id, swaps, clears=batch.makes[::-1], rewinds=True)


def _content(entry: tuple[bytes, int] | None) -> Content | None:
    return entry and Content(*entry)


def _texts(tree: Snapshot) -> dict[str, bytes]:
    return {name: content for name, (kind, content, _) in tree.items() if kind == "file"}


def _snapshot(files: dict[str, tuple[bytes, int]]) -> Snapshot:
    """Give the tree that has just these files and their directories."""
    tree: Snapshot = {name: ("file", *entry) for name, entry in files.items()}
    directories = {str(parent) for name in files for parent in Path(name).parents if parent.name}
    return tree | dict.fromkeys(directories, ("directory", b"", 0o755))
