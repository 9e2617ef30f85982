"""What configures git, and Holdfast, is not changed by a command, and nothing of that is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.adapters.processes.sandbox import layout
from holdfast.adapters.processes.sandbox.cleanup.placeholders import placeholders
from holdfast.adapters.processes.sandbox.git_places import git_places, main_worktree_of
from holdfast.adapters.processes.sandbox.probe import SandboxChoice
from holdfast.vocab.sandbox import GitAccess, SandboxLevel
from tests.adapters.sandbox.attempt import attempt, files_below, open_at

HOSTILE = (
    "echo '[core] fsmonitor = touch pwned' >> .git/config; mkdir -p .git/hooks .git/info;"
    "echo 'touch pwned' > .git/hooks/pre-commit; echo '* filter=x' > .git/info/attributes;"
    "mv .git g; mkdir .holdfast; echo 'check = \"touch pwned\"' > .holdfast/config.toml"
)


def git(root: Path, *words: str) -> str:
    return subprocess.run(
        ["git", *words], cwd=root, check=True, capture_output=True, text=True
    ).stdout


def test_git_and_holdfast_are_not_configured(bubblewrap: SandboxChoice, place: Path) -> None:
    before = files_below(place)
    attempt(bubblewrap, place, f"{HOSTILE}; rm -rf .git", "write")
    assert files_below(place) == before
    assert not (place / "root/.holdfast").exists()


def test_keys_for_servers_in_the_settings_of_git_are_hidden(
    bubblewrap: SandboxChoice, place: Path
) -> None:
    """CI leaves such a header there: without a network no command has a use for it."""
    key = "eC1hY2Nlc3MtdG9rZW46Z2hzXzEyMzQ1Njc4"
    git(place / "root", "config", "http.extraheader", f"AUTHORIZATION: basic {key}")
    done = attempt(bubblewrap, place, "rev .git/config; git log --format=%s", "write")
    assert (done.exit_code, done.output) == (0, "1\n")


def test_a_project_without_git_gets_none(bubblewrap: SandboxChoice, place: Path) -> None:
    subprocess.run(["rm", "-rf", ".git"], cwd=place / "root", check=True)
    done = attempt(bubblewrap, place, f"git init -q; {HOSTILE}; ls -A", "write")
    assert ".git\n.holdfast\n" in done.output
    assert sorted(path.name for path in (place / "root").iterdir()) == [".env", "a.txt", "sub"]


def test_what_a_killed_holdfast_left_is_removed_by_the_next(
    bubblewrap: SandboxChoice, place: Path
) -> None:
    root = place / "root"
    program = (
        "import os, pathlib, sys; from holdfast.adapters.processes.sandbox.cleanup.placeholders import placeholders\n"
        "with placeholders([sys.argv[1] + '/.holdfast'], sys.argv[1], pathlib.Path(sys.argv[2])): os.kill(os.getpid(), 9)"
    )
    words = [sys.executable, "-c", program, os.path.realpath(root), str(place / "state")]
    assert subprocess.run(words, check=False).returncode == -9
    assert (root / ".holdfast").is_dir()
    attempt(bubblewrap, place, "true", "write")
    assert not (root / ".holdfast").exists()


def test_a_lock_of_git_that_a_killed_holdfast_left_is_removed_when_a_sandbox_is_opened(
    bubblewrap: SandboxChoice, place: Path
) -> None:
    common, state = os.path.realpath(place / "root/.git"), place / "state"
    lock = Path(common, "config.lock")
    program = (
        "import os, pathlib, sys; from holdfast.adapters.processes.sandbox.cleanup.placeholders import placeholders\n"
        "with placeholders([sys.argv[1] + '/config.lock'], sys.argv[1], pathlib.Path(sys.argv[2])): os.kill(os.getpid(), 9)"
    )
    words = [sys.executable, "-c", program, common, str(state)]
    assert subprocess.run(words, check=False).returncode == -9
    assert lock.is_dir()
    open_at(bubblewrap, place)
    assert not lock.exists()
    with placeholders([str(lock)], common, state):
        open_at(bubblewrap, place)
        assert lock.is_dir()


def test_two_at_once_share_the_placeholders(bubblewrap: SandboxChoice, place: Path) -> None:
    root = place / "root"
    with placeholders([str(root / ".holdfast")], os.path.realpath(root), place / "state"):
        attempt(bubblewrap, place, "true", "write")
        assert (root / ".holdfast").is_dir()
    assert not (root / ".holdfast").exists()


def test_an_approved_commit_works_and_configures_nothing(
    bubblewrap: SandboxChoice, place: Path
) -> None:
    root = place / "root"
    config = (root / ".git/config").read_text()
    done = attempt(
        bubblewrap,
        place,
        f"{HOSTILE}; echo /elsewhere > .git/commondir; echo '[x]' > .git/config.worktree; rm .git/commondir; "
        "echo x >> a.txt; git commit -qam two && git log --oneline | wc -l; echo /elsewhere > .git/commondir",
        "write",
        git="write",
    )
    assert "\n2\n" in f"\n{done.output}"
    assert (root / ".git/config").read_text() == config
    assert not (root / ".git/commondir").exists()
    assert not (root / ".git/config.worktree").exists()
    assert not (root / ".git/hooks/pre-commit").exists()
    assert git(root, "log", "-1", "--format=%s") == "two\n"
    assert not (root / "pwned").exists()


def test_git_does_not_record_a_masked_file_as_empty(bubblewrap: SandboxChoice, place: Path) -> None:
    root = place / "root"
    git(root, "add", "-f", ".env")
    git(root, "commit", "-qm", "two")
    done = attempt(
        bubblewrap, place, "echo x >> a.txt; git commit -qam three", "write", git="write"
    )
    assert done.exit_code != 0
    assert git(root, "show", "HEAD:.env") == "KEY=hunter2\n"


def test_a_linked_worktree_reads_and_commits(bubblewrap: SandboxChoice, place: Path) -> None:
    main = place / "home/main"
    (place / "root").rename(main)
    git(main, "worktree", "add", "-q", "../../root")
    hooks = main / ".git/hooks"
    before = sorted(hooks.iterdir())
    assert attempt(bubblewrap, place, "git status --short && git log --oneline").exit_code == 0
    done = attempt(
        bubblewrap,
        place,
        f"echo x > {hooks}/pre-commit; echo x >> {main}/.git/config; echo x > {main}/a.txt; echo x >> a.txt; git commit -qam two",
        "write",
        git="write",
    )
    assert done.exit_code == 0, done.output
    assert git(place / "root", "log", "-1", "--format=%s") == "two\n"
    assert sorted(hooks.iterdir()) == before
    assert (main / "a.txt").read_text() == "text\n"


def test_in_a_linked_worktree_the_secrets_of_the_main_one_are_masked(
    kind: SandboxChoice, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a container: the project is in no home.
    monkeypatch.setattr(layout, "_HIDDEN", ("/home", "/root"))
    main = place / "main"
    (place / "root").rename(main)
    git(main, "worktree", "add", "-q", "../root")
    # Landlock does not hide files that are in the worktree itself from a command that may write it.
    for level in ("read", "write"):
        done = attempt(kind, place, f"cat {main}/a.txt {main}/.env {main}/sub/.env", level)
        assert "text" in done.output
        assert "hunter2" not in done.output
    assert (main / ".env").read_text() == "KEY=hunter2\n"


def test_a_folder_that_only_says_to_be_a_worktree_of_another_does_not_have_it_searched(
    place: Path,
) -> None:
    root, main = place / "root", place / "main"
    root.rename(main)
    entry = main / ".git/worktrees/w"
    entry.mkdir(parents=True)
    root.mkdir()
    (root / ".git").write_text(f"gitdir: {entry}\n")
    (entry / "commondir").write_text("../..\n")
    (entry / "gitdir").write_text(f"{place}/elsewhere/.git\n")
    assert main_worktree_of(git_places(str(root)), str(root)) is None
    (entry / "gitdir").write_text(f"{root}/.git\n")
    assert main_worktree_of(git_places(str(root)), str(root)) == str(main)


def test_a_repository_inside_the_project_is_not_configured(
    bubblewrap: SandboxChoice, place: Path
) -> None:
    inner = place / "root/vendor/inner"
    inner.mkdir(parents=True)
    git(inner, "init", "-q")
    before = (inner / ".git/config").read_text()
    accesses: tuple[GitAccess, ...] = ("read", "write")
    for access in accesses:
        attempt(
            bubblewrap,
            place,
            "echo x >> vendor/inner/.git/config; echo x > vendor/inner/.git/hooks/pre-commit; touch vendor/inner/new",
            "write",
            git=access,
        )
        assert (inner / ".git/config").read_text() == before
        assert not (inner / ".git/hooks/pre-commit").exists()
        assert (inner / "new").exists()


@pytest.mark.parametrize("target", ["gitdir", "deep/er/gitdir", "../outside/gitdir"])
@pytest.mark.parametrize("access", ["read", "write"])
def test_a_link_to_git_or_to_our_settings_is_the_same_afterwards(
    bubblewrap: SandboxChoice, place: Path, target: str, access: GitAccess
) -> None:
    """A link cannot be a mount point, so a command can replace it while it runs."""
    root = place / "root"
    (root / target).parent.mkdir(parents=True, exist_ok=True)
    (root / ".git").rename(root / target)
    (root / "hops").symlink_to(target)
    (root / ".git").symlink_to("hops")
    (root / "settings").mkdir()
    (root / ".holdfast").symlink_to(f"{root}/settings")
    before = links_and_files(place)
    done = attempt(
        bubblewrap,
        place,
        "rm .git .holdfast hops; mv deep d; mkdir -p .git/hooks .holdfast hops; echo evil > .git/hooks/pre-commit;"
        f"rm -rf {target}/hooks; mkdir -p {target}/hooks && echo evil > {target}/hooks/pre-commit; echo x > settings/config.toml",
        "write",
        git=access,
    )
    assert links_and_files(place) == before, done.output


def test_a_git_directory_in_a_folder_of_the_project_is_not_moved_away(
    bubblewrap: SandboxChoice, place: Path
) -> None:
    root = place / "root"
    (root / "deep/er").mkdir(parents=True)
    (root / ".git").rename(root / "deep/er/gitdir")
    (root / ".git").write_text("gitdir: deep/er/gitdir\n")
    before = files_below(place)
    hostile = "mv deep d; mkdir -p deep/er/gitdir/hooks; echo x > deep/er/gitdir/hooks/pre-commit"
    attempt(bubblewrap, place, hostile, "write")
    assert files_below(place) == before


@pytest.mark.parametrize("target", ["gone", "gone/far/away", "a.txt/away"])
def test_a_link_that_leads_nowhere_does_not_lead_to_a_repository_afterwards(
    bubblewrap: SandboxChoice, place: Path, target: str
) -> None:
    root = place / "root"
    (root / ".holdfast").symlink_to(target)
    (root / "vendor").mkdir()
    (root / "vendor/.git").symlink_to(f"../{target}")
    first = target.partition("/")[0]
    hostile = f"echo begun; mkdir -p own/far/away own/away; mv a.txt b; ln -s own {first}"
    done = attempt(bubblewrap, place, hostile, "write")
    assert done.output.startswith("begun\n")
    assert not (root / ".holdfast").exists()
    assert not (root / "vendor/.git").exists()


def test_links_to_what_configures_git_are_the_same_after_an_approved_git_command(
    bubblewrap: SandboxChoice, place: Path
) -> None:
    """Android's `repo` makes such links."""
    root = place / "root"
    for name in ("config", "hooks", "info"):
        (root / ".git" / name).rename(place / "outside" / name)
        (root / ".git" / name).symlink_to(place / "outside" / name)
    before = links_and_files(place)
    done = attempt(
        bubblewrap,
        place,
        "cd .git; rm config hooks info; mkdir hooks info; echo evil > hooks/pre-commit;"
        "echo '[core]' > config; echo '* filter=x' > info/attributes; ls hooks",
        "write",
        git="write",
    )
    assert "pre-commit\n" in done.output
    assert links_and_files(place) == before


def test_an_approved_git_command_prepares_no_other_repository(
    bubblewrap: SandboxChoice, place: Path
) -> None:
    root = place / "root"
    before = links_and_files(place)
    attempt(
        bubblewrap,
        place,
        "cd .git; mkdir -p modules/sub/hooks worktrees/w; echo x > modules/sub/config; echo x > worktrees/w/config.worktree;"
        "echo /elsewhere > objects/info/alternates; git log --oneline",
        "write",
        git="write",
    )
    assert links_and_files(place) == before
    assert not (root / ".git/modules").exists()


@pytest.mark.parametrize("folder", ["objects", "objects/info"])
@pytest.mark.parametrize("is_missing", [False, True])
def test_git_is_not_led_to_other_objects_by_a_link_to_a_folder(
    bubblewrap: SandboxChoice, place: Path, folder: str, *, is_missing: bool
) -> None:
    root = place / "root"
    if is_missing:
        (root / ".git/objects/info").rmdir()
    attempt(
        bubblewrap,
        place,
        f"mkdir -p x/info; cp -r .git/{folder}/. x/; echo /elsewhere > x/alternates; cp x/alternates x/info/;"
        f"rm -rf .git/{folder}; mv .git/{folder} y; ln -sT $PWD/x .git/{folder}",
        "write",
        git="write",
    )
    assert not (root / ".git" / folder).is_symlink()
    assert not (root / ".git/objects/info/alternates").exists()


def test_an_approved_git_command_packs_objects(bubblewrap: SandboxChoice, place: Path) -> None:
    command = "git -c repack.updateServerInfo=false gc -q && git fsck"
    done = attempt(bubblewrap, place, command, "write", git="write")
    assert (done.exit_code, done.output) == (0, "")
    assert (place / "root/.git/objects/info/commit-graph").exists()


LIST = ".git/rebase-merge/git-rebase-todo"


@pytest.mark.parametrize(
    ("command", "runs_own"),
    [
        (f"echo '  x touch pwned' >> {LIST}", True),
        (f"cp {LIST} list; ln -f list {LIST}", True),
        (f"cp {LIST} list; ln -sf $PWD/list {LIST}", False),
        ("mv .git/rebase-merge r; ln -s ../r .git/rebase-merge", False),
    ],
)
def test_a_rebase_runs_no_command_that_was_left_for_it(
    kind: SandboxChoice, place: Path, command: str, *, runs_own: bool
) -> None:
    root = place / "root"
    make_two_branches(root)
    start = ["git", "rebase", "-qx", "touch own", "one"]
    assert subprocess.run(start, cwd=root, check=False).returncode != 0
    attempt(kind, place, command, "write", git="write")
    for path in (root / "list", root / "r/git-rebase-todo"):
        if path.exists():
            # As a command that does not name git could do it.
            path.write_text(f"{path.read_text()}exec touch pwned\n")

    (root / "a.txt").write_text("both\n")
    git(root, "add", "a.txt")
    subprocess.run(["git", "-c", "core.editor=true", "rebase", "--continue"], cwd=root, check=False)
    assert not (root / "pwned").exists()
    assert (root / "own").exists() == runs_own


STRATEGY = ".git/rebase-merge/strategy"


@pytest.mark.parametrize(
    "command",
    [
        f"echo x/../evil > {STRATEGY}",
        f"echo ort > s; ln -f s {STRATEGY}",
        f"echo ort > s; ln -sf $PWD/s {STRATEGY}",
    ],
)
def test_a_rebase_starts_no_program_as_a_strategy(
    kind: SandboxChoice, place: Path, command: str
) -> None:
    root = place / "root"
    make_two_branches(root)
    (root / "new.txt").write_text("three\n")
    git(root, "add", "new.txt")
    git(root, "commit", "-qm", "three")
    assert subprocess.run(["git", "rebase", "-q", "one"], cwd=root, check=False).returncode != 0
    attempt(kind, place, command, "write", git="write")
    if (root / "s").exists():
        # As a command that does not name git could do it.
        (root / "s").write_text("x/../evil\n")

    (root / "git-merge-x").mkdir()
    (root / "evil").write_text("#!/bin/sh\ntouch pwned\n")
    (root / "evil").chmod(0o755)
    (root / "a.txt").write_text("both\n")
    git(root, "add", "a.txt")
    git(root, "-c", "core.editor=true", "rebase", "--continue")
    assert not (root / "pwned").exists()
    assert git(root, "log", "--format=%s") == "three\ntwo\none\n1\n"


@pytest.mark.parametrize(
    ("line", "stays"),
    [
        ("strategy = x/../evil", False),
        ("[options] Strategy = x/../evil", False),
        ("strategy = \\\nx/../evil", False),
        ("strategy = ort", True),
        ("strategy-option = theirs", True),
    ],
)
def test_a_cherry_pick_starts_no_program_as_a_strategy(
    bubblewrap: SandboxChoice, place: Path, line: str, *, stays: bool
) -> None:
    options = place / "root/.git/sequencer/opts"
    text = f"[options]\n\t{line}\n"
    (place / "root/opts").write_text(text)
    command = "mkdir .git/sequencer; cp opts .git/sequencer/opts"
    attempt(bubblewrap, place, command, "write", git="write")
    assert options.exists() == stays


def test_an_approved_rebase_stops_at_a_conflict_and_goes_on(
    bubblewrap: SandboxChoice, place: Path
) -> None:
    root = place / "root"
    make_two_branches(root)
    stopped = attempt(bubblewrap, place, "git rebase -q one", "write", git="write")
    assert "CONFLICT" in stopped.output
    done = attempt(
        bubblewrap,
        place,
        "echo both > a.txt; git add a.txt; git -c core.editor=true rebase --continue && git log --format=%s",
        "write",
        git="write",
    )
    assert done.output.endswith("two\none\n1\n")


def test_nothing_is_put_back_by_way_of_a_link(bubblewrap: SandboxChoice, place: Path) -> None:
    """Else a command could have us remove the file of another repository."""
    other = place / "outside/alternates"
    other.write_text("/store\n")
    attempt(
        bubblewrap,
        place,
        f"rm -rf .git/objects/info; ln -s {other.parent} .git/objects/info",
        "write",
        git="write",
    )
    assert other.read_text() == "/store\n"


def make_two_branches(root: Path) -> None:
    """Make two branches that do not fit together, and check out the second."""
    git(root, "switch", "-qc", "one")
    (root / "a.txt").write_text("one\n")
    git(root, "commit", "-qam", "one")
    git(root, "switch", "-qc", "two", "HEAD~1")
    (root / "a.txt").write_text("two\n")
    git(root, "commit", "-qam", "two")


def links_and_files(place: Path) -> dict[str, bytes | str]:
    links = {str(path): str(path.readlink()) for path in place.rglob("*") if path.is_symlink()}
    return {**files_below(place), **links}


@pytest.mark.parametrize("shape", ["link", "file", "commondir"])
@pytest.mark.parametrize("access", ["read", "write"])
def test_a_repository_that_does_not_name_the_project_is_neither_shown_nor_opened(
    kind: SandboxChoice, place: Path, shape: str, access: GitAccess
) -> None:
    """A stranger, or a command of another session, has git lead to a folder of the home."""
    other = place / "home/other"
    other.mkdir(parents=True)
    git(other, "init", "-q")
    (other / ".git/private").write_text("CANARY")
    root = place / "root"
    if shape == "commondir":
        (root / ".git/commondir").write_text(f"{other}/.git\n")
    else:
        (root / ".git").rename(place / "gone")
    if shape == "link":
        (root / ".git").symlink_to(other / ".git")
    if shape == "file":
        (root / ".git").write_text(f"gitdir: {other}/.git\n")
    hostile = f"cat {other}/.git/private; echo evil > {other}/.git/private"
    done = attempt(kind, place, hostile, "write", git=access)
    assert "CANARY" not in done.output
    assert (other / ".git/private").read_text() == "CANARY"


@pytest.mark.parametrize("level", ["read", "write"])
def test_the_git_of_a_folder_inside_that_is_a_link_shows_nothing(
    kind: SandboxChoice, place: Path, level: SandboxLevel
) -> None:
    home = place / "home"
    home.mkdir(exist_ok=True)
    (home / "private").write_text("CANARY")
    (place / "root/inside").mkdir()
    (place / "root/inside/.git").symlink_to(home)
    done = attempt(kind, place, f"cat {home}/private inside/.git/private", level)
    assert "CANARY" not in done.output
