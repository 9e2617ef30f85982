"""The journal's files: what is written is what is read, and what cannot be read is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapters.filesystem.journal import DiskJournal, lock_journal, place_of
from holdfast.changes.ports import JournalDamaged, PendingBatch
from holdfast.changes.swaps import Batch, Content, Swap

contents = st.none() | st.builds(
    Content, st.binary(max_size=20), st.none() | st.integers(0, 0o7777)
)
paths = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("\udc80\udcff"),
    min_size=1,
    max_size=8,
)
batches = st.builds(
    Batch,
    st.text("0123456789abcdef", min_size=12, max_size=12),
    st.lists(st.builds(Swap, paths, contents, contents, st.booleans()), max_size=4).map(tuple),
    st.lists(paths, max_size=3).map(tuple),
    st.lists(paths, max_size=3).map(tuple),
    st.booleans(),
)
BATCH = Batch("abc", (Swap("a.py", Content(b"old", 0o644), Content(b"new")),), ("d",))


@given(batches)
def test_any_batch_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, batch: Batch
) -> None:
    journal = DiskJournal(tmp_path_factory.mktemp("journal"))
    journal.prepare(batch)
    assert journal.pending() == PendingBatch(batch, committed=False)
    journal.commit()
    assert journal.pending() == PendingBatch(batch, committed=True)


def names(place: Path) -> list[str]:
    return sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())


def test_a_batch_that_is_finished_or_dropped_leaves_nothing(tmp_path: Path) -> None:
    journal = DiskJournal(tmp_path)
    assert journal.pending() is None
    for end in (journal.finish, lambda _: journal.drop()):
        journal.prepare(BATCH)
        journal.commit()
        end(BATCH)
        end(BATCH)
        assert journal.pending() is None
        assert names(tmp_path) == []


def test_a_draft_that_a_dead_process_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / "draft").write_bytes(b'{"half')
    assert DiskJournal(tmp_path).pending() is None
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "spoil", [lambda data: data[:-1], lambda data: b"{" + data, lambda data: b'{"version": 1}\n']
)
def test_a_damaged_journal_is_named_and_not_guessed_at(tmp_path: Path, spoil: object) -> None:
    assert callable(spoil)
    journal = DiskJournal(tmp_path)
    journal.prepare(BATCH)
    prepared = tmp_path / "prepared"
    prepared.write_bytes(spoil(prepared.read_bytes()))
    with pytest.raises(JournalDamaged, match=str(prepared)):
        journal.pending()


def test_texts_are_saved_as_plain_files_and_the_last_ten_times_are_kept(tmp_path: Path) -> None:
    journal = DiskJournal(tmp_path)
    swap = Swap("src/a.py", Content(b"old"), Content(b"new"))
    for number in range(12):
        saved = Path(journal.save(Batch(f"id{number}", (swap,)), [swap]))
    assert {path.name: path.read_bytes() for path in saved.iterdir()} == {
        "1.old.a.py": b"old",
        "1.new.a.py": b"new",
    }
    assert len(list((tmp_path / "saved").iterdir())) == 10


def test_each_real_root_has_a_journal_of_its_own_that_others_cannot_read(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "link").symlink_to("a")
    state = tmp_path / "state"
    assert (
        place_of(state, tmp_path / "a")
        == place_of(state, tmp_path / "link")
        != place_of(state, tmp_path / "b")
    )
    with lock_journal(state, tmp_path / "a"):
        assert place_of(state, tmp_path / "a").stat().st_mode & 0o077 == 0


def test_the_journal_is_written_with_one_fsync_however_many_files_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    many = Batch("abc", tuple(Swap(str(n), None, Content(b"x")) for n in range(50)))
    DiskJournal(tmp_path).prepare(many)
    assert len(synced) == 2
