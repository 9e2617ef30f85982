"""A full disk and a read-only directory: a clear sentence, and nothing changed."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holdfast.adapters.store.queries.events import events_after
from holdfast.adapters.store.queries.projects import all_projects, project_at
from holdfast.adapters.store.store import open_store
from holdfast.adapters.store.store_errors import StoreUnavailable
from tests.adapters.store.queries import append_event
from tests.adapters.store.world import new_world
from tests.places import place_of

pytestmark = pytest.mark.integration


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of two megabytes."""
    # Not below pytest's directory: a disk that could not be taken away would be in the way of every later run.
    place = Path(tempfile.mkdtemp(prefix="holdfast-disk-"))
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            pytest.skip(
                f"no small disk can be mounted here: {done.stderr.partition(chr(10))[0] or done.returncode}"
            )
        yield place
        # SQLite keeps a file open until Python has forgotten the statement that failed. Beyond that none may be left open.
        gc.collect()
        subprocess.run(["umount", place], check=True)
    finally:
        if place.is_mount():
            subprocess.run(["umount", "-l", place], check=True)
        place.rmdir()


@pytest.fixture
def make_read_only(
    tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[tuple[Path, Callable[[], None]]]:
    """A directory, and what makes it read-only. For root a mode means nothing: then it is a disk."""
    if os.geteuid() == 0:
        disk: Path = request.getfixturevalue("small_disk")
        yield disk, lambda: _remount(disk)
        return
    place = tmp_path / "closed"
    place.mkdir()
    yield place, lambda: place.chmod(0o500)
    place.chmod(0o700)


def _remount(disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True, capture_output=True)


def _bytes(place: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in place.iterdir()}


def test_a_full_disk_is_named_and_what_was_recorded_stays(small_disk: Path) -> None:
    file = small_disk / "store.sqlite3"
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 400_000)
    with open_store(str(file)) as store:
        world = store.run(new_world)
        recorded = 0
        said = None
        while said is None and recorded < 1000:
            try:
                recorded = store.run(
                    append_event, world.project.id, kind="said", body="x" * 20_000
                ).seq
            except StoreUnavailable as error:
                said = str(error)
        assert recorded > 0
        assert (
            said
            == f"{file}: the disk is full, nothing was recorded; free some space and run it again."
        )
        assert [event.seq for event in store.query(events_after, world.project.id)] == list(
            range(1, recorded + 1)
        )
        ballast.unlink()
        assert (
            store.run(append_event, world.project.id, kind="said", body="again").seq == recorded + 1
        )
    with open_store(str(file)) as store:
        assert len(store.query(events_after, world.project.id)) == recorded + 1


def test_a_store_is_not_made_on_a_full_disk_and_is_when_there_is_space(small_disk: Path) -> None:
    file = small_disk / "store.sqlite3"
    ballast = small_disk / "ballast"
    with ballast.open("wb") as filler:
        os.posix_fallocate(filler.fileno(), 0, shutil.disk_usage(small_disk).free)
    with pytest.raises(StoreUnavailable) as refused, open_store(str(file)):
        pass
    assert (
        str(refused.value)
        == f"{file}: the disk is full, nothing was recorded; free some space and run it again."
    )
    ballast.unlink()
    with open_store(str(file)) as store:
        assert store.query(all_projects) == ()


def test_a_store_in_a_read_only_directory_is_refused_and_keeps_its_bytes(
    make_read_only: tuple[Path, Callable[[], None]],
) -> None:
    place, close = make_read_only
    file = place / "store.sqlite3"
    with open_store(str(file)) as store:
        store.run(project_at, place_of(Path("/work/here")))
    (place / "store.sqlite3.lock").unlink()
    before = _bytes(place)
    close()
    with pytest.raises(StoreUnavailable) as refused, open_store(str(file)):
        pass
    reason = "Read-only file system" if os.geteuid() == 0 else "Permission denied"
    assert str(refused.value) == (
        f"{file}: cannot be opened or written ({reason}), nothing was recorded; make the directory writable, "
        "or name another with HOLDFAST_STATE_DIR."
    )
    assert _bytes(place) == before


def test_no_store_is_made_in_a_read_only_directory(
    make_read_only: tuple[Path, Callable[[], None]],
) -> None:
    place, close = make_read_only
    close()
    with (
        pytest.raises(StoreUnavailable, match="make the directory writable"),
        open_store(str(place / "a" / "b.db")),
    ):
        pass
    assert _bytes(place) == {}


def test_a_directory_in_the_place_of_the_file_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "store.sqlite3"
    place.mkdir()
    with (
        pytest.raises(StoreUnavailable, match="cannot be opened or written"),
        open_store(str(place)),
    ):
        pass
