"""Rule files on a real disk: one writer at a time, nothing lost, no way out of the project."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from holdfast.adapters.filesystem.rule_files import DiskRuleFiles


def _count(root: str, times: int) -> None:
    files = DiskRuleFiles(Path(root))
    for _ in range(times):
        files.update("python/abc", lambda data: str(int(data or b"0") + 1).encode())


def _names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


@pytest.mark.slow
def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    workers = [spawn.Process(target=_count, args=(str(tmp_path), 40)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert DiskRuleFiles(tmp_path).read_all() == [("python/abc", b"80")]
    assert _names(tmp_path / ".holdfast" / "rules" / "python") == ["abc.yaml"]


def test_files_are_read_by_target_and_name_and_others_are_not(tmp_path: Path) -> None:
    files = DiskRuleFiles(tmp_path)
    files.update("rust/b1", lambda _: b"b")
    files.update("c/a1", lambda _: b"a")
    (tmp_path / ".holdfast" / "rules" / "c" / "no rule.yaml").write_bytes(b"x")
    (tmp_path / ".holdfast" / "rules" / "c" / "notes.txt").write_bytes(b"x")
    assert files.read_all() == [("c/a1", b"a"), ("rust/b1", b"b")]


def test_what_a_killed_process_left_is_swept_away(tmp_path: Path) -> None:
    files = DiskRuleFiles(tmp_path)
    files.update("c/a1", lambda _: b"a")
    (tmp_path / ".holdfast" / "rules" / "c" / ".new-0123").write_bytes(b"half")
    files.update("c/a1", lambda _: b"b")
    assert _names(tmp_path / ".holdfast" / "rules" / "c") == ["a1.yaml"]


def test_none_removes_the_file_and_the_same_bytes_do_not_write_it(tmp_path: Path) -> None:
    files = DiskRuleFiles(tmp_path)
    files.update("c/a1", lambda _: b"a")
    before = (tmp_path / ".holdfast" / "rules" / "c" / "a1.yaml").stat().st_ino
    files.update("c/a1", lambda data: data)
    assert (tmp_path / ".holdfast" / "rules" / "c" / "a1.yaml").stat().st_ino == before
    files.update("c/a1", lambda _: None)
    assert files.read_all() == []


@pytest.mark.parametrize(
    "name", ["../x", "python/../x", "python/", "nothing/abc", "python/a/b", "python/.x", "/etc/x"]
)
def test_a_name_that_is_not_ours_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not the name of a rule"):
        DiskRuleFiles(tmp_path).update(name, lambda _: b"x")


def test_a_symlink_on_the_way_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "project" / ".holdfast").mkdir(parents=True)
    (tmp_path / "project" / ".holdfast" / "rules").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
        DiskRuleFiles(tmp_path / "project").update("c/a1", lambda _: b"x")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_is_no_regular_file_has_no_bytes_and_keeps_nobody_from_the_others(
    tmp_path: Path,
) -> None:
    files = DiskRuleFiles(tmp_path)
    files.update("c/a1", lambda _: b"a")
    folder = tmp_path / ".holdfast" / "rules" / "c"
    (folder / "dir.yaml").mkdir()
    (folder / "link.yaml").symlink_to("/etc/passwd")
    (folder / "loop.yaml").symlink_to("loop.yaml")
    assert files.read_all() == [("c/a1", b"a"), ("c/dir", b""), ("c/link", b""), ("c/loop", b"")]


@pytest.mark.parametrize("name", ["dir", "link"])
def test_an_error_names_the_path_of_what_is_in_the_way(tmp_path: Path, name: str) -> None:
    folder = tmp_path / ".holdfast" / "rules" / "c"
    folder.mkdir(parents=True)
    (folder / "dir.yaml").mkdir()
    (folder / "link.yaml").symlink_to("/etc/passwd")
    with pytest.raises(OSError, match=r".") as raised:
        DiskRuleFiles(tmp_path).update(f"c/{name}", lambda _: b"x")
    assert raised.value.filename == str(folder / f"{name}.yaml")


def test_an_error_names_the_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / ".holdfast").mkdir()
    (tmp_path / ".holdfast" / "rules").write_text("a file")
    with pytest.raises(NotADirectoryError) as raised:
        DiskRuleFiles(tmp_path).read_all()
    assert raised.value.filename == str(tmp_path / ".holdfast" / "rules")
