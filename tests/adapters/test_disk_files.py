"""The disk as the writer sees it: real files, links, pipes and races."""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.adapters.filesystem.disk_files import DiskFiles
from holdfast.changes.ports import FileFound, FileMissing, FileUnfit
from holdfast.changes.swaps import Batch, Content, Swap

SIBLING = ".holdfast-x-0.tmp"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "root"
    place.mkdir()
    return place


@pytest.fixture
def files(root: Path) -> Iterator[DiskFiles]:
    disk = DiskFiles(str(root))
    yield disk
    disk.close()


def reason(looked: object) -> str:
    assert isinstance(looked, FileUnfit), looked
    return looked.reason


def test_a_regular_file_is_found_with_its_mode(root: Path, files: DiskFiles) -> None:
    (root / "a.sh").write_bytes(b"x")
    (root / "a.sh").chmod(0o750)
    assert files.look("./a.sh") == FileFound("a.sh", b"x", 0o750)


def test_a_missing_file_names_the_directories_it_needs(root: Path, files: DiskFiles) -> None:
    (root / "a").mkdir()
    assert files.look("a/b/c/d.py") == FileMissing("a/b/c/d.py", ("a/b", "a/b/c"))


@pytest.mark.parametrize(
    "path", ["../x", "/etc/passwd", "a/../../x", ".git/config", "sub/.git/hooks/post-checkout"]
)
def test_a_path_that_leaves_the_root_or_enters_git_is_out_of_bounds(
    path: str, files: DiskFiles
) -> None:
    assert reason(files.look(path)) == "out_of_bounds"


def test_links_are_followed_inside_the_root(root: Path, files: DiskFiles) -> None:
    (root / "real").mkdir()
    (root / "real/a.py").write_bytes(b"x")
    (root / "link.py").symlink_to("real/a.py")
    (root / "absolute.py").symlink_to(root / "real/a.py")
    (root / "directory").symlink_to("real")
    assert files.look("link.py") == FileFound("real/a.py", b"x", 0o644, linked=True)
    assert files.look("absolute.py") == FileFound("real/a.py", b"x", 0o644, linked=True)
    assert files.look("directory/a.py") == FileFound("real/a.py", b"x", 0o644)
    assert files.look("directory/new/b.py") == FileMissing("real/new/b.py", ("real/new",))


def test_links_out_of_the_root_are_out_of_bounds(root: Path, files: DiskFiles) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "a.py").write_bytes(b"x")
    (root / "file").symlink_to("../outside/a.py")
    (root / "directory").symlink_to(outside)
    (root / "chain").symlink_to("file")
    (root / ".git").mkdir()
    (root / "hooks").symlink_to(".git")
    for path in ("file", "directory/a.py", "directory/new.py", "chain", "hooks/pre-commit"):
        assert reason(files.look(path)) == "out_of_bounds"


def test_links_to_nothing_and_to_themselves_are_refused(root: Path, files: DiskFiles) -> None:
    (root / "nothing").symlink_to("missing.py")
    (root / "nowhere").symlink_to("missing")
    (root / "loop").symlink_to("loop")
    for path in ("nothing", "nowhere/a.py", "loop", "loop/a.py"):
        assert reason(files.look(path)) == "conflict"


def test_what_is_no_regular_file_is_refused_without_waiting(root: Path, files: DiskFiles) -> None:
    os.mkfifo(root / "pipe")
    (root / "directory").mkdir()
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(root / "socket"))
        found = [files.look(name) for name in ("pipe", "directory", "socket")]
    assert [each.message for each in found if isinstance(each, FileUnfit)] == [
        "pipe: this is a named pipe; only regular files can be edited.",
        "directory: this is a directory; only regular files can be edited.",
        "socket: this is a socket; only regular files can be edited.",
    ]


def test_a_file_is_no_directory(root: Path, files: DiskFiles) -> None:
    (root / "a").write_bytes(b"x")
    assert files.look("a/b.py") == FileUnfit(
        "conflict", "a/b.py: a is a file, so no file can be in it."
    )


def test_a_name_that_is_too_long_is_refused(files: DiskFiles) -> None:
    assert reason(files.look("x" * 300)) == "conflict"


def test_odd_names_are_found(root: Path, files: DiskFiles) -> None:
    for name in ("a b", "-dash", "new\nline", "*", ":(top)x", "caf\udce9.py"):
        (root / name).write_bytes(b"x")
        assert files.look(name) == FileFound(name, b"x", 0o644)


def test_names_begin_near_the_one_that_is_missing_and_leave_out_what_is_not_the_projects(
    root: Path, files: DiskFiles
) -> None:
    for name in ("z/near.py", "a.py", ".git/config", "node_modules/x.js", "b/c.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"")
    (root / "loop").symlink_to(".")
    assert files.names("z/missing.py") == ["z/near.py", "a.py", "b/c.py"]


def test_very_many_names_are_cut_off(root: Path, files: DiskFiles) -> None:
    for number in range(3100):
        (root / str(number)).touch()
    assert len(files.names("x")) == 3000


def swap_all(files: DiskFiles, swap: Swap) -> bool:
    files.stage(swap, SIBLING)
    return files.put(swap, SIBLING)


def test_a_swap_keeps_the_mode_and_leaves_no_sibling(root: Path, files: DiskFiles) -> None:
    (root / "a.sh").write_bytes(b"old")
    (root / "a.sh").chmod(0o4751)
    assert swap_all(files, Swap("a.sh", Content(b"old"), Content(b"new", 0o600)))
    assert (root / "a.sh").read_bytes() == b"new"
    assert stat.S_IMODE((root / "a.sh").stat().st_mode) == 0o4751
    assert [path.name for path in root.iterdir()] == ["a.sh"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_swap_keeps_the_owner(root: Path, files: DiskFiles) -> None:
    (root / "a").write_bytes(b"old")
    os.chown(root / "a", 1234, 2345)
    assert swap_all(files, Swap("a", Content(b"old"), Content(b"new")))
    assert ((root / "a").stat().st_uid, (root / "a").stat().st_gid) == (1234, 2345)


def test_a_new_file_has_the_mode_that_the_umask_gives_or_the_one_it_had(
    root: Path, files: DiskFiles
) -> None:
    umask = os.umask(0o027)
    try:
        assert swap_all(files, Swap("a", None, Content(b"x")))
        assert swap_all(files, Swap("b", None, Content(b"x", 0o755)))
    finally:
        os.umask(umask)
    assert [stat.S_IMODE((root / name).stat().st_mode) for name in ("a", "b")] == [0o640, 0o755]


@pytest.mark.parametrize(
    ("swap", "there", "side"),
    [
        (Swap("a", Content(b"old"), Content(b"new")), b"old", "before"),
        (Swap("a", Content(b"old"), Content(b"new")), b"new", "after"),
        (Swap("a", Content(b"old"), Content(b"new")), b"other", "neither"),
        (Swap("a", Content(b"old"), Content(b"new")), None, "neither"),
        (Swap("a", None, Content(b"new")), None, "before"),
        (Swap("a", None, Content(b"new")), b"other", "neither"),
        (Swap("a", Content(b"old"), None), None, "after"),
        (Swap("a", Content(b"old"), None), b"other", "neither"),
        (Swap("a", Content(b""), None), b"", "before"),
    ],
)
def test_a_file_is_old_or_new_or_somebody_elses(
    root: Path, files: DiskFiles, swap: Swap, there: bytes | None, side: str
) -> None:
    if there is not None:
        (root / "a").write_bytes(there)
    assert files.side(swap) == side
    if side == "neither":
        files.stage(swap, SIBLING)
        assert files.put(swap, SIBLING) is False
        assert ((root / "a").read_bytes() if (root / "a").exists() else None) == there


def test_a_link_or_a_pipe_in_a_files_place_is_somebody_elses(root: Path, files: DiskFiles) -> None:
    (root / "real").write_bytes(b"old")
    (root / "link").symlink_to("real")
    os.mkfifo(root / "pipe")
    for name in ("link", "pipe"):
        assert files.side(Swap(name, Content(b"old"), Content(b"new"))) == "neither"
        assert files.put(Swap(name, Content(b"old"), Content(b"new")), SIBLING) is False


def test_a_directory_that_became_a_link_is_not_followed(root: Path, files: DiskFiles) -> None:
    outside = root.parent / "outside"
    outside.mkdir()
    (outside / "a").write_bytes(b"old")
    (root / "d").symlink_to(outside)
    swap = Swap("d/a", Content(b"old"), Content(b"new"))
    assert files.side(swap) == "neither"
    assert files.put(swap, SIBLING) is False
    with pytest.raises(OSError, match="d"):
        files.stage(swap, f"d/{SIBLING}")
    with pytest.raises(OSError, match="d"):
        files.make("d/new")
    files.discard("d/a")
    files.clear("d/new")
    files.settle(Batch("x", (swap,)))
    assert [(path.name, path.read_bytes()) for path in outside.iterdir()] == [("a", b"old")]


def test_a_new_file_does_not_replace_one_that_came_in_between(
    root: Path, files: DiskFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.link

    def late(*args: object, **options: object) -> None:
        (root / "a").write_bytes(b"other")
        real(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "link", late)
    assert swap_all(files, Swap("a", None, Content(b"new"))) is False
    assert (root / "a").read_bytes() == b"other"


def test_a_disk_without_hard_links_gets_its_new_file_too(
    root: Path, files: DiskFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise PermissionError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(os, "link", refuse)
    assert swap_all(files, Swap("a", None, Content(b"new")))
    assert [(path.name, path.read_bytes()) for path in root.iterdir()] == [("a", b"new")]


def test_a_directory_with_something_in_it_is_not_cleared(root: Path, files: DiskFiles) -> None:
    files.make("d")
    files.make("d")
    (root / "d/kept").write_bytes(b"")
    files.clear("d")
    files.clear("missing/d")
    assert (root / "d/kept").exists()
    (root / "d/kept").unlink()
    files.clear("d")
    assert list(root.iterdir()) == []


def test_a_root_that_is_no_directory_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for name in ("file", "missing"):
        with pytest.raises(OSError, match=name):
            DiskFiles(str(tmp_path / name))


def test_a_root_may_be_a_link(root: Path) -> None:
    (root / "a").write_bytes(b"x")
    (root.parent / "link").symlink_to(root)
    disk = DiskFiles(str(root.parent / "link"))
    assert disk.look("a") == FileFound("a", b"x", 0o644)
    disk.close()


def test_a_file_that_is_too_large_to_be_edited_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.log").open("wb") as file:
        file.truncate(3_000_000_000)
    looked = DiskFiles(str(tmp_path)).look("huge.log")
    message = "huge.log: this file has 3000 MB; only files of up to 20 MB can be edited."
    assert looked == FileUnfit("conflict", message)
