"""What commands change is known: listed, published, recorded, checked, and undone by `holdfast undo`."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.testing import Reply, ScriptedServer, call, say
from tests.end_to_end.going_back.project import DYING
from tests.end_to_end.run.project import CHECKOUT, TEXT, Project, Ran, finish
from tests.samples import sample
from tests.trees import Tree, tree_of
from tests.waiting import LONGEST, wait_until

OLD = "one\ntwo\nthree\n"


def git(project: Project, *words: str) -> None:
    subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", *words],
        cwd=project.root,
        check=True,
        env=project.environment(),
        capture_output=True,
    )


def turn(project: Project, *replies: Reply, approve: str = "auto") -> Ran:
    with ScriptedServer(list(replies), otherwise=say("All finished.")) as server:
        return project.run("Do it.", "--approve", approve, server=server)


def command(line: str, **more: Any) -> Reply:
    return call("run_command", command=line, **more)


def observed(ran: Ran) -> list[tuple[str, str, str]]:
    found = [event for event in ran.events if event["kind"] == "edit_observed"]
    return [(event["path"], event["action"], event["by"]) for event in found]


@pytest.fixture
def repository(project: Project) -> Project:
    """A project with a commit, and an edit that Holdfast applied before the turn."""
    project.write("b.txt", OLD)
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    edit = '{"path": "a.py", "edits": [{"oldText": "x = 1", "newText": "x = 10"}]}'
    applied = project.holdfast("apply", "-", given=edit)
    assert applied.code == 0, applied
    return project


def test_a_file_that_a_command_changed_is_known_and_undone_before_older_edits(
    repository: Project,
) -> None:
    before = tree_of(repository.root)
    ran = turn(repository, command("sed -i s/two/2/ b.txt"))
    assert (ran.code, ran.ended["files"], ran.ended["observed"]) == (0, ["b.txt"], ["b.txt"])
    assert observed(ran) == [("b.txt", "edit", "command")]
    assert repository.texts()["b.txt"] == "one\n2\nthree\n"
    undone = repository.holdfast("undo")
    assert (undone.code, tree_of(repository.root)) == (0, before), undone


def test_a_file_that_a_command_edits_and_ignores_is_known_and_undone(repository: Project) -> None:
    repository.write("mine.txt", OLD)
    before = tree_of(repository.root)
    ran = turn(repository, command("echo mine.txt > .gitignore; echo agent > mine.txt"))
    assert (ran.code, ran.ended["observed"]) == (0, [".gitignore", "mine.txt"])
    undone = repository.holdfast("undo", "--turn")
    assert (undone.code, tree_of(repository.root)) == (0, before), undone


# ---- other commands of Holdfast, while a command of the turn runs

_WAITING = "touch begun; until [ -e go ]; do sleep 0.02; done; rm begun go"
_CREATE = '{"path": "new.txt", "content": "by apply\\n"}'
_EDIT = '{"path": "b.txt", "edits": [{"oldText": "two", "newText": "2"}]}'


def turn_beside(project: Project, *acts: Callable[[], Ran], also: str = "true") -> Ran:
    """Run a turn whose command waits until the acts are done, and then does `also`."""
    replies = [command(f"{_WAITING}; {also}", timeout=int(LONGEST))]
    with (
        ScriptedServer(replies, otherwise=say("All finished.")) as server,
        project.running("Do it.", "--approve", "auto", server=server) as process,
    ):
        assert wait_until((project.root / "begun").exists)
        for act in acts:
            done = act()
            assert done.code == 0, done
        project.write("go", "")
        return finish(process)


def files_and_folders(root: Path) -> tuple[Tree, dict[str, int]]:
    folders: dict[str, int] = {}
    for path in root.rglob("*"):
        name = path.relative_to(root)
        if path.is_dir() and not path.is_symlink() and ".git" not in name.parts:
            folders[name.as_posix()] = path.stat().st_mode & 0o7777
    return tree_of(root), folders


def applied_to(project: Project, path: str) -> list[str]:
    """Return the origins of the applied changes of a file, newest first."""
    listed = json.loads(project.holdfast("changes", "list", "--json").out)["changes"]
    states = [each for each in listed if each["state"] == "applied"]
    return [each["origin"] for each in states if path in [file["path"] for file in each["files"]]]


@pytest.fixture
def with_folder(repository: Project) -> Project:
    """The same with a folder whose files are older than the first look of a turn."""
    (repository.root / "d/s").mkdir(parents=True)
    (repository.root / "d/s").chmod(0o700)
    repository.write("d/x.txt", "x\n")
    repository.write("d/s/y.txt", "y\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "second")
    time.sleep(1)
    return repository


@pytest.mark.parametrize(
    "line",
    sample(
        [
            "touch ':!w' ':(exclude)q' ':(bogus)'",
            "mv d e",
            "mkdir n; mv d/s n/s",
            "mv d e; mv e/s/y.txt e/y.txt; rmdir e/s",
            "chmod 700 d; mv d e",
            "rm -r d; mkdir -m 750 n; echo n > n/n",
            "rm d/s/y.txt",
            "git mv d e 2>/dev/null || mv d e",
        ],
        2,
    ),
)
def test_a_path_that_git_reads_as_a_pattern_or_a_moved_folder_is_undone_with_all_others(
    with_folder: Project, line: str
) -> None:
    repository = with_folder
    before = files_and_folders(repository.root)
    ran = turn(repository, command(f"sed -i s/two/2/ b.txt; {line}"))
    assert ("b.txt", "edit", "command") in observed(ran), ran.out
    after = files_and_folders(repository.root)
    for words, tree in ((("undo", "--turn"), before), (("redo",), after), (("undo",), before)):
        done = repository.holdfast(*words)
        assert (done.code, files_and_folders(repository.root)) == (0, tree), (words, done)


@pytest.mark.parametrize(
    "line",
    sample(
        [
            "rm b.txt; mkdir b.txt; echo in > b.txt/in",
            "rm b.txt; mkdir -p b.txt/s/t; echo in > b.txt/s/t/in; echo in > b.txt/in",
            "rm -r d; echo file > d",
            "rm -r d/s; echo file > d/s; rm b.txt; mkdir b.txt; mv d/x.txt b.txt/x",
            "rm link; mkdir link; echo in > link/in",
            "mv d e; ln -s e d",
            "rm -r d; ln -s nowhere d; rm link",
            "mv d e; mkdir d; ln -s ../e/s d/s",
        ],
        2,
    ),
)
def test_a_file_that_becomes_a_directory_or_the_reverse_is_undone_and_redone(
    with_folder: Project, line: str
) -> None:
    (with_folder.root / "link").symlink_to("d")
    before = files_and_folders(with_folder.root)
    ran = turn(with_folder, command(f"sed -i s/10/11/ a.py; {line}"))
    after = files_and_folders(with_folder.root)
    assert (ran.code, after != before) == (0, True), ran
    for words, tree in (
        (("undo", "--turn"), before),
        (("redo",), after),
        (("undo",), before),
        (("redo",), after),
    ):
        done = with_folder.holdfast(*words)
        assert (done.code, files_and_folders(with_folder.root)) == (0, tree), (words, done)


def test_the_undo_of_a_turn_names_what_no_change_has(with_folder: Project) -> None:
    with_folder.write(".gitignore", "*.log\n")
    with_folder.write("old.log", "old\n")
    with_folder.write("gone.log", "old\n")
    (with_folder.root / "empty").mkdir()
    line = "echo 2 > b.txt; echo new > new.log; echo 2 > old.log; rm gone.log; rmdir empty; mkdir e2; chmod 700 d"
    ran = turn(with_folder, command(line))
    told = with_folder.holdfast("undo", "--turn", "--json")
    ignored = "git ignores it, so no change of it is on record"
    body = json.loads(told.out)
    assert (told.code, body["files"]) == (0, [{"path": "b.txt", "action": "restored"}])
    assert (body["checkpoint_id"], body["left_why"]) == (
        ran.ended["checkpoint_id"],
        {
            "d": "its permissions were 755, and are 700",
            "e2": "an empty directory that is new",
            "empty": "an empty directory that is gone",
            "gone.log": ignored,
            "new.log": "it is ignored, and newer than the checkpoint",
            "old.log": ignored,
        },
    )
    assert with_folder.holdfast("redo").code == 0
    shown = with_folder.holdfast("undo", "--turn").out
    assert f"not undone: old.log ({ignored})" in shown
    assert f"holdfast checkpoint restore {ran.ended['checkpoint_id']} --files" in shown


def test_a_turn_that_changed_only_ignored_files_is_not_said_to_have_changed_nothing(
    repository: Project,
) -> None:
    repository.write(".gitignore", "*.log\n")
    repository.write("old.log", "old\n")
    turn(repository, command("echo new > old.log"))
    undone = repository.holdfast("undo", "--turn")
    assert undone.code == 1, undone
    assert "Ignored files and empty directories are in no change" in undone.out


def test_the_undo_of_a_turn_that_leaves_nothing_says_nothing_of_it(repository: Project) -> None:
    turn(repository, command("echo 2 > b.txt; mkdir n; echo n > n/n"))
    assert json.loads(repository.holdfast("undo", "--turn", "--json").out)["left_why"] == {}


@pytest.mark.parametrize("name", [r"\377\376", r"caf\351", r"d\377/f"])
def test_a_file_whose_name_is_no_text_is_undone_and_redone(repository: Project, name: str) -> None:
    before = tree_of(repository.root)
    line = f"mkdir -p \"$(printf 'd\\377')\"; printf x > \"$(printf '{name}')\"; echo 2 > b.txt"
    ran = turn(repository, command(line))
    assert (ran.code, len(ran.ended["observed"])) == (0, 2), ran
    after = tree_of(repository.root)
    for words, tree in ((("undo", "--turn"), before), (("redo",), after), (("undo",), before)):
        done = repository.holdfast(*words)
        assert (done.code, tree_of(repository.root)) == (0, tree), (words, done)


def test_a_directory_with_other_files_is_not_removed_for_the_file_that_was_there(
    repository: Project,
) -> None:
    turn(repository, command("rm b.txt; mkdir b.txt; echo in > b.txt/in"))
    repository.write("b.txt/mine", "made since\n")
    after = tree_of(repository.root)
    undone = repository.holdfast("undo")
    assert (undone.code, tree_of(repository.root)) == (1, after), undone
    assert "b.txt" in undone.out


def test_what_another_command_of_holdfast_records_meanwhile_is_not_recorded_twice(
    repository: Project,
) -> None:
    ran = turn_beside(repository, lambda: repository.holdfast("apply", "-", given=_CREATE))
    assert (ran.code, observed(ran)) == (0, [])
    assert len(applied_to(repository, "new.txt")) == 1
    undone = repository.holdfast("undo")
    assert (undone.code, applied_to(repository, "new.txt")) == (0, []), undone
    assert not (repository.root / "new.txt").exists()


def test_what_another_command_undoes_meanwhile_is_not_taken_for_an_edit_of_the_turn(
    repository: Project,
) -> None:
    ran = turn_beside(repository, lambda: repository.holdfast("undo"))
    assert (ran.code, observed(ran)) == (0, [])
    assert repository.texts()["a.py"] == TEXT
    assert applied_to(repository, "a.py") == []


def test_an_edit_on_top_of_what_another_command_wrote_meanwhile_is_only_that(
    repository: Project,
) -> None:
    ran = turn_beside(
        repository,
        lambda: repository.holdfast("apply", "-", given=_EDIT),
        also="sed -i s/three/3/ b.txt",
    )
    assert (ran.code, observed(ran)) == (0, [("b.txt", "edit", "command")])
    assert repository.texts()["b.txt"] == "one\n2\n3\n"
    undone = repository.holdfast("undo")
    assert (undone.code, repository.texts()["b.txt"]) == (0, "one\n2\nthree\n"), undone
    undone = repository.holdfast("undo")
    assert (undone.code, repository.texts()["b.txt"]) == (0, OLD), undone


def test_what_a_killed_apply_left_meanwhile_is_settled_before_it_is_looked_at(
    repository: Project,
) -> None:
    def die() -> Ran:
        words = [sys.executable, "-c", DYING, "1", "apply", "-", "--root", str(repository.root)]
        environment = repository.environment(PYTHONPATH=str(CHECKOUT))
        died = subprocess.run(
            words, input=_CREATE.encode(), env=environment, check=False, capture_output=True
        )
        assert died.returncode == -signal.SIGKILL, died
        return Ran(0, "", "")

    ran = turn_beside(repository, die)
    assert (ran.code, observed(ran)) == (0, [])
    assert len(applied_to(repository, "new.txt")) == 1
    undone = repository.holdfast("undo")
    assert (undone.code, (repository.root / "new.txt").exists()) == (0, False), undone
    assert applied_to(repository, "new.txt") == []


def test_no_event_has_what_another_program_wrote_into_a_file_with_secrets(project: Project) -> None:
    old, new = "KEY=hunter2-of-this-test\n", "KEY=hunter3-of-this-test\n"
    project.write(".env", old)
    (project.root / "other.txt").hardlink_to(project.root / ".env")
    requests = []

    def change(request: object) -> None:
        requests.append(request)
        if len(requests) == 2:
            project.write(".env", new)
            project.write("b.txt", OLD)

    replies = [command("touch one"), command("touch two"), say("All finished.")]
    with ScriptedServer(replies, on_request=change) as server:
        ran = project.run("Do it.", "--approve", "auto", server=server)

    seen = {each["path"]: each["diff"] for each in ran.events if each["kind"] == "edit_observed"}
    hidden = "It looks like a file with passwords or keys, so its content is not shown."
    assert (seen.pop(".env"), seen.pop("other.txt")) == (hidden, hidden)
    assert (list(seen), "+three" in seen["b.txt"]) == (["one", "b.txt", "two"], True)
    assert "of-this-test" not in ran.out + project.holdfast("events", "--json").out
    for _ in ("two", ".env"):
        assert project.holdfast("undo").code == 0
    assert project.texts()[".env"] == old
