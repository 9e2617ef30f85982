"""A check that nobody trusted reads no file with secrets, under any name, and nothing of git's."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from holdfast.adapters.processes.sandbox.probe import open_sandbox
from holdfast.adapters.project.secret_files import find_secret_files
from holdfast.adapters.toolchains.registry import check_for
from holdfast.repair.ports import Checked, ToolchainMissing
from tests.waiting import LONGEST

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc"),
]
SECRET = "hunter2_of_this_test"
MANY = 401


@pytest.fixture(params=["bubblewrap", "landlock"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    (made / "web").mkdir(parents=True)
    return made


def include(root: Path, kind: str, name: str, *, own_code: bool = False) -> str:
    """Check a source that includes a file, and return all that the check says of it."""
    sandbox = open_sandbox(kind, root, root.parent / "state", [], find_secret_files)  # type: ignore[arg-type]  # one of the choices
    if sandbox.status.kind != kind:
        pytest.skip(f"{kind} does not work here: {sandbox.status.why}")
    check = check_for("a.c", root, mode="file", timeout=LONGEST, own_code=own_code, sandbox=sandbox)
    assert check is not None
    source = f'#include "{name}"\n'.encode()
    (root / "a.c").write_bytes(source)
    checked = check.run("a.c", source)
    assert isinstance(checked, Checked)
    return f"{checked.diagnostics} {checked.output}"


def hard_link(root: Path) -> str:
    (root / ".env").write_text(f"#error {SECRET}\n")
    (root / "notes.txt").hardlink_to(root / ".env")
    return "notes.txt"


def link_upwards(root: Path) -> str:
    (root / "settings.txt").write_text(f"#error {SECRET}\n")
    (root / "web/.env").symlink_to("../settings.txt")
    return "settings.txt"


def absolute_link(root: Path) -> str:
    (root / "settings.txt").write_text(f"#error {SECRET}\n")
    (root / ".env").symlink_to(root / "settings.txt")
    return "settings.txt"


def linked_folder(root: Path) -> str:
    (root / "keys").mkdir()
    (root / "keys/mine").write_text(f"#error {SECRET}\n")
    (root / "web/.ssh").symlink_to("../keys")
    return "keys/mine"


@pytest.mark.parametrize("place", [hard_link, link_upwards, absolute_link, linked_folder])
def test_a_secret_under_another_name_is_empty_in_the_copy(
    root: Path, kind: str, place: object
) -> None:
    name = place(root)  # type: ignore[operator]  # a function of the list
    said = include(root, kind, name)
    assert SECRET not in said
    assert SECRET not in include(root, kind, str(root / name))
    (root / "plain.txt").write_text(f"#error {SECRET}\n")
    assert SECRET in include(root, kind, "plain.txt")


def test_a_file_that_has_become_a_secret_is_empty_in_the_next_copy(root: Path, kind: str) -> None:
    (root / "settings.txt").write_text(f"#error {SECRET}\n")
    assert SECRET in include(root, kind, "settings.txt")
    (root / ".env").symlink_to("settings.txt")
    assert SECRET not in include(root, kind, "settings.txt")
    (root / ".env").unlink()
    assert SECRET in include(root, kind, "settings.txt")


def test_where_not_all_secrets_can_be_masked_only_a_trusted_check_runs(
    root: Path, kind: str
) -> None:
    for number in range(MANY):
        (root / f"{number:03}.key").write_text(f"#error {SECRET}\n")
    (root / "web/.env").write_text(f"#error {SECRET}\n")
    with pytest.raises(ToolchainMissing, match="could read files with secrets"):
        include(root, kind, str(root / "web/.env"))
    assert "a.c" in include(root, kind, "missing.h", own_code=True)


def test_a_check_reads_nothing_of_git(root: Path, kind: str) -> None:
    (root / ".git/objects").mkdir(parents=True)
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (root / ".git/config").write_text(f"#error {SECRET}\n")
    assert SECRET not in include(root, kind, str(root / ".git/config"))
    assert SECRET in include(root, kind, str(root / ".git/config"), own_code=True)
