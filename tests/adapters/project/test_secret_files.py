"""The files that a sandbox masks: found by name, under all their names, and found again."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from holdfast.adapters.project import secret_files
from holdfast.adapters.project.secret_files import SecretFinder, linked_secrets


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    return root


def write(file: Path, text: str = "x") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def names(finder: SecretFinder, root: Path) -> list[str]:
    found = finder.find()
    assert not found.gap
    return sorted(os.path.relpath(path, root) for path in found.paths)


def test_secrets_are_found_by_name_in_every_directory(root: Path) -> None:
    secrets = [".aws/any", ".env", "node_modules/x/.npmrc", "sub/gh/hosts.yml", "sub/id_rsa"]
    for name in ("a.py", "hosts.yml", ".git/.env", *secrets):
        write(root / name)
    assert names(SecretFinder(str(root)), root) == secrets


def test_another_name_of_the_same_file_is_one_too(root: Path) -> None:
    secret = write(root / ".env")
    write(root / "sub/a.txt")
    (root / "sub/plain.txt").hardlink_to(secret)
    assert names(SecretFinder(str(root)), root) == [".env", "sub/plain.txt"]


def test_a_link_with_the_name_of_a_secret_stands_for_what_it_leads_to(
    root: Path, tmp_path: Path
) -> None:
    write(root / "settings.txt")
    (root / ".env").symlink_to("settings.txt")
    outside = write(tmp_path / "keys")
    (root / "id_rsa").symlink_to(outside)
    assert names(SecretFinder(str(root)), root) == ["../keys", "settings.txt"]


def test_a_link_with_the_name_of_a_folder_with_secrets_stands_for_what_is_in_its_target(
    root: Path,
) -> None:
    for name in ("keys/mine", "other/deep", "conf/hosts.yml", "conf/a.yml"):
        write(root / name)
    (root / ".ssh").symlink_to("keys")
    (root / "keys/more").symlink_to("../other")
    (root / "gh").symlink_to("conf")
    assert names(SecretFinder(str(root)), root) == ["conf/hosts.yml", "keys", "other"]
    asked = ["keys/mine", "other/deep", "conf/hosts.yml", "conf/a.yml"]
    assert linked_secrets(str(root), asked) == set(asked[:3])


@pytest.mark.parametrize("target", [".", "..", "/"])
def test_a_folder_with_secrets_that_the_project_is_in_cannot_be_masked(
    root: Path, target: str
) -> None:
    (root / ".ssh").symlink_to(target)
    found = SecretFinder(str(root)).find()
    assert (found.paths, bool(found.gap)) == (frozenset(), True)


def test_a_hard_link_counts_where_not_all_secrets_are_known(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "b.txt").hardlink_to(write(root / "a.txt"))
    write(root / "c.txt")
    assert linked_secrets(str(root), ["b.txt", "c.txt"]) == set()
    monkeypatch.setattr(secret_files, "_ENTRY_LIMIT", 1)
    assert linked_secrets(str(root), ["b.txt", "c.txt"]) == {"b.txt"}


def test_a_certificate_without_a_key_is_no_secret(root: Path) -> None:
    write(root / "ca.pem", "-----BEGIN CERTIFICATE-----\n")
    write(root / "own.pem", "-----BEGIN PRIVATE KEY-----\n")
    assert names(SecretFinder(str(root)), root) == ["own.pem"]


def test_what_comes_and_goes_between_two_searches_is_noticed(root: Path) -> None:
    finder = SecretFinder(str(root))
    write(root / "sub/a.py")
    assert names(finder, root) == []
    secret = write(root / "sub/.env")
    assert names(finder, root) == ["sub/.env"]
    secret.rename(root / "sub/b.py")
    assert names(finder, root) == []
    (root / "sub").rename(root / ".ssh")
    assert names(finder, root) == [".ssh/a.py", ".ssh/b.py"]


def test_a_new_name_is_noticed_whatever_time_a_directory_is_given(root: Path) -> None:
    write(root / "sub/.env")
    os.utime(root, (1, 1))
    finder = SecretFinder(str(root))
    finder.find()
    wait_until_settled(root)
    assert names(finder, root) == ["sub/.env"]
    (root / "sub").rename(root / "other")
    os.utime(root, (1, 1))
    assert names(finder, root) == ["other/.env"]


def wait_until_settled(folder: Path) -> None:
    """Wait until a directory is remembered: one that has changed just now is read again."""
    while time.time_ns() < folder.stat().st_ctime_ns + 2_100_000_000:
        time.sleep(0.05)


@pytest.mark.parametrize("mode", [0o000, 0o311, 0o444])
def test_a_directory_that_cannot_be_looked_at_is_a_secret_as_a_whole(
    root: Path, monkeypatch: pytest.MonkeyPatch, mode: int
) -> None:
    write(root / "sub/in/.env")
    (root / "sub").chmod(mode)
    finder = SecretFinder(str(root))
    monkeypatch.setattr(os, "access", access_of_owner)
    try:
        assert names(finder, root) == ["sub"]
        assert finder.find().holds(str(root / "sub/in/.env"))
    finally:
        (root / "sub").chmod(0o700)
    assert names(finder, root) == ["sub/in/.env"]


def test_a_root_that_cannot_be_listed_is_a_gap(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root.chmod(0o311)
    monkeypatch.setattr(os, "access", access_of_owner)
    assert SecretFinder(str(root)).find().gap == "the folder of the project cannot be listed"


def access_of_owner(path: str, wanted: int, *, effective_ids: bool) -> bool:
    """Return what `os.access` returns to a user who is not root, of what is their own."""
    assert effective_ids
    return Path(path).stat().st_mode >> 6 & wanted == wanted


def test_a_search_that_is_too_long_says_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        write(root / f"{number}.key")
    monkeypatch.setattr(secret_files, "_MASK_LIMIT", 4)
    found = SecretFinder(str(root)).find()
    assert found.gap == "the project has more than 4 of them"
    assert (len(found.masks), len(found.paths)) == (4, 5)
    monkeypatch.setattr(secret_files, "_MASK_LIMIT", 5)
    assert not SecretFinder(str(root)).find().gap
    monkeypatch.setattr(secret_files, "_ENTRY_LIMIT", 4)
    assert SecretFinder(str(root)).find().gap == (
        "the project has too many files to find those with secrets in time"
    )


def test_the_settings_of_a_repository_without_a_worktree_are_secret_whatever_its_name_is(
    root: Path,
) -> None:
    for name in ("HEAD", "config", "objects/x", "refs/x"):
        write(root / "b.git" / name)
    write(root / "app/config")
    assert names(SecretFinder(str(root)), root) == ["b.git/config"]
