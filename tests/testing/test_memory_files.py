"""Files in memory answer as files on the disk do."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.adapters.filesystem.disk_files import DiskFiles
from holdfast.changes.ports import FileFound, FileLook, FileUnfit
from holdfast.testing import MemoryFiles

FILES = {"a.py": b"a", "src/b.py": b"b", "src/deep/c.py": b"c"}


@pytest.mark.parametrize(
    "path",
    [
        "a.py",
        "./a.py",
        "src/b.py",
        "src",
        "src/new.py",
        "lib/x/new.py",
        "a.py/x",
        "../x",
        "/etc/passwd",
        "",
        "link",
        "out",
    ],
)
def test_a_look_says_what_the_disk_says(tmp_path: Path, path: str) -> None:
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
        (tmp_path / name).chmod(0o644)
    (tmp_path / "link").symlink_to("src/b.py")
    (tmp_path / "out").symlink_to("../elsewhere")
    disk = DiskFiles(str(tmp_path))

    memory = MemoryFiles(FILES, links={"link": "src/b.py", "out": "../elsewhere"})

    assert kind(memory.look(path)) == kind(disk.look(path))
    disk.close()


def kind(looked: FileLook) -> object:
    return ("unfit", looked.reason) if isinstance(looked, FileUnfit) else looked


def test_names_near_a_file_come_first() -> None:
    assert MemoryFiles(FILES).names("src/x.py") == ["src/b.py", "a.py", "src/deep/c.py"]


def test_a_file_that_is_put_there_is_found() -> None:
    files = MemoryFiles()
    files.files["new.py"] = b"x"

    assert files.look("new.py") == FileFound("new.py", b"x", 0o644)
