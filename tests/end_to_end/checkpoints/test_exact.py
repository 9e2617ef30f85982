"""A checkpoint is bytes: what comes back is exact, nothing of ours is in the user's repository, nothing is silent."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.end_to_end.checkpoints.repo import Folder, ravage, ref_of, standard


def _modes(folder: Folder) -> dict[str, int]:
    return {
        str(place.relative_to(folder.root)): place.stat().st_mode & 0o7777
        for place in folder.root.rglob("*")
        if place.is_dir() and ".git" not in place.parts
    }


# ------------------------------------------------------------------------ the user's repository


def test_nothing_of_ours_is_in_the_users_repository(repo: Folder, tmp_path: Path) -> None:
    refs, log = repo.git("for-each-ref"), repo.git("log", "--all", "--format=%H")
    objects = repo.git("count-objects", "-v")
    taken = repo.checkpoint()
    ravage(repo)
    repo.restore(taken)
    repo.undo()
    assert repo.git("for-each-ref") == refs
    assert repo.git("log", "--all", "--format=%H") == log
    assert repo.git("count-objects", "-v") == objects
    mirror = Folder(tmp_path / "mirror")
    mirror.git("init", "-q", "--bare")
    repo.git("push", "-q", "--mirror", str(mirror.root))
    assert "holdfast" not in mirror.git("for-each-ref")
    assert repo.git("fsck", "--full", "--no-dangling") == ""


@pytest.mark.parametrize("then", ["removed", "made anew", "broken", "cloned"])
def test_without_the_users_repository_everything_comes_back(
    repo: Folder, tmp_path: Path, then: str
) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    origin = tmp_path / "origin"
    shutil.copytree(repo.root / ".git", origin)
    shutil.rmtree(repo.root / ".git")
    if then == "made anew":
        repo.init()
    if then == "broken":
        (repo.root / ".git").mkdir()
        (repo.root / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    if then == "cloned":
        for entry in repo.root.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        Folder(tmp_path / "x").git("clone", "-q", str(origin), str(repo.root))
    ravage(repo) if then != "cloned" else repo.write("src/app.py", "agent\n")
    listed = repo.run("list", "--json")
    assert [each["id"] for each in listed.told["checkpoints"]] == [taken]
    restored = repo.run("restore", taken, "--json")
    assert restored.code == 0, restored.out
    assert repo.tree() == before
    if then == "removed":
        assert (
            "the repository that held 1 checkpoint is gone; the checkpoints have its files"
            in restored.err
        )
        inside = repo.run("list", "--json", root=repo.root / "src")
        assert len(inside.told["checkpoints"]) == 2


def test_committed_files_survive_a_gc_that_expires_everything(repo: Folder) -> None:
    repo.write("only/here.txt", "committed, then dropped\n")
    repo.commit("dropped")
    taken, before = repo.checkpoint(), repo.tree()
    repo.git("reset", "-q", "--hard", "HEAD~1")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    repo.restore(taken)
    assert repo.tree() == before
    assert repo.run("prune", "--keep", "3", "--json").code == 0
    repo.path("only/here.txt").unlink()
    repo.restore(taken)
    assert repo.tree() == before
    assert repo.private("fsck", "--no-dangling", "--connectivity-only") == ""


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no second file system")
def test_a_worktree_on_another_file_system_works_and_survives_its_repository() -> None:
    place = Path("/dev/shm") / f"holdfast-test-{os.getpid()}"
    try:
        repo = standard(Folder(place / "root"))
        taken, before = repo.checkpoint(), repo.tree()
        ravage(repo)
        shutil.rmtree(repo.root / ".git")
        repo.restore(taken)
        assert repo.tree() == before
    finally:
        shutil.rmtree(place, ignore_errors=True)


def test_checkpoints_of_the_released_layout_are_moved(repo: Folder) -> None:
    taken, before = repo.create(), repo.tree()
    private = repo.private_dir()
    # As release 0.1 had it: the refs and objects in the user's repository.
    repo.git("fetch", "-q", str(private), "+refs/holdfast/*:refs/holdfast/*")
    (repo.git_dir() / "holdfast").mkdir()
    (repo.git_dir() / "holdfast" / "state").write_text('{"version": 1, "seq": 7}')
    shutil.rmtree(private.parent)
    repo.write("src/app.py", "agent\n")
    assert [each["id"] for each in repo.run("list", "--json").told["checkpoints"]] == [taken["id"]]
    assert "holdfast" not in repo.git("for-each-ref")
    assert not (repo.git_dir() / "holdfast").exists()
    repo.restore(taken["id"])
    assert repo.tree() == before
    assert repo.create()["seq"] == 9


def test_refs_that_look_like_the_released_layout_delete_nothing_by_a_link(
    repo: Folder, tmp_path: Path
) -> None:
    taken = repo.checkpoint()
    private = repo.private_dir()
    repo.git("fetch", "-q", str(private), "+refs/holdfast/*:refs/holdfast/*")
    shutil.rmtree(private.parent)
    outside, link = tmp_path / "outside", repo.path(".git/logs/refs/holdfast")
    (outside / "checkpoints").mkdir(parents=True)
    (outside / "checkpoints" / taken).write_text("precious")
    shutil.rmtree(link, ignore_errors=True)
    link.symlink_to(outside)
    refused = repo.run("create", "--json")
    assert f"{link} is a symbolic link, and git would write where it leads" in refused.why
    assert (outside / "checkpoints" / taken).read_text() == "precious"


def test_a_private_repository_of_the_released_layout_is_moved(
    folder: Folder, tmp_path: Path
) -> None:
    folder.write("a.txt", "a\n")
    taken, before = folder.checkpoint(), folder.tree()
    name = hashlib.sha256(os.fsencode(folder.root)).hexdigest()[:32]
    old = tmp_path / "state" / "private" / f"{name}.git"
    old.parent.mkdir()
    folder.private_dir().rename(old)
    shutil.rmtree(folder.private_dir().parent)
    folder.write("a.txt", "agent\n")
    folder.restore(taken)
    assert folder.tree() == before
    assert not old.exists()


# ------------------------------------------------------------------------------------------ bytes


def test_replacements_and_settings_made_since_change_no_byte(
    folder: Folder, tmp_path: Path
) -> None:
    folder.init()
    folder.write("a.txt", "one\n")
    folder.write("b.txt", "two\n")
    folder.commit()
    taken, before = folder.checkpoint(), folder.tree()
    folder.git("config", "core.autocrlf", "true")
    other = folder.git("hash-object", "-w", "--stdin", given=b"OTHER\n").strip()
    folder.git("replace", folder.git("rev-parse", "HEAD:a.txt").strip(), other)
    folder.path("a.txt").unlink()
    folder.write("b.txt", "agent\n")
    folder.restore(taken)
    assert folder.tree() == before
    later = folder.checkpoint()
    folder.path("a.txt").unlink()
    folder.restore(later)
    assert folder.tree() == before


@pytest.mark.parametrize("setting", ["autocrlf", "attribute", "global"])
def test_files_that_git_has_converted_at_checkout_come_back_as_they_are(
    folder: Folder, tmp_path: Path, setting: str
) -> None:
    folder.init()
    folder.write("a.txt", "one\ntwo\n")
    folder.write("b.txt", "plain $Id$\n")
    folder.commit()
    if setting == "autocrlf":
        folder.git("config", "core.autocrlf", "true")
    if setting == "global":
        (tmp_path / "home" / ".gitconfig").write_text("[core]\n\tautocrlf = true\n")
    if setting == "attribute":
        folder.write(".gitattributes", "a.txt eol=crlf\nb.txt ident\n")
        folder.commit()
    for name in ("a.txt", "b.txt"):
        folder.path(name).unlink()
    folder.git("checkout", "--", ".", HOME=str(tmp_path / "home"))
    taken, before = folder.checkpoint(), folder.tree()
    assert b"\r\n" in before[b"a.txt"][1]
    for name in ("a.txt", "b.txt"):
        folder.path(name).unlink()
    folder.restore(taken)
    assert folder.tree() == before


def test_the_users_global_ignore_rules_count(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rules").write_text("*.secret\n")
    (tmp_path / "config").write_text(f"[core]\n\texcludesFile = {tmp_path / 'rules'}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    folder.init()
    folder.write("k.secret", b"k" * (1024 * 1024 + 1))
    told = folder.create()
    assert told["skipped_why"] == {"k.secret": "ignored, too large"}
    assert folder.names_in(told["id"]) == []


# --------------------------------------------------------------------------------- ignored files


def test_small_ignored_files_come_back(repo: Folder) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    repo.git("clean", "-fdxq")
    assert not repo.path(".env").exists()
    restored = repo.restore(taken)
    assert repo.tree() == before
    assert (restored["lost"], restored["kept"]) == ([], [])


def test_ignored_files_that_are_not_kept_are_named_and_when_they_vanish_they_are_lost(
    repo: Folder,
) -> None:
    repo.write(".gitignore", "*.log\n.env\ncache/\nnode_modules/\nbig.bin\nmany/\n")
    repo.write("node_modules/a/index.js", "x\n")
    repo.write("big.bin", b"x" * (1024 * 1024 + 1))
    for number in range(2001):
        repo.write(f"many/{number}", "x")
    told = repo.create()
    assert told["skipped_why"] == {
        "node_modules": "ignored, in a build folder",
        "big.bin": "ignored, too large",
        "many": "ignored, over the budget",
    }
    assert ".env" in repo.names_in(told["id"])
    shown = repo.run("create").out
    assert "ignored by git, and not in the checkpoint: big.bin, many, node_modules" in shown
    shutil.rmtree(repo.path("node_modules"))
    shutil.rmtree(repo.path("many"))
    repo.path("big.bin").unlink()
    restored = repo.restore(told["id"])
    assert restored["lost"] == ["big.bin", "many", "node_modules"]
    assert (
        restored["lost_why"]["many"] == "the checkpoint had left it out: ignored, over the budget"
    )


def test_an_ignored_file_that_is_newer_stays_and_is_named(repo: Folder) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    repo.write("new.log", "made since\n")
    restored = repo.restore(taken)
    assert restored["kept_why"] == {"new.log": "it is ignored, and newer than the checkpoint"}
    assert repo.tree() == before | {b"new.log": ("file", b"made since\n", 0o644)}


def test_undo_is_exact_after_an_agent_has_ignored_everything(repo: Folder) -> None:
    repo.write("w/u.txt", "untracked\n")
    taken, before = repo.checkpoint(), repo.tree()
    repo.path("docs/a.md").unlink()
    repo.path("notes.txt").unlink()
    repo.write(".gitignore", "*\n")
    repo.write("w/.gitignore", "*\n")
    repo.write("w/u.txt", "agent\n")
    repo.write("made.txt", "agent\n")
    changed = repo.tree()
    restored = repo.restore(taken)
    assert restored["kept"] == ["made.txt"]
    assert repo.tree() == before | {b"made.txt": changed[b"made.txt"]}
    repo.undo()
    assert repo.tree() == changed


# ---------------------------------------------------------------------------- modes, directories


def test_modes_of_files_and_directories_and_empty_directories_come_back(repo: Folder) -> None:
    repo.path("docs/a.md").chmod(0o600)
    repo.path("src").chmod(0o700)
    repo.write("tool", "#!/bin/sh\n", 0o711)
    repo.path("empty/deep").mkdir(parents=True)
    repo.path("quiet").mkdir()
    repo.path("quiet").chmod(0o750)
    taken, before, modes = repo.checkpoint(), repo.tree(), _modes(repo)
    repo.path("docs/a.md").unlink()
    repo.path("src").chmod(0o755)
    repo.path("src/util.py").chmod(0o666)
    repo.path("tool").chmod(0o755)
    repo.path("empty/deep").rmdir()
    repo.path("empty").rmdir()
    repo.write("quiet/file.txt", "in it\n")
    repo.path("made").mkdir()
    changed, changed_modes = repo.tree(), _modes(repo)
    repo.restore(taken)
    assert (repo.tree(), _modes(repo)) == (before, modes)
    repo.undo()
    assert (repo.tree(), _modes(repo)) == (changed, changed_modes)


def test_a_chmod_alone_between_two_checkpoints_is_noticed(repo: Folder) -> None:
    repo.checkpoint()
    repo.path("src/util.py").chmod(0o600)
    taken = repo.checkpoint()
    repo.path("src/util.py").unlink()
    repo.restore(taken)
    assert repo.path("src/util.py").stat().st_mode & 0o777 == 0o600


def test_the_executable_bit_comes_back_though_git_does_not_look_at_it(repo: Folder) -> None:
    repo.git("config", "core.fileMode", "false")
    repo.write("tool", "#!/bin/sh\n", 0o755)
    taken, before = repo.checkpoint(), repo.tree()
    repo.path("tool").unlink()
    repo.path("run.sh").chmod(0o644)
    repo.restore(taken)
    assert repo.tree() == before


# -------------------------------------------------------------------------------- nothing silent


def test_a_sparse_checkout_turned_on_since_loses_nothing(folder: Folder) -> None:
    folder.init()
    folder.write("top.txt", "t\n")
    folder.write("out/y", "y\n")
    folder.commit()
    folder.write("out/y", "mine\n")
    taken, before = folder.checkpoint(), folder.tree()
    folder.git("checkout", "-q", "out/y")
    folder.git("sparse-checkout", "set", "--cone", "none")
    assert not folder.path("out").exists()
    folder.restore(taken)
    assert folder.tree() == before


def test_a_sparse_checkout_turned_off_since_is_named(folder: Folder) -> None:
    folder.init()
    folder.write("in/a.txt", "a\n")
    folder.write("out/b.txt", "b\n")
    folder.commit()
    folder.git("sparse-checkout", "set", "in")
    taken = folder.checkpoint()
    folder.git("sparse-checkout", "disable")
    restored = folder.restore(taken)
    assert restored["kept_why"] == {"out/b.txt": "the sparse checkout has it since"}


def test_a_submodule_that_was_edited_or_deleted_is_named(repo: Folder, tmp_path: Path) -> None:
    library = Folder(tmp_path / "library").init()
    library.write("lib.c", "int x;\n")
    library.commit()
    for name in ("sub", "gone"):
        repo.git(
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            str(library.root),
            name,
        )
    repo.git("commit", "-q", "-m", "submodules")
    told = repo.create()
    assert told["skipped_why"] == {"gone": "submodule", "sub": "submodule"}
    assert repo.restore(told["id"])["kept"] == []
    repo.write("sub/lib.c", "int agent;\n")
    shutil.rmtree(repo.path("gone"))
    restored = repo.restore(told["id"])
    assert restored["kept"] == ["sub"]
    assert "a repository inside has changed" in restored["kept_why"]["sub"]
    assert restored["lost"] == ["gone"]


def test_a_symlink_that_git_does_not_check_out_is_named(repo: Folder) -> None:
    repo.link(".gitmodules", "nowhere")
    taken = repo.run("create", "--json").told
    assert taken["skipped_why"] == {".gitmodules": "not a name for git"}
    repo.path(".gitmodules").unlink()
    restored = repo.run("restore", taken["id"], "--json").told
    assert restored["lost"] == [".gitmodules"]


def test_names_that_git_does_not_take_are_named_and_others_are_captured(repo: Folder) -> None:
    repo.write(".GIT", "not a repository\n")
    repo.write("deep/.Git/x", "x\n")
    repo.write("git~1", "a name like any other\n")
    told = repo.create()
    assert told["skipped_why"] == {
        ".GIT": "not a name for git",
        "deep/.Git/x": "not a name for git",
    }
    repo.path("git~1").unlink()
    repo.restore(told["id"])
    assert repo.path("git~1").read_text() == "a name like any other\n"
    assert repo.path(".GIT").exists()


# -------------------------------------------------------------------------------------- the index


def test_what_was_staged_is_restored_on_request_only(repo: Folder) -> None:
    taken = repo.checkpoint()
    staged = repo.git("ls-files", "-s")
    repo.git("reset", "-q", "--hard")
    lost = repo.git("ls-files", "-s")
    repo.git("gc", "-q", "--prune=now")
    restored = repo.restore(taken)
    assert (restored["index_differs"], restored["index_reset"]) == (True, False)
    assert repo.git("ls-files", "-s") == lost
    assert "--index` stages it again" in repo.run("restore", taken).out
    restored = repo.restore(taken, "--index")
    assert (restored["index_differs"], restored["index_reset"]) == (False, True)
    assert repo.git("ls-files", "-s") == staged
    assert repo.git("show", ":src/app.py") == "print('staged')\n"
    assert repo.git("fsck", "--no-dangling") == ""
    repo.undo()
    assert repo.git("ls-files", "-s") == lost


def test_an_index_that_was_removed_is_restored_on_request(repo: Folder) -> None:
    taken = repo.checkpoint()
    staged = repo.git("ls-files", "-s")
    repo.path(".git/index").unlink()
    assert repo.restore(taken)["index_differs"] is True
    restored = repo.restore(taken, "--index")
    assert (restored["index_differs"], restored["index_reset"]) == (False, True)
    assert repo.git("ls-files", "-s") == staged


# -------------------------------------------------------------------------------------- retention


def test_a_checkpoint_of_the_user_outlives_restores_and_undos_and_the_trash_is_bounded(
    repo: Folder,
) -> None:
    taken = repo.checkpoint()
    for number in range(12):
        repo.write("src/app.py", f"{number}\n")
        repo.restore(taken)
        repo.undo()
    assert taken in repo.ids()
    trash = repo.private("for-each-ref", "refs/holdfast/trash/").splitlines()
    assert len(trash) < 12
    assert repo.private("rev-parse", ref_of(taken))


def test_entries_of_git_add_n_come_back_with_index(repo: Folder) -> None:
    repo.write("x y.txt", "new\n")
    repo.git("add", "-N", "notes.txt", "x y.txt")
    staged = repo.git("ls-files", "-s"), repo.git("status", "--porcelain")
    taken = repo.checkpoint()
    repo.git("reset", "-q")
    repo.write("other.txt", "other\n")
    repo.git("add", "-N", "other.txt")
    agents = repo.git("ls-files", "-s"), repo.git("status", "--porcelain")
    assert repo.restore(taken)["index_differs"]
    restored = repo.restore(taken, "--index")
    assert (restored["index_reset"], restored["index_differs"]) == (True, False)
    assert (repo.git("ls-files", "-s"), repo.git("status", "--porcelain")) == staged
    assert not repo.restore(taken)["index_differs"]
    repo.undo()
    repo.undo()
    assert (repo.git("ls-files", "-s"), repo.git("status", "--porcelain")) == agents


# -------------------------------------------------------------------------- every mode, the index


@pytest.mark.parametrize("mode", [0o000, 0o601, 0o645, 0o611, 0o407, 0o4755, 0o077, 0o200])
def test_every_mode_of_a_file_comes_back(repo: Folder, mode: int) -> None:
    if os.geteuid() and not mode & 0o400:
        pytest.skip("only root reads such a file")
    repo.write("made.txt", "untracked\n", mode)
    repo.path("docs/a.md").chmod(mode)
    taken, before = repo.checkpoint(), repo.tree()
    repo.path("made.txt").unlink()
    repo.path("docs/a.md").chmod(0o644)
    changed = repo.tree()
    repo.restore(taken)
    assert repo.tree() == before
    repo.undo()
    assert repo.tree() == changed


@pytest.mark.parametrize("mode", [0o645, 0o601])
def test_a_mode_that_most_files_have_comes_back_however_odd_it_is(
    folder: Folder, mode: int
) -> None:
    for name in ("a", "b", "c"):
        folder.write(name, "text\n", mode)
    taken, before = folder.checkpoint(), folder.tree()
    folder.path("a").unlink()
    folder.path("b").chmod(0o644)
    folder.restore(taken)
    assert folder.tree() == before


def test_the_mode_of_the_root_comes_back(repo: Folder) -> None:
    repo.root.chmod(0o750)
    taken = repo.checkpoint()
    repo.root.chmod(0o755)
    repo.restore(taken)
    assert stat.S_IMODE(repo.root.stat().st_mode) == 0o750
    repo.undo()
    assert stat.S_IMODE(repo.root.stat().st_mode) == 0o755


def test_what_was_staged_is_not_restored_while_the_index_is_locked_and_nothing_changes(
    repo: Folder,
) -> None:
    taken = repo.checkpoint()
    repo.git("reset", "-q", "--hard")
    lock = repo.write(".git/index.lock")
    changed, users = repo.tree(), repo.users()
    refused = repo.run("restore", taken, "--index", "--json")
    assert refused.why == (
        f"{lock}: a git command is at work, or was killed, so what was staged cannot be restored; "
        "move it away, and try again."
    )
    assert (repo.tree(), repo.users()) == (changed, users)
    lock.unlink()
    assert repo.restore(taken, "--index")["index_reset"] is True


def test_a_restore_that_cannot_stage_what_was_staged_says_so_with_its_exit_code(
    repo: Folder,
) -> None:
    taken, before = repo.checkpoint(), repo.tree()
    shutil.rmtree(repo.path(".git"))
    repo.write("src/app.py", "agent\n")
    ran = repo.run("restore", taken, "--index", "--json")
    assert (ran.code, ran.told["index_reset"], repo.tree()) == (1, False, before)
    assert "what was staged could not be restored: there is no repository" in ran.err


@pytest.mark.parametrize("name", ["index", "objects/pack"])
def test_what_was_staged_is_restored_by_no_link_out_of_the_repository(
    repo: Folder, tmp_path: Path, name: str
) -> None:
    taken = repo.checkpoint()
    repo.git("reset", "-q", "--hard")
    repo.git("gc", "-q", "--prune=now")
    outside, link = tmp_path / "outside", repo.path(".git") / name
    link.rename(outside)
    link.symlink_to(outside)
    before = repo.users()
    ran = repo.run("restore", taken, "--index", "--json")
    assert (ran.code, ran.told["index_reset"]) == (1, False)
    assert f"{link} is a symbolic link, and git would write where it leads" in ran.err
    assert repo.users() == before


def test_entries_of_git_add_n_come_back_whole_after_a_gc(folder: Folder) -> None:
    folder.init().write("a.txt", "text\n")
    folder.commit()
    folder.write("new.txt", "new\n")
    folder.git("add", "-N", "new.txt")
    taken = folder.checkpoint()
    folder.git("reset", "-q")
    folder.git("gc", "-q", "--prune=now")
    assert folder.restore(taken, "--index")["index_reset"] is True
    assert folder.git("fsck", "--no-dangling") == ""
    folder.git("gc", "-q", "--prune=now")
