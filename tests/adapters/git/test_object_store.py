"""Objects that this process writes can be read by git, and none is written twice."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from holdfast.adapters.git.objects.object_store import ObjectStore


def _git(root: Path, *words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True).stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    _git(tmp_path, "init", "-q")
    return tmp_path


def _packs(root: Path) -> list[Path]:
    return sorted((root / ".git" / "objects" / "pack").glob("*.pack"))


def _loose(root: Path) -> list[Path]:
    return sorted((root / ".git" / "objects").glob("[0-9a-f][0-9a-f]/*"))


def test_three_objects_are_a_file_each(root: Path) -> None:
    batch = ObjectStore(root / ".git", "sha1").batch()
    oids = [batch.add("blob", b"x" * size) for size in (0, 16, 3000)]
    batch.flush()
    contents = [_git(root, "cat-file", "blob", oid.hex()) for oid in oids]
    assert contents == [b"x" * size for size in (0, 16, 3000)]
    assert (len(_loose(root)), _packs(root)) == (3, [])


def test_many_objects_are_one_pack(root: Path) -> None:
    batch = ObjectStore(root / ".git", "sha1").batch()
    oids = [batch.add("blob", b"%d\n" % number * number) for number in range(1, 301)]
    batch.flush()
    (pack,) = _packs(root)
    assert _loose(root) == []
    _git(root, "verify-pack", str(pack))
    for number in (1, 2, 77, 300):
        content = _git(root, "cat-file", "blob", oids[number - 1].hex())
        assert content == b"%d\n" % number * number


def test_what_the_repository_has_is_not_written_again(root: Path) -> None:
    store = ObjectStore(root / ".git", "sha1")
    for _ in range(2):
        batch = store.batch()
        for number in range(300):
            batch.add("blob", b"packed %d" % number)
        batch.flush()
    assert len(_packs(root)) == 1
    (root / "loose").write_bytes(b"loose")
    _git(root, "hash-object", "-w", "loose")
    batch = store.batch()
    batch.add("blob", b"loose")
    batch.add("blob", b"packed 7")
    batch.flush()
    assert (len(_loose(root)), len(_packs(root))) == (1, 1)


def test_more_than_fits_into_memory_is_written_on_the_way(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("holdfast.adapters.git.objects.object_store._WAITING_SIZE", 1000)
    batch = ObjectStore(root / ".git", "sha1").batch()
    oids = [batch.add("blob", bytes([number]) * 400) for number in range(9)]
    assert len(_loose(root)) == 9
    batch.flush()
    assert _git(root, "cat-file", "blob", oids[8].hex()) == b"\x08" * 400


def test_a_large_file_is_written_piece_by_piece(root: Path) -> None:
    content = b"0123456789abcdef" * 200_000
    (root / "large").write_bytes(content)
    with (root / "large").open("rb") as file:
        oid = ObjectStore(root / ".git", "sha1").batch().add_large(file.fileno())
    assert _git(root, "hash-object", "large").strip().decode() == oid.hex()
    assert _git(root, "cat-file", "blob", oid.hex()) == content


def test_a_packed_object_is_read_unless_it_is_a_difference(root: Path) -> None:
    text = b"".join(b"line %d\n" % number for number in range(500))
    for name, content in (("a", text), ("b", text + b"more\n")):
        (root / name).write_bytes(content)
    _git(root, "add", "-A")
    _git(root, "-c", "user.name=x", "-c", "user.email=x@localhost", "commit", "-q", "-m", "x")
    _git(root, "gc", "-q")
    commit = _git(root, "rev-parse", "HEAD").strip().decode()
    batch = ObjectStore(root / ".git", "sha1").batch()
    assert batch.read(bytes.fromhex(commit)) == _git(root, "cat-file", "commit", commit)
    oids = [_git(root, "rev-parse", f":{name}").strip().decode() for name in ("a", "b")]
    bodies = [batch.read(bytes.fromhex(oid)) for oid in oids]
    assert sorted(bodies, key=str) == sorted([None, text + b"more\n"], key=str)
    assert batch.read(bytes(20)) is None


def test_many_small_packs_become_one_with_all_their_objects(root: Path) -> None:
    store = ObjectStore(root / ".git", "sha1")
    bodies = [b"%d\n" % number * number for number in range(60)]
    for first in range(0, 60, 5):
        batch = store.batch()
        for body in bodies[first : first + 5]:
            batch.add("blob", body)
        batch.flush()
    assert len(_packs(root)) == 12
    store.merge_packs()
    (pack,) = _packs(root)
    _git(root, "verify-pack", str(pack))
    batch = store.batch()
    for body in bodies:
        oid = batch.add("blob", body)
        assert batch.read(oid) == _git(root, "cat-file", "blob", oid.hex()) == body


def test_packs_of_a_merge_that_was_killed_are_merged_again(root: Path) -> None:
    store = ObjectStore(root / ".git", "sha1")
    for first in range(0, 60, 5):
        batch = store.batch()
        for number in range(first, first + 5):
            batch.add("blob", b"%d" % number)
        batch.flush()
    left = {file: file.read_bytes() for file in (root / ".git/objects/pack").iterdir()}
    store.merge_packs()
    for file, data in left.items():
        file.write_bytes(data)
    ObjectStore(root / ".git", "sha1").merge_packs()
    (pack,) = _packs(root)
    _git(root, "verify-pack", str(pack))
    assert _git(root, "count-objects", "-v").decode().split("in-pack: ")[1].startswith("60\n")


def test_a_pack_that_is_cut_off_is_left_to_git(root: Path) -> None:
    store = ObjectStore(root / ".git", "sha1")
    batch = store.batch()
    oids = [batch.add("blob", b"%d" % number * 5000) for number in range(5)]
    batch.flush()
    (pack,) = _packs(root)
    pack.chmod(0o600)
    pack.write_bytes(pack.read_bytes()[:30])
    assert {ObjectStore(root / ".git", "sha1").batch().read(oid) for oid in oids} == {None}


def test_a_body_larger_than_asked_for_is_not_read(root: Path) -> None:
    store = ObjectStore(root / ".git", "sha1")
    oid = store.write("blob", b"x" * 10_000)
    assert store.batch().read(bytes.fromhex(oid), at_most=9_000) is None
    assert store.batch().read(bytes.fromhex(oid)) == b"x" * 10_000
