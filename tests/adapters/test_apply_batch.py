"""Batches carried out on real files by the real journal."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapters.filesystem.disk_files import DiskFiles
from holdfast.changes.ports import FileMissing
from holdfast.changes.swaps import Batch, Content, Swap, in_order
from holdfast.changes.transaction import Done, apply_batch
from holdfast.wiring.journals import lock_journal
from tests.end_to_end.fifty_files import Snapshot, restore, snapshot

pytestmark = pytest.mark.integration

NAMES = ["a", "b.py", "d/a", "d/e/b", "d/e/f/c", "other/x"]
trees = st.dictionaries(
    st.sampled_from(NAMES), st.tuples(st.binary(max_size=3), st.sampled_from([0o644, 0o600, 0o755]))
)


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
