"""Whatever a project has in the place of a file that Holdfast reads itself: nothing waits for it, and memory has a limit."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.adapters.git.user_repository import UserRepository
from holdfast.adapters.places.main_worktree import git_directory
from holdfast.adapters.plain_file import read_plain
from holdfast.adapters.processes.sandbox.git_places import git_places
from holdfast.adapters.toolchains.languages import python
from holdfast.adapters.toolchains.languages.compile_commands import entry_for
from holdfast.adapters.toolchains.languages.tsconfig import find_tsconfig
from holdfast.adapters.toolchains.own_code import OwnCode
from holdfast.adapters.toolchains.project_checks import make_command
from holdfast.adapters.toolchains.project_state import ProjectState
from holdfast.adapters.toolchains.toml_file import read_toml
from holdfast.adapters.trust.code_items import item_of_file
from holdfast.adapters.trust.command_code import files_of_command

SECONDS = 20.0
"""Ends a hang."""


def read_head(root: Path) -> object:
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    return UserRepository(root, root / ".git", root / ".git", {}, ()).read_head(SECONDS)


READERS: list[tuple[str, Callable[[Path], object]]] = [
    ("pyproject.toml", lambda root: read_toml(root / "pyproject.toml")),
    ("setup.cfg", lambda root: python.find_mypy_config(root, "a.py")),
    ("base.json", lambda root: find_tsconfig(root, "a.ts")),
    ("compile_commands.json", lambda root: entry_for(root, "a.c")),
    ("Makefile", make_command),
    ("Makefile", lambda root: list(files_of_command("make check", root))),
    ("package.json", lambda root: list(files_of_command("npm test", root))),
    (".git", lambda root: git_places(str(root))),
    (".git", git_directory),
    (".git/commondir", lambda root: git_places(str(root))),
    (".git/packed-refs", read_head),
    ("a.py", lambda root: item_of_file(root, "a.py", "plugin")),
    ("a.py", lambda root: ProjectState(root).of_file(root / "a.py")),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    (made / ".git").mkdir(parents=True)
    (made / "tsconfig.json").write_text('{"extends": "./base.json"}')
    return made


def put(place: Path, kind: str) -> None:
    if place.is_dir():
        place.rmdir()
    if kind == "pipe":
        os.mkfifo(place)
    else:
        place.symlink_to("/dev/zero")


@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize(("name", "read"), READERS)
def test_a_pipe_or_a_device_in_the_place_of_a_file_is_not_read(
    root: Path, kind: str, name: str, read: Callable[[Path], object]
) -> None:
    put(root / name, kind)
    reader = threading.Thread(target=read, args=(root,), daemon=True)
    reader.start()
    reader.join(SECONDS)
    hangs = reader.is_alive()
    if hangs and kind == "pipe":
        # Release the thread.
        os.close(os.open(root / name, os.O_RDWR))
    assert not hangs


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert read_plain(tmp_path / "a", 5) == b"12345"
    with pytest.raises(OSError, match="File too large"):
        read_plain(tmp_path / "a", 4)


def test_settings_of_mypy_that_are_too_large_to_be_read_count_as_code(root: Path) -> None:
    with (root / "mypy.ini").open("wb") as file:
        file.write(b"[mypy]\nplugins = evil.py\n#")
        file.seek(65_000_000)
        file.write(b"\n")
    items = OwnCode(root).of_file("a.py")
    assert "mypy.ini" in {item.path for item in items}


def test_a_makefile_that_is_too_large_to_be_read_is_code(root: Path) -> None:
    with (root / "Makefile").open("wb") as file:
        file.write(b"check:\n\ttouch evil\n#")
        file.seek(65_000_000)
        file.write(b"\n")
    one, *_ = OwnCode(root).of_command("make check")
    with (root / "Makefile").open("r+b") as file:
        file.write(b"check:\n\ttouch Evil\n#")
    other, *_ = OwnCode(root).of_command("make check")
    assert (one.path, other.path, one == other) == ("Makefile", "Makefile", False)


@pytest.mark.parametrize("text", ["a = " + "[" * 20_000 + "]" * 20_000, "a = " + "{a=" * 20_000])
def test_deeply_nested_toml_is_as_one_that_cannot_be_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert read_toml(tmp_path / "pyproject.toml") == {}
