"""Files of a checkpoint are read below the root, whatever another process does there meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdfast.adapters.git.objects.file_capture import CapturedFile, FileCapture
from holdfast.adapters.git.objects.object_store import ObjectStore
from tests.adapters.swap import MOST_CALLS, Swap, with_swap

PATHS = [b"sub/a.txt", b"sub/in/b.txt", b"sub/link"]


def fill(folder: Path, text: str) -> Path:
    (folder / "in").mkdir(parents=True)
    (folder / "a.txt").write_text(text)
    (folder / "in/b.txt").write_text(text)
    (folder / "link").symlink_to(text)
    return folder


def entries(root: Path, paths: list[bytes], swap: Swap | None = None) -> set[bytes | None]:
    """Capture files; return their objects, as entries of an index name them."""
    batch = ObjectStore(root.parent / "objects.git", "sha1").batch()
    found: set[bytes | None] = set()
    with FileCapture(root, batch, None) as capture:
        for path in paths:
            if swap is not None:
                swap.is_armed = swap.calls > 0
            found.add(object_of(capture.read(path)))
    return found


def object_of(file: CapturedFile) -> bytes | None:
    return None if file.entry is None else file.entry[40:60]


def test_nothing_is_read_by_a_link_that_is_made_before_any_of_its_calls(tmp_path: Path) -> None:
    outside = fill(tmp_path / "outside", "precious")
    precious = entries(outside.parent, [path.replace(b"sub", b"outside") for path in PATHS])
    for number in range(1, MOST_CALLS):
        root = tmp_path / str(number)
        place = fill(root / "sub", "own")
        read: set[bytes | None] = set()

        def run(swap: Swap, root: Path = root, read: set[bytes | None] = read) -> None:
            read.update(entries(root, PATHS, swap))

        was_swapped = with_swap(Swap(place, outside, number), run)
        assert read
        assert not read & precious, number
        if not was_swapped:
            return


def test_what_is_behind_a_link_in_the_place_of_a_folder_is_no_file(tmp_path: Path) -> None:
    fill(tmp_path / "outside", "precious")
    (tmp_path / "root").mkdir()
    (tmp_path / "root/sub").symlink_to(tmp_path / "outside")
    assert entries(tmp_path / "root", PATHS) == {None}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_a_folder_that_nobody_may_enter_is_named(tmp_path: Path) -> None:
    place = fill(tmp_path / "root/sub", "own")
    place.chmod(0)
    try:
        with pytest.raises(PermissionError) as raised:
            entries(tmp_path / "root", PATHS)
    finally:
        place.chmod(0o700)
    assert raised.value.filename == str(place / "a.txt").encode()
