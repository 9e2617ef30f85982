"""Locks, damage, crowds and gc."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.end_to_end.checkpoints.repo import Folder, ravage, ref_of
from tests.samples import sample


def test_a_stale_private_lock_is_removed(repo: Folder) -> None:
    repo.checkpoint()
    (repo.private_dir() / "index.lock").write_bytes(b"half an index")
    repo.write("src/app.py", "later\n")
    taken, before = repo.checkpoint(), repo.tree()
    repo.write("src/app.py", "agent\n")
    (repo.private_dir() / "index.lock").write_bytes(b"")
    repo.restore(taken)
    assert repo.tree() == before


def test_a_held_lock_of_the_users_index_is_no_hindrance_and_stays(repo: Folder) -> None:
    lock = repo.root / ".git" / "index.lock"
    lock.write_bytes(b"held")
    taken, before = repo.checkpoint(), repo.tree()
    repo.write("src/app.py", "agent\n")
    repo.restore(taken)
    repo.undo()
    repo.restore(taken)
    assert repo.tree() == before
    assert lock.read_bytes() == b"held"


@pytest.mark.parametrize("damage", ["empty", "garbage", "cut", "flipped", "gone", "state", "kinds"])
def test_a_damaged_private_index_is_made_anew(repo: Folder, damage: str) -> None:
    early, first = repo.checkpoint(), repo.tree()
    index = repo.private_dir() / "index"
    data = index.read_bytes()
    repo.write("src/app.py", "later\n")
    match damage:
        case "empty":
            index.write_bytes(b"")
        case "garbage":
            index.write_bytes(b"DIRC garbage" * 20)
        case "cut":
            index.write_bytes(data[: len(data) // 2])
        case "flipped":
            at = data.index(b"src/util.py")
            index.write_bytes(data[:at] + b"XXXXXXXXXXX" + data[at + 11 :])
        case "gone":
            index.unlink()
        case "kinds":
            state = {"version": 2, "index": "x", "tree": 5, "modes": None, "seq": "7"}
            (repo.private_dir() / "holdfast-state").write_text(json.dumps(state))
        case _:
            (repo.private_dir() / "holdfast-state").write_bytes(b"{")
    later, second = repo.checkpoint(), repo.tree()
    assert repo.names_in(later) == [
        ".env", ".gitignore", "cache/big.bin", "debug.log", "docs/a.md", "notes.txt", "run.sh", "src/app.py",
        "src/util.py",
    ]  # fmt: skip
    repo.restore(early)
    assert repo.tree() == first
    repo.restore(later)
    assert repo.tree() == second


def test_checkpoints_survive_gc_and_so_does_what_only_they_hold(repo: Folder) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    ravage(repo)
    ravaged = repo.tree()
    repo.git("gc", "-q", "--prune=now")
    repo.restore(taken)
    repo.git("gc", "-q", "--prune=now")
    assert repo.tree() == before
    repo.undo()
    assert repo.tree() == ravaged


def test_gc_after_prune_does_not_spoil_the_next_checkpoint(repo: Folder) -> None:
    repo.checkpoint()
    ravage(repo)
    taken = repo.checkpoint()
    assert repo.run("diff", taken).code == 0
    assert repo.run("prune", "--keep", "0", "--json").told["left"] == 0
    repo.git("gc", "-q", "--prune=now")
    later, before = repo.checkpoint(), repo.tree()
    repo.write("src/app.py", "again\n")
    repo.restore(later)
    assert repo.tree() == before


def test_gc_between_a_diff_and_a_restore_does_no_harm(repo: Folder) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    repo.write("src/app.py", "agent\n")
    assert repo.run("diff", taken).code == 0
    repo.git("gc", "-q", "--prune=now")
    repo.restore(taken)
    assert repo.tree() == before


def test_a_checkpoint_whose_refs_were_deleted_by_hand_does_no_harm(repo: Folder) -> None:
    taken = repo.checkpoint()
    repo.private("update-ref", "-d", ref_of(taken))
    repo.private("gc", "-q", "--prune=now")
    later, before = repo.checkpoint(), repo.tree()
    assert repo.private("fsck", "--connectivity-only", "--no-dangling") == ""
    repo.write("src/app.py", "agent\n")
    repo.restore(later)
    assert repo.tree() == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"index": "x"}, {"index": [1]}, {"index": ["a", 1, 2, 3]}, {"tree": 5}, {"held": "yes"}, {"real": {}},
        {"staged": []}, {"rules": None}, {"settled": 1}, {"usual": [1]}, {"gitlinks": [1]},
        {"seq": "7"}, {"modes": None}, {"modes": {"a": "x"}}, {"pipes": "x"}, {"pipes": [1]},
        {"version": 1}, {"unknown": 1}, [], None, 1,
    ],
)  # fmt: skip
def test_a_state_of_the_wrong_kind_is_no_state(repo: Folder, wrong: object) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    file = repo.private_dir() / "holdfast-state"
    file.write_text(
        json.dumps({**json.loads(file.read_text()), **wrong} if isinstance(wrong, dict) else wrong)
    )
    repo.write("src/app.py", "later\n")
    assert repo.create()["seq"] == 2
    repo.restore(taken)
    assert repo.tree() == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"undo_commit": 5},
        {"orphans": 1},
        {"orphans": [1]},
        {"verb": None},
        {"version": 2},
        [],
        None,
    ],
)
def test_an_older_journal_that_cannot_be_read_is_named_and_nothing_is_written(
    repo: Folder, wrong: object
) -> None:
    taken = repo.checkpoint()
    whole = {
        "version": 1, "undo_id": "a", "undo_commit": "b", "target_id": "c", "target_commit": "d", "verb": "restore",
        "files": True, "conversation": False, "phase": "files", "tree": "", "orphans": [], "kept": [], "lost": [],
    }  # fmt: skip
    journals = repo.root / ".git" / "holdfast" / "restores"
    journals.mkdir(parents=True)
    (journals / "a.json").write_text(
        json.dumps(whole | wrong if isinstance(wrong, dict) else wrong)
    )
    repo.write("src/app.py", "agent\n")
    before = repo.tree()
    for words in (("restore", taken), ("create",), ("undo",), ("prune",)):
        assert repo.run(*words, "--json").why == (
            f"{journals / 'a.json'}: this journal is damaged, or of another version of Holdfast; "
            "move it away, and look at the files it was about."
        )
    assert repo.tree() == before
    (journals / "a.json").unlink()
    repo.restore(taken)
    assert repo.tree() != before


@pytest.mark.e2e
def test_eight_at_once_all_succeed(repo: Folder) -> None:
    before, users = repo.tree(), repo.users()
    command = [
        sys.executable,
        "-m",
        "holdfast.cli.main",
        "checkpoint",
        "create",
        "--json",
        "--root",
        str(repo.root),
    ]
    children = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(8)
    ]
    told = [child.communicate() for child in children]
    assert [child.returncode for child in children] == [0] * 8, told
    ids = {json.loads(out)["id"] for out, _ in told}
    assert len(ids) == 8
    assert set(repo.ids()) == ids
    assert sorted(each["seq"] for each in repo.run("list", "--json").told["checkpoints"]) == list(
        range(1, 9)
    )
    trees = {
        repo.private("rev-parse", f"refs/holdfast/checkpoints/{each}^{{tree}}") for each in ids
    }
    assert len(trees) == 1
    assert (repo.tree(), repo.users()) == (before, users)


def test_a_state_directory_that_cannot_be_written_to_gives_a_clear_error(repo: Folder) -> None:
    # A file where the directory is to be: root may write everywhere, so a mode would not do.
    repo.private_dir().parent.parent.mkdir(parents=True)
    repo.private_dir().parent.write_bytes(b"")
    before = repo.tree()
    assert "the disk refused" in repo.run("create", "--json").why
    assert repo.tree() == before


def test_without_git_on_the_path_it_says_so(repo: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    why = repo.run("create", "--json").why
    monkeypatch.undo()
    assert "git is not installed" in why


@pytest.mark.e2e
@pytest.mark.parametrize("agent", sample(["edited", "added", "deleted"], 1))
def test_a_directory_that_may_not_be_written_to_is_named_and_nothing_changes(
    repo: Folder, agent: str
) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a directory away")
    taken = repo.checkpoint()
    _change_docs(repo, agent)
    repo.write("src/app.py", "agent\n")
    before, users, ids = repo.tree(), repo.users(), repo.ids()
    os.chown(repo.path("docs"), 12345, 12345)
    ran = repo.run_bound("restore", taken, "--json")
    assert ran.why.startswith(f"{repo.path('docs')}: this directory is not writable")
    assert ran.told["unsettled"] is False
    assert (repo.tree(), repo.users(), repo.ids()) == (before, users, ids)
    os.chown(repo.path("docs"), 0, 0)
    assert repo.run_bound("restore", taken, "--json").code == 0
    assert repo.path("docs/a.md").read_text() == "a\n"
    assert not repo.path("docs/b.md").exists()


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("agent", "then", "now"),
    sample(
        [
            (agent, then, now)
            for agent in ("edited", "added", "deleted")
            for then, now in ((0o555, 0o755), (0o755, 0o555), (0o555, 0o555))
        ],
        3,
    ),
)
def test_a_read_only_directory_of_the_user_is_restored_and_undone_with_its_permissions(
    repo: Folder, agent: str, then: int, now: int
) -> None:
    docs = repo.path("docs")
    docs.chmod(then)
    taken, before = repo.checkpoint(), repo.tree()
    docs.chmod(0o755)
    _change_docs(repo, agent)
    docs.chmod(now)
    after = repo.tree()
    for words, tree, mode in (
        (("restore", taken), before, then),
        (("undo",), after, now),
        (("restore", taken), before, then),
    ):
        ran = repo.run_bound(*words, "--json")
        assert ran.code == 0, ran
        assert (repo.tree(), docs.stat().st_mode & 0o7777) == (tree, mode), (words, ran)


def _change_docs(repo: Folder, how: str) -> None:
    match how:
        case "edited":
            repo.write("docs/a.md", "agent\n")
        case "added":
            repo.write("docs/b.md", "agent\n")
        case _:
            repo.path("docs/a.md").unlink()


def test_a_file_that_the_disk_does_not_let_go_stops_the_restore_and_it_goes_back(
    repo: Folder,
) -> None:
    taken = repo.checkpoint()
    stuck = repo.write("stuck.txt", "agent\n")
    repo.write("src/app.py", "agent\n")
    before, ids = repo.tree(), repo.ids()
    held = subprocess.run(["chattr", "+i", str(stuck)], capture_output=True, text=True, check=False)
    if held.returncode:
        pytest.skip(f"no file can be held fast here: {held.stderr.strip()}")
    try:
        ran = repo.run("restore", taken, "--json")
        assert "stuck.txt: Operation not permitted" in ran.why
        assert (repo.tree(), repo.ids(), ran.told["unsettled"]) == (before, ids, False)
    finally:
        subprocess.run(["chattr", "-i", str(stuck)], check=True)
    repo.restore(taken)
    assert not stuck.exists()


@pytest.mark.parametrize("index", [b"garbage", b""])
def test_a_checkpoint_needs_no_index_of_the_user_that_git_can_read(
    repo: Folder, index: bytes
) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    repo.write("src/app.py", "agent\n")
    repo.path(".git/index").write_bytes(index)
    repo.restore(taken)
    assert repo.tree() == before
    assert repo.path(".git/index").read_bytes() == index
    assert repo.create()["skipped"] == []


@pytest.mark.parametrize("plain", [True, False])
def test_a_private_repository_that_somebody_removed_is_named(folder: Folder, plain: bool) -> None:
    if not plain:
        folder.init()
    folder.write("a.txt", "text\n")
    taken = folder.checkpoint()
    gone = folder.private_dir()
    shutil.rmtree(gone)
    told = (
        f"{folder.root}: the repository with the checkpoints of this folder is gone ({gone}), so "
        "none of them can be restored."
    )
    assert told in folder.run("list").err
    for words in (("restore", taken), ("show", taken), ("diff", taken), ("undo",)):
        assert folder.run(*words, "--json").why == f"{told} `holdfast checkpoint create` takes one."
    again = folder.checkpoint()
    assert folder.ids() == [again]
