"""Manifests on the disk: atomic, one writer at a time, and no way out of their directories."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.adapters.filesystem.decision_files import DiskDecisionFiles
from holdfast.adapters.filesystem.response_cache import ResponseCache
from holdfast.repair.decisions.manifest import Manifest

KEY = "0" * 64


@pytest.fixture
def files(tmp_path: Path) -> DiskDecisionFiles:
    (tmp_path / "root").mkdir()
    return DiskDecisionFiles(tmp_path / "root", tmp_path / "state")


def names(place: Path) -> list[str]:
    return sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())


def test_nothing_is_made_before_something_is_kept(files: DiskDecisionFiles, tmp_path: Path) -> None:
    assert files.read_all("build") == files.read_all("runtime") == []
    assert names(tmp_path) == []


def test_build_is_part_of_the_project_and_runtime_is_not(
    files: DiskDecisionFiles, tmp_path: Path
) -> None:
    files.update("build", "a.py", lambda _: b"build")
    files.update("runtime", "a.py", lambda _: b"runtime")
    assert names(tmp_path / "root") == [".holdfast/decisions/build/a.py.json"]
    assert [name.rpartition("/")[2] for name in names(tmp_path / "state")] == ["a.py.json"]
    assert (files.read_all("build"), files.read_all("runtime")) == (
        [("a.py", b"build")],
        [("a.py", b"runtime")],
    )


def test_none_removes_a_manifest(files: DiskDecisionFiles, tmp_path: Path) -> None:
    files.update("build", "a.py", lambda _: b"x")
    files.update("build", "a.py", lambda _: None)
    assert names(tmp_path / "root") == []


@pytest.mark.parametrize("module", ["../x", "a/b", "", "..", ".x", "/etc/passwd", "a\0b"])
def test_a_name_that_is_none_of_ours_is_refused(
    files: DiskDecisionFiles, tmp_path: Path, module: str
) -> None:
    with pytest.raises(ValueError, match="not the name of a decision"):
        files.update("build", module, lambda _: b"x")
    assert names(tmp_path) == []


@pytest.mark.parametrize("link", [".holdfast", ".holdfast/decisions", ".holdfast/decisions/build"])
def test_a_symlink_in_the_project_does_not_lead_our_writes_elsewhere(
    files: DiskDecisionFiles, tmp_path: Path, link: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    at = tmp_path / "root" / link
    at.parent.mkdir(parents=True, exist_ok=True)
    at.symlink_to(outside)
    with pytest.raises(OSError, match=r"."):
        files.update("build", "a.py", lambda _: b"x")
    assert names(outside) == []


def test_a_manifest_that_is_a_symlink_is_not_read_and_not_written_through(
    files: DiskDecisionFiles, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.json"
    outside.write_bytes(b"theirs")
    files.update("build", "b.py", lambda _: b"x")
    (tmp_path / "root/.holdfast/decisions/build/a.py.json").symlink_to(outside)
    with pytest.raises(OSError, match=r"."):
        files.update("build", "a.py", lambda _: b"ours")
    assert outside.read_bytes() == b"theirs"


def test_a_change_that_fails_leaves_the_bytes(files: DiskDecisionFiles, tmp_path: Path) -> None:
    files.update("build", "a.py", lambda _: b"old")

    def fail(_: bytes | None) -> bytes:
        raise RuntimeError

    with pytest.raises(RuntimeError):
        files.update("build", "a.py", fail)
    assert files.read_all("build") == [("a.py", b"old")]


def test_what_a_killed_process_left_is_swept(files: DiskDecisionFiles, tmp_path: Path) -> None:
    files.update("build", "a.py", lambda _: b"x")
    (tmp_path / "root/.holdfast/decisions/build/.new-0123").write_bytes(b"half")
    files.update("build", "a.py", lambda _: b"y")
    assert names(tmp_path / "root") == [".holdfast/decisions/build/a.py.json"]


CHILD = """
import sys
from pathlib import Path
from holdfast.adapters.filesystem.decision_files import DiskDecisionFiles
from holdfast.repair.decisions.decision import Decision
from holdfast.repair.decisions.manifest import Manifest
root, state, who = sys.argv[1:]
manifest = Manifest(DiskDecisionFiles(Path(root), Path(state)))
print("ready", flush=True)
sys.stdin.readline()
for number in range(40):
    module = f"m{number % 2}.py"
    manifest.record(Decision(f"{who}{number:015x}", module, module, "python", "repair", "x"))
"""


def test_two_processes_that_record_at_once_lose_nothing(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    # Two state directories: the lock must not depend on which one a process has.
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD, str(root), str(tmp_path / f"state{who}"), who],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for who in "ab"
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
    for child in children:
        child.communicate(b"go\n")
        assert child.returncode == 0
    recorded = Manifest(DiskDecisionFiles(root, tmp_path / "state")).list()
    assert len(recorded) == 80
    assert len(names(root)) == 80


def test_a_response_is_kept_and_found(tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path / "state")
    assert cache.get(KEY) is None
    cache.put(KEY, b"{}")
    assert ResponseCache(tmp_path / "state").get(KEY) == b"{}"
    assert (tmp_path / "state/responses").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("key", ["../../x", "", "0" * 63, "G" * 64])
def test_a_key_that_is_no_hash_names_no_file(tmp_path: Path, key: str) -> None:
    cache = ResponseCache(tmp_path)
    assert cache.get(key) is None
    with pytest.raises(ValueError, match="a SHA-256 in hexadecimal"):
        cache.put(key, b"x")


def test_a_cache_that_cannot_be_written_is_no_matter(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    cache = ResponseCache(tmp_path / "state")
    cache.put(KEY, b"x")
    assert cache.get(KEY) is None
