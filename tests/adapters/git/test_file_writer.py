"""Files of a restore are written below the root, whatever another process does there meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.adapters.git.objects.file_writer import FileWriter, RestoredFile
from tests.adapters.swap import MOST_CALLS, Swap, with_swap

OID = b"0" * 20
OPERATIONS: list[Callable[[FileWriter], object]] = [
    lambda writer: writer.write(RestoredFile(b"sub/a.txt", 0o100644, OID, b"new", 0o600)),
    lambda writer: writer.write(RestoredFile(b"sub/in/new.txt", 0o100644, OID, b"new", None)),
    lambda writer: writer.write(RestoredFile(b"sub/link", 0o120000, OID, b"a.txt", None)),
    lambda writer: writer.remove([b"sub/a.txt"]),
    lambda writer: writer.remove_folder(b"sub/empty"),
    lambda writer: writer.make_folder(b"sub/made/below"),
    lambda writer: writer.set_mode(b"sub/a.txt", 0o600),
    lambda writer: writer.set_mode(b"sub", 0o700),
]


def fill(folder: Path, text: str) -> Path:
    (folder / "empty").mkdir(parents=True)
    folder.chmod(0o755)
    (folder / "a.txt").write_text(text)
    (folder / "a.txt").chmod(0o644)
    return folder


def state_of(folder: Path) -> dict[str, tuple[int, str]]:
    found = {".": (folder.stat().st_mode, "")}
    for path in folder.rglob("*"):
        text = path.read_text() if path.is_file() else ""
        found[str(path)] = (path.lstat().st_mode, text)
    return found


@pytest.mark.parametrize("operation", OPERATIONS)
def test_nothing_is_written_by_a_link_that_is_made_before_any_of_its_calls(
    tmp_path: Path, operation: Callable[[FileWriter], object]
) -> None:
    outside = fill(tmp_path / "outside", "precious")
    before = state_of(outside)
    for number in range(1, MOST_CALLS):
        root = tmp_path / str(number)
        place = fill(root / "sub", "old")

        def run(swap: Swap, root: Path = root) -> None:
            swap.is_armed = True
            operation(FileWriter(root))

        was_swapped = with_swap(Swap(place, outside, number), run)
        assert state_of(outside) == before, number
        if not was_swapped:
            return


def test_a_link_in_the_place_of_a_folder_is_named(tmp_path: Path) -> None:
    fill(tmp_path / "outside", "precious")
    (tmp_path / "root").mkdir()
    (tmp_path / "root/sub").symlink_to(tmp_path / "outside")
    with pytest.raises(OSError) as raised:
        FileWriter(tmp_path / "root").write(RestoredFile(b"sub/a.txt", 0o100644, OID, b"new", None))
    assert raised.value.filename == str(tmp_path / "root/sub/a.txt").encode()
