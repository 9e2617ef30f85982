"""The journal's files: what is written is what is read, and what cannot be read is said."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.adapters.filesystem.journal import DiskJournal
from holdfast.changes.ports import JournalDamaged, PendingBatch
from holdfast.changes.swaps import Batch, Content, Swap
from holdfast.checkpoints.ports import UnfinishedRestore

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


RESTORE = UnfinishedRestore(
    "undo", "c1", "target", "c2", "restore", files=True, conversation=False, phase="files"
)


def journal_in(folder: Path) -> DiskJournal:
    return DiskJournal(folder, folder / "top", folder / "top" / "src")


@given(batches)
def test_any_batch_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, batch: Batch
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    journal = journal_in(folder)
    journal.prepare(batch)
    (pending,) = journal.batches()
    root = str(folder / "top" / "src")
    assert pending == PendingBatch(batch, False, root, 1, pending.begun_at)
    journal.commit()
    assert journal.batches() == (replace(pending, committed=True),)


def names(place: Path) -> list[str]:
    return sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())


def test_a_batch_that_is_finished_or_dropped_leaves_nothing(tmp_path: Path) -> None:
    journal = journal_in(tmp_path)
    assert journal.batches() == ()
    for end in (journal.finish, lambda _: journal.drop()):
        journal.prepare(BATCH)
        journal.commit()
        end(BATCH)
        end(BATCH)
        assert journal.batches() == ()
        assert names(tmp_path) == []


def test_entries_are_numbered_in_the_order_begun(tmp_path: Path) -> None:
    journal_in(tmp_path).prepare(BATCH)
    journal_in(tmp_path).write_restore(RESTORE)
    journal_in(tmp_path).prepare(replace(BATCH, id="def"))
    journal_in(tmp_path).write_restore(replace(RESTORE, phase="talk"))
    journal = journal_in(tmp_path)
    assert [(each.number, each.batch.id) for each in journal.batches()] == [(1, "abc"), (3, "def")]
    assert [(each.number, each.restore.phase) for each in journal.restores()] == [(2, "talk")]
    assert names(tmp_path) == [
        "journal/000001.prepared",
        "journal/000002.restore",
        "journal/000003.prepared",
    ]


def test_the_last_restore_that_changed_files_stays_on_record(tmp_path: Path) -> None:
    journal = journal_in(tmp_path)
    conversation = replace(RESTORE, undo_id="talk", files=False, phase="talk")
    for left in (conversation, replace(RESTORE, undo_id="gone back")):
        journal.write_restore(left)
        journal.remove_restore(left)
        assert (journal.last_restore(), names(tmp_path)) == (0, [])
    for undo_id in ("first", "second"):
        journal.write_restore(replace(RESTORE, undo_id=undo_id))
        journal.write_restore(replace(RESTORE, undo_id=undo_id, phase="talk"))
        journal.remove_restore(replace(RESTORE, undo_id=undo_id, phase="talk"))
    assert (journal.restores(), journal.last_restore()) == ((), 2)
    assert names(tmp_path) == ["journal/000002.done"]
    journal.prepare(BATCH)
    assert [each.number for each in journal.batches()] == [3]


def test_a_draft_that_a_dead_process_left_is_no_entry(tmp_path: Path) -> None:
    (tmp_path / "journal").mkdir()
    (tmp_path / "journal" / "draft").write_bytes(b'{"half')
    journal = journal_in(tmp_path)
    assert (journal.batches(), journal.restores()) == ((), ())
    journal.prepare(BATCH)
    assert names(tmp_path) == ["journal/000001.prepared"]


@pytest.mark.parametrize(
    "spoil", [lambda data: data[:-1], lambda data: b"{" + data, lambda data: b'{"version": 1}\n']
)
def test_a_damaged_journal_is_named_and_not_guessed_at(tmp_path: Path, spoil: object) -> None:
    assert callable(spoil)
    journal = journal_in(tmp_path)
    journal.prepare(BATCH)
    prepared = tmp_path / "journal" / "000001.prepared"
    prepared.write_bytes(spoil(prepared.read_bytes()))
    with pytest.raises(JournalDamaged) as raised:
        journal.batches()
    assert raised.value.place == str(prepared)
    assert str(raised.value) == (
        f"{prepared}: this journal is damaged, or of another version of Holdfast; move it away, "
        "and look at the files it was about."
    )


@pytest.mark.parametrize(
    "wrong", [{"undo_commit": 5}, {"orphans": 1}, {"orphans": [1]}, {"verb": None}, {"version": 9}]
)
def test_a_restore_of_the_wrong_kind_is_named(tmp_path: Path, wrong: dict[str, object]) -> None:
    journal = journal_in(tmp_path)
    journal.write_restore(RESTORE)
    entry = tmp_path / "journal" / "000001.restore"
    entry.write_text(json.dumps(json.loads(entry.read_bytes()) | wrong) + "\n")
    with pytest.raises(JournalDamaged, match=str(entry)):
        journal.restores()


def test_an_entry_of_a_kind_that_is_not_known_is_named(tmp_path: Path) -> None:
    (tmp_path / "journal").mkdir()
    entry = tmp_path / "journal" / "000001.newer"
    entry.write_bytes(b"")
    with pytest.raises(JournalDamaged, match=str(entry)):
        journal_in(tmp_path).batches()


def test_texts_are_saved_as_plain_files_and_the_last_ten_times_are_kept(tmp_path: Path) -> None:
    journal = journal_in(tmp_path)
    swap = Swap("src/a.py", Content(b"old"), Content(b"new"))
    for number in range(12):
        saved = Path(journal.save(Batch(f"id{number}", (swap,)), [swap]))
    assert {path.name: path.read_bytes() for path in saved.iterdir()} == {
        "1.old.a.py": b"old",
        "1.new.a.py": b"new",
    }
    assert len(list((tmp_path / "saved").iterdir())) == 10


def test_the_journal_is_written_with_one_fsync_however_many_files_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    many = Batch("abc", tuple(Swap(str(n), None, Content(b"x")) for n in range(50)))
    journal_in(tmp_path).prepare(replace(BATCH, id="first"))
    synced.clear()
    journal_in(tmp_path).prepare(many)
    assert len(synced) == 2
