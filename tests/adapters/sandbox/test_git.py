"""What configures git, and Holdfast, is not changed by a command, and nothing of that is left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from holdfast.adapters.processes.sandbox.placeholders import placeholders
from holdfast.adapters.processes.sandbox.probe import SandboxChoice
from holdfast.vocab.sandbox import GitAccess
from tests.adapters.sandbox.attempt import attempt, files_below

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
        "import os, pathlib, sys; from holdfast.adapters.processes.sandbox.placeholders import placeholders\n"
        "with placeholders([sys.argv[1] + '/.holdfast'], sys.argv[1], pathlib.Path(sys.argv[2])): os.kill(os.getpid(), 9)"
    )
    words = [sys.executable, "-c", program, os.path.realpath(root), str(place / "state")]
    assert subprocess.run(words, check=False).returncode == -9
    assert (root / ".holdfast").is_dir()
    attempt(bubblewrap, place, "true", "write")
    assert not (root / ".holdfast").exists()


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
