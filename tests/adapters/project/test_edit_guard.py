"""Which edits change what git runs: its settings, what these name, and folders that it takes for a repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from holdfast.adapters.filesystem.disk_files import DiskFiles
from holdfast.adapters.project.directories import DiskDirectories
from holdfast.adapters.project.edit_guard import DiskEditGuard
from holdfast.changes.ports import FileFound, FileUnfit


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "root"
    place.mkdir()
    return place


# ------------------------------------------------------------------------------ git directories


@pytest.mark.parametrize("worktree", ["", "sub"])
@pytest.mark.parametrize("name", ["config", "HEAD", "hooks/pre-commit", "info/x", "modules/m/x"])
def test_a_git_directory_under_another_name_is_out_of_bounds(
    root: Path, worktree: str, name: str
) -> None:
    (root / worktree).mkdir(exist_ok=True)
    git(root / worktree, "init", "-q", "--separate-git-dir", str(root / "gitdata"))
    (root / "link").symlink_to("gitdata")
    files = DiskFiles(str(root))
    for folder in ("gitdata", "link", "./x/../gitdata"):
        looked = files.look(f"{folder}/{name}")
        assert isinstance(looked, FileUnfit)
        assert looked.reason == "out_of_bounds"
    looked = files.look(f"link/{name}")
    assert isinstance(looked, FileUnfit)
    assert looked.message == (
        f"link/{name}: gitdata belongs to git itself; edit the project's files instead."
    )
    assert isinstance(DiskDirectories(str(root)).place(f"link/{name}"), FileUnfit)


def test_a_repository_that_is_only_a_fixture_can_be_read_and_its_edit_is_asked_for(
    root: Path,
) -> None:
    git(root, "init", "-q")
    git(root, "init", "-q", "--bare", "fixtures/x")
    assert isinstance(DiskFiles(str(root)).look("fixtures/x/config"), FileFound)
    assert DiskEditGuard(str(root)).why_protected(["fixtures/x/hooks/post-update", "a.py"]) == {
        "fixtures/x/hooks/post-update": (
            "git takes fixtures/x for a repository, whose settings name programs"
        )
    }


REPOSITORY = ("docs/HEAD", "docs/config", "docs/objects/x", "docs/refs/x")


@pytest.mark.parametrize("last", ["docs/HEAD", "docs/objects/x", "docs/refs/x", "docs/Refs./x"])
def test_the_edit_that_makes_a_folder_a_repository_is_asked_for(root: Path, last: str) -> None:
    git(root, "init", "-q")
    guard = DiskEditGuard(str(root))
    for path in REPOSITORY:
        if path.split("/")[1] == last.split("/")[1].strip(".").replace("Refs", "refs"):
            continue
        assert guard.why_protected([path]) == {}
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x\n")
    why = "git takes docs for a repository, whose settings name programs"
    assert guard.why_protected([last]) == {last: why}


def test_edits_that_make_a_repository_together_are_asked_for(root: Path) -> None:
    git(root, "init", "-q")
    guard = DiskEditGuard(str(root))
    why = "git takes docs for a repository, whose settings name programs"
    assert guard.why_protected([*REPOSITORY, "a.py"]) == dict.fromkeys(REPOSITORY, why)
    assert guard.why_protected(["docs/HEAD", "docs/commondir"]) == dict.fromkeys(
        ("docs/HEAD", "docs/commondir"), why
    )
    assert guard.why_protected(["docs/HEAD", "docs/config", "docs/objects/x"]) == {}


# ------------------------------------------------------------------- what settings of git name


@pytest.mark.parametrize(
    ("setting", "value", "path"),
    [
        ("core.hooksPath", "hooks", "hooks/pre-commit"),
        ("core.hooksPath", "./tools/../hooks/", "hooks/deep/x"),
        ("core.hooksPath", "hooks", "Hooks./x"),
        ("include.path", "../gitconfig", "gitconfig"),
        ("includeIf.onbranch:x.path", "../more/gitconfig", "more/gitconfig"),
        ("core.attributesFile", "attributes", "attributes"),
        ("core.fsmonitor", "tools/watch", "tools/watch"),
        ("core.sshCommand", "ssh -F conf/ssh", "conf/ssh"),
        ("gpg.program", "./sign.sh", "sign.sh"),
        ("credential.helper", "!sh tools/key.sh", "tools/key.sh"),
        ("credential.https://h/.helper", "!'tools/a key'", "tools/a"),
        ("filter.x.clean", "python3 clean.py --in=%f", "clean.py"),
        ("filter.x.process", "env A=b ./run;true", "run"),
        ("diff.x.textconv", "tools/show", "tools/show"),
        ("merge.x.driver", "tools/merge %O %A", "tools/merge"),
        ("alias.x", "!f() { sh scripts/x.sh; }; f", "scripts/x.sh"),
    ],
)
@pytest.mark.parametrize("exists", [False, True])
def test_a_file_that_a_setting_of_git_names_is_protected(
    root: Path, setting: str, value: str, path: str, exists: bool
) -> None:
    git(root, "init", "-q")
    guard = DiskEditGuard(str(root))
    assert guard.why_protected([path]) == {}
    if exists:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")
    (root / "link").symlink_to(Path(path).parent)
    git(root, "config", setting, value)
    by_link = f"link/{Path(path).name}"
    reasons = guard.why_protected([path, by_link, "other.py"])
    assert list(reasons) == [path, by_link]
    assert reasons[path] == f"git reads or runs it: {setting_name(setting)} names it"


def setting_name(setting: str) -> str:
    """Return the name as git prints it: the first and the last part in lower case."""
    first, *middle, last = setting.split(".")
    return ".".join([first.lower(), *middle, last.lower()])


@pytest.mark.parametrize(
    ("setting", "value", "path"),
    [
        ("commit.template", "template", "template"),
        ("core.excludesFile", "ignored", "ignored"),
        ("blame.ignoreRevsFile", "revs", "revs"),
        ("user.name", "Ann", "Ann"),
        ("alias.t", "!pytest tests", "tests/test_a.py"),
        ("core.worktree", "..", "a.py"),
    ],
)
def test_a_file_that_git_only_reads_as_text_is_not_protected(
    root: Path, setting: str, value: str, path: str
) -> None:
    git(root, "init", "-q")
    (root / "tests").mkdir()
    git(root, "config", setting, value)
    assert DiskEditGuard(str(root)).why_protected([path]) == {}


def test_settings_that_included_settings_or_a_repository_inside_have_count_too(root: Path) -> None:
    git(root, "init", "-q")
    git(root, "init", "-q", "sub")
    (root / "gitconfig").write_text("[core]\n\thooksPath = githooks\n")
    git(root, "config", "include.path", "../gitconfig")
    guard = DiskEditGuard(str(root))
    assert list(guard.why_protected(["githooks/x", "gitconfig", "hooks/x"])) == [
        "githooks/x",
        "gitconfig",
    ]
    git(root / "sub", "config", "core.hooksPath", "../hooks")
    assert list(guard.why_protected(["hooks/x"])) == ["hooks/x"]
    (root / "gitconfig").write_text("[core]\n\thooksPath = tools\n[x]\n")
    assert list(guard.why_protected(["githooks/x", "tools/x"])) == ["tools/x"]


def test_the_users_own_settings_are_protected_where_the_project_has_them(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "home.conf").write_text("[core]\n\tpager = less\n")
    (root.parent / "global").symlink_to(root / "home.conf")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(root.parent / "global"))
    assert list(DiskEditGuard(str(root)).why_protected(["home.conf"])) == ["home.conf"]
