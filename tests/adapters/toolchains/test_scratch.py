"""Scratch folders: they show the project with one file changed, are bounded, and none is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from holdfast.adapters.toolchains import project_copy, scratch_dir
from holdfast.adapters.toolchains.scratch_dir import ScratchDir, borrow
from tests.adapters.toolchains.toolbox import snapshot


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    (made / "pkg/sub").mkdir(parents=True)
    (made / "node_modules/dep").mkdir(parents=True)
    (made / "node_modules/dep/index.js").write_text("dep")
    (made / ".git").mkdir()
    (made / ".git/config").write_text("git")
    (made / "pkg/a.txt").write_text("a")
    (made / "pkg/sub/b.txt").write_text("b")
    (made / "link.txt").symlink_to("pkg/a.txt")
    (made / "dead.txt").symlink_to("nowhere")
    return made


@pytest.mark.parametrize("way", ["farm", "mirror"])
def test_the_unit_has_its_new_text_and_all_else_is_as_it_is(root: Path, way: str) -> None:
    before = snapshot(root)
    with borrow(root) as place:
        top = Path(getattr(place, way)("pkg/a.txt", b"new"))
        assert (top / "pkg/a.txt").read_text() == "new"
        assert (top / "pkg/sub/b.txt").read_text() == "b"
        assert (top / "node_modules/dep/index.js").read_text() == "dep"
    assert snapshot(root) == before


def test_a_link_within_the_project_leads_to_the_copy(root: Path) -> None:
    with borrow(root) as place:
        top = Path(place.mirror("pkg/a.txt", b"new"))
        assert (top / "link.txt").read_text() == "new"
        assert not (top / ".git").exists()


def test_a_mirror_beyond_its_bounds_is_still_whole(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_copy, "_MOST_FILES", 2)
    with borrow(root) as place:
        top = Path(place.mirror("pkg/sub/b.txt", b"new"))
        assert (top / "pkg/a.txt").read_text() == "a"
        assert (top / "pkg/sub/b.txt").read_text() == "new"
    assert (root / "pkg/sub/b.txt").read_text() == "b"


def test_large_files_are_linked(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(project_copy, "_LARGEST_FILE", 0)
    with borrow(root) as place:
        top = Path(place.mirror("pkg/a.txt", b"new"))
        assert (top / "pkg/sub/b.txt").is_symlink()
        assert (top / "pkg/sub/b.txt").read_text() == "b"
        assert not (top / "pkg/a.txt").is_symlink()


def test_a_file_that_is_not_there_yet_is_shown_in_folders_that_are_not(root: Path) -> None:
    with borrow(root) as place:
        for top in (place.farm("new/deep/c.txt", b"c"), place.mirror("new/deep/c.txt", b"c")):
            assert Path(top, "new/deep/c.txt").read_text() == "c"
    assert not (root / "new").exists()


def test_a_folder_that_became_a_file_and_the_other_way_round(root: Path) -> None:
    with borrow(root) as place:
        place.mirror("pkg/a.txt", b"new")
        (root / "pkg/sub/b.txt").unlink()
        (root / "pkg/sub").rmdir()
        (root / "pkg/sub").write_text("file")
        (root / "link.txt").unlink()
        (root / "link.txt").mkdir()
        (root / "link.txt/in.txt").write_text("in")
        top = Path(place.mirror("pkg/a.txt", b"new"))
        assert (top / "pkg/sub").read_text() == "file"
        assert (top / "link.txt/in.txt").read_text() == "in"


def test_a_folder_goes_with_its_object(root: Path) -> None:
    place = ScratchDir(root)
    folder = place.folder
    place.farm("pkg/a.txt", b"")
    assert folder.is_dir()
    del place
    assert not folder.exists()
    assert (root / "pkg/sub/b.txt").exists()


def test_two_borrowers_have_two_folders_and_the_next_gets_one_of_them(root: Path) -> None:
    with borrow(root) as one, borrow(root) as two:
        assert one.folder != two.folder
    with borrow(root) as again:
        assert again.folder in {one.folder, two.folder}


def test_what_a_killed_program_left_is_swept_and_what_another_uses_is_not(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The child is killed in the middle of its work, as with `kill -9`."""
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    child = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom holdfast.adapters.toolchains.scratch_dir import ScratchDir\n"
        "place = ScratchDir(Path(sys.argv[1]))\nplace.mirror('pkg/a.txt', b'new')\nos.kill(os.getpid(), signal.SIGKILL)\n"
    )
    before = snapshot(root)
    variables = {**os.environ, "TMPDIR": str(temporary)}
    ended = subprocess.run([sys.executable, "-c", child, str(root)], env=variables, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert snapshot(root) == before
    (dead,) = temporary.iterdir()
    alive = ScratchDir(root)
    scratch_dir._sweep()
    assert not dead.exists()
    assert alive.folder.is_dir()


@pytest.mark.parametrize("removals", [0, 1, 2, 3, 4])
def test_a_program_that_is_killed_while_it_removes_its_folder_leaves_it_to_the_sweep(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, removals: int
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    child = f"""
import os, shutil, signal, sys
from pathlib import Path
from holdfast.adapters.toolchains.scratch_dir import ScratchDir
place = ScratchDir(Path(sys.argv[1]))
(place.folder / "file").write_bytes(b"new")
left = {removals}
def counted(remove):
    def counting(*args, **options):
        global left
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        return remove(*args, **options)
    return counting
os.unlink, os.rmdir = counted(os.unlink), counted(os.rmdir)
del place
"""
    variables = {**os.environ, "TMPDIR": str(temporary)}
    subprocess.run([sys.executable, "-c", child, str(root)], env=variables, check=False)
    scratch_dir._sweep()
    assert list(temporary.iterdir()) == []
