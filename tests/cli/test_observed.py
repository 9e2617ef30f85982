"""What commands change is known: listed, published, recorded, checked, and undone by `holdfast undo`.

The commands run in this process; as processes: tests/end_to_end/run/test_observed.py.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from holdfast.testing import Reply, call, say
from tests.cli.project import Project, Ran, block
from tests.cli.talk import ended, of_kind, talk, user_file
from tests.trees import tree_of
from tests.waiting import limit_to_begin

pytestmark = pytest.mark.slow  # seconds together: `make quick` does without

OLD = b"one\ntwo\nthree\n"


@pytest.fixture(autouse=True)
def _own_settings(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    home = project.root.parent / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("HOLDFAST_CONFIG_FILE", str(user_file(project)))
    for name in ("HOLDFAST_API_KEY", "HOLDFAST_BASE_URL", "HOLDFAST_MODEL", "HOLDFAST_APPROVE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "a")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@b")


def git(project: Project, *words: str) -> None:
    subprocess.run(["git", *words], cwd=project.root, check=True, capture_output=True)


def turn(
    project: Project,
    *replies: Reply,
    approve: str = "auto",
    before: dict[int, Callable[[], object]] | None = None,
    sandbox: str = "auto",
) -> Ran:
    """Run a turn; `before` has what somebody else does before the n-th reply."""
    count = iter(range(len(replies) + 2))

    def interfere(request: object) -> None:
        (before or {}).get(next(count), lambda: None)()

    with talk(project, list(replies), otherwise=say("Done."), on_request=interfere) as told:
        return told("Do it.", "--approve", approve, "--sandbox", sandbox)


def command(line: str, **more: Any) -> Reply:
    return call("run_command", command=line, **more)


def observed(ran: Ran) -> list[tuple[str, str, str]]:
    found = of_kind(ran, "edit_observed")
    return [(event["path"], event["action"], event["by"]) for event in found]


def files_of(ran: Ran) -> tuple[list[str], list[str]]:
    last = ended(ran)
    return last["files"], last["observed"]


def changes(project: Project) -> list[tuple[str, str]]:
    listed = project.run("changes", "list", "--json", "--root", str(project.root))
    return [(change["origin"], change["state"]) for change in listed.told["changes"]]


@pytest.fixture
def repository(project: Project) -> Project:
    """A project with a commit, and an edit that Holdfast applied before the turn."""
    project.write("a.py", b"x = 1\ny = 2\n")
    project.write("b.txt", OLD)
    git(project, "init", "-q")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "first")
    applied = project.apply(block("a.py", "x = 1", "x = 10"))
    assert applied.code == 0, applied
    return project


SAME = {
    "sed": ("sed -i s/two/2/ b.txt", ["b.txt"]),
    "move": ("mv b.txt c.txt", ["b.txt", "c.txt"]),
    "remove": ("rm b.txt", ["b.txt"]),
    "remove a directory": ("rm -r d", ["d/e.txt", "d/f/g.txt"]),
    "execute": ("chmod +x b.txt", ["b.txt"]),
    "private": ("chmod 600 b.txt", ["b.txt"]),
    "checkout": ("git checkout -- a.py", ["a.py"]),
    "new directory": ("mkdir -p n/m; echo new > n/m/o.txt", ["n/m/o.txt"]),
    "binary": (r"printf '\000\001\377' > b.bin; printf '\000x' >> old.bin", ["b.bin", "old.bin"]),
    "empty": (": > b.txt", ["b.txt"]),
    "untracked": ("echo more >> u.txt", ["u.txt"]),
    "odd names": ("echo x > 'ä b.txt'; echo x > '-x'; echo x > 'q\"*'", ["-x", 'q"*', "ä b.txt"]),
    "link": ("ln -s b.txt link", ["link"]),
    "other link": ("ln -sfn a.py old-link; rm gone-link", ["gone-link", "old-link"]),
    "file becomes link": ("ln -sf a.py b.txt", ["b.txt"]),
    "link becomes file": ("rm old-link; echo x > old-link", ["old-link"]),
    "failed": ("echo x > b.txt; exit 3", ["b.txt"]),
    "reset": ("git reset -q --hard", ["a.py"]),
}


@pytest.fixture
def rich(repository: Project) -> Project:
    """A project with directories, a binary file, symlinks and an untracked file."""
    repository.write("d/e.txt", OLD)
    repository.write("d/f/g.txt", OLD)
    (repository.root / "old.bin").write_bytes(b"\0old\xff\n")
    (repository.root / "old-link").symlink_to("b.txt")
    (repository.root / "gone-link").symlink_to("nowhere")
    git(repository, "add", "-A", ":!a.py")
    git(repository, "commit", "-qm", "second")
    repository.write("u.txt", OLD)
    return repository


@pytest.mark.parametrize("name", SAME)
def test_whatever_a_command_does_is_listed_undone_and_redone(rich: Project, name: str) -> None:
    line, files = SAME[name]
    before = tree_of(rich.root)
    ran = turn(rich, command(line))
    assert (ran.code, files_of(ran)) == (0, (files, files)), ran
    assert sorted(path for path, *_ in observed(ran)) == files
    assert {by for *_, by in observed(ran)} == {"command"}
    after = tree_of(rich.root)
    assert after != before
    assert changes(rich) == [("observed", "applied"), ("apply", "applied")]
    undone = rich.undo()
    assert (undone.code, tree_of(rich.root)) == (0, before), undone
    redone = rich.run("redo", "--root", str(rich.root))
    assert (redone.code, tree_of(rich.root)) == (0, after), redone
    whole = rich.undo("--turn")
    assert (whole.code, tree_of(rich.root)) == (0, before), whole


def test_a_rewind_takes_the_change_of_a_command_and_keeps_later_edits(rich: Project) -> None:
    before = tree_of(rich.root)
    edit = call("edit_file", path="u.txt", old="two", new="zwei")
    ran = turn(rich, command("sed -i s/two/2/ b.txt"), call("read_file", path="u.txt"), edit)
    [change] = {event["change_id"] for event in of_kind(ran, "edit_observed")}
    rewound = rich.run("changes", "rewind", change, "--root", str(rich.root))
    assert rewound.code == 0, rewound
    assert tree_of(rich.root)["u.txt"][2] == b"one\nzwei\nthree\n"
    assert tree_of(rich.root)["b.txt"] == before["b.txt"]


def test_a_formatter_over_thirty_files_is_one_change(repository: Project) -> None:
    for number in range(30):
        repository.write(f"src/f{number:02}.txt", OLD)
    before = tree_of(repository.root)
    ran = turn(repository, command("sed -i s/two/2/ src/*.txt"))
    names = [f"src/f{number:02}.txt" for number in range(30)]
    assert files_of(ran) == (names, names)
    assert len({event["change_id"] for event in of_kind(ran, "edit_observed")}) == 1
    [told] = [event["text"] for event in of_kind(ran, "call_ended")]
    shown = ", ".join(names[:10])
    assert told == f"Exit code 0.\nIt changed {shown} and 20 more files.\n(no output)"
    assert repository.undo().code == 0
    assert tree_of(repository.root) == before


def test_commands_that_change_no_file_leave_no_change(rich: Project) -> None:
    git(rich, "config", "user.name", "a")
    git(rich, "config", "user.email", "a@b")
    lines = ["git add -A", "git commit -qm third", "touch b.txt", "sh -c 'exit 1'", "ls"]
    ran = turn(rich, *map(command, lines))
    assert (ran.code, files_of(ran)) == (0, ([], []))
    assert observed(ran) == []
    assert changes(rich) == [("apply", "applied")]


def test_what_a_command_ended_by_its_time_limit_changed_is_undone(repository: Project) -> None:
    before = tree_of(repository.root)
    line = "echo half > b.txt; sleep 600"
    _, ran = limit_to_begin(
        lambda limit: turn(repository, command(line, timeout=int(limit))),
        lambda ran: bool(observed(ran)),
    )
    assert observed(ran) == [("b.txt", "edit", "command")]
    assert repository.undo().code == 0
    assert tree_of(repository.root) == before


def test_a_process_that_writes_after_its_command_is_found_at_the_next_look(
    repository: Project,
) -> None:
    before = tree_of(repository.root)
    late = (
        "setsid sh -c 'while [ ! -e go ]; do sleep 0.1; done; echo late > b.txt; rm go; mv w v' &"
    )
    ready = "while [ ! -e v ]; do sleep 0.1; done; rm v"
    ran = turn(
        repository,
        command(f"touch w; {late} exec >/dev/null 2>&1"),
        command("touch go"),
        command(ready),
        # In a sandbox no process outlives its command.
        sandbox="off",
    )
    assert ran.code == 0, ran
    assert "b.txt" in files_of(ran)[1]
    while tree_of(repository.root) != before:
        undone = repository.undo()
        assert undone.code == 0, undone
    assert tree_of(repository.root) == before


def test_an_edit_of_a_tool_between_two_commands_is_not_observed(repository: Project) -> None:
    ran = turn(
        repository,
        command("echo 1 > one.txt"),
        call("write_file", path="c.txt", text="by a tool\n"),
        command("echo 2 > two.txt"),
    )
    assert observed(ran) == [("one.txt", "create", "command"), ("two.txt", "create", "command")]
    assert files_of(ran) == (["c.txt", "one.txt", "two.txt"], ["one.txt", "two.txt"])


def test_an_edit_of_the_user_between_two_commands_is_not_that_of_a_command(
    repository: Project,
) -> None:
    ran = turn(
        repository,
        command("touch t.txt"),
        command("sed -i s/three/3/ b.txt"),
        before={1: lambda: repository.write("b.txt", b"zero\n" + OLD)},
    )
    assert observed(ran) == [
        ("t.txt", "create", "command"),
        ("b.txt", "edit", "outside"),
        ("b.txt", "edit", "command"),
    ]
    assert repository.undo().code == 0
    assert repository.files()["b.txt"] == b"zero\n" + OLD


def test_an_edit_of_the_user_in_a_turn_without_commands_is_left_alone(repository: Project) -> None:
    ran = turn(
        repository,
        call("read_file", path="a.py"),
        before={1: lambda: repository.write("b.txt", b"zero\n" + OLD)},
    )
    assert (observed(ran), files_of(ran)) == ([], ([], []))


def test_in_review_a_command_writes_and_a_proposal_waits(repository: Project) -> None:
    before = tree_of(repository.root)
    user_file(repository).write_text('allow_commands = ["sed *"]\n')
    ran = turn(
        repository,
        command("sed -i s/two/2/ b.txt"),
        call("edit_file", path="a.py", old="x = 10", new="x = 11"),
        approve="review",
    )
    assert observed(ran) == [("b.txt", "edit", "command")]
    assert changes(repository) == [
        ("proposal", "proposed"),
        ("observed", "applied"),
        ("apply", "applied"),
    ]
    assert repository.undo().code == 0
    assert tree_of(repository.root) == before


def test_a_file_too_large_to_keep_is_listed_and_its_undo_refused(repository: Project) -> None:
    big = repository.root / "big.bin"
    big.write_bytes(b"x" * 5_000_000)
    ran = turn(repository, command("echo y >> big.bin"))
    assert observed(ran) == [("big.bin", "edit", "command")]
    assert files_of(ran) == (["big.bin"], ["big.bin"])
    after = tree_of(repository.root)
    undone = repository.undo()
    assert undone.code == 1
    assert "big.bin: this was changed by a command" in undone.err + undone.out
    assert tree_of(repository.root) == after


def test_a_file_that_is_no_longer_ignored_is_not_removed_by_undo(repository: Project) -> None:
    repository.write(".gitignore", b".env\n")
    repository.write(".env", b"K=1\n")
    ran = turn(repository, command("rm .gitignore"))
    assert ran.code == 0, ran
    assert repository.undo().code == 0
    assert repository.files()[".env"] == b"K=1\n"
    assert repository.files()[".gitignore"] == b".env\n"


def test_a_file_that_is_ignored_now_is_not_seen_as_deleted(repository: Project) -> None:
    repository.write("u.txt", OLD)
    ran = turn(repository, command("echo u.txt > .gitignore"))
    assert observed(ran) == [(".gitignore", "create", "command")]


def test_in_a_directory_of_a_larger_repository_files_above_it_are_named(
    repository: Project,
) -> None:
    repository.write("sub/c.txt", OLD)
    before = tree_of(repository.root)
    below = Project.__new__(Project)
    below.root, below.state = repository.root / "sub", repository.state
    # In a sandbox a command cannot write above the project.
    ran = turn(below, command("sed -i s/two/2/ c.txt ../b.txt"), sandbox="off")
    assert observed(ran) == [("../b.txt", "edit", "command"), ("c.txt", "edit", "command")]
    assert below.undo().code == 0
    assert tree_of(repository.root)["sub/c.txt"] == before["sub/c.txt"]
    refused = below.undo()
    assert refused.code == 1
    assert "../b.txt: this was changed by a command" in refused.out + refused.err


def test_a_nested_repository_is_named_and_its_undo_refused(repository: Project) -> None:
    ran = turn(repository, command("git init -q inner; echo x > inner/x"))
    assert ran.code == 0, ran
    assert files_of(ran)[1] == ["inner"]
    after = tree_of(repository.root)
    refused = repository.undo()
    assert refused.code == 1
    assert "inner: this was changed by a command" in refused.out + refused.err
    assert tree_of(repository.root) == after


def test_a_change_inside_of_a_nested_repository_is_named(repository: Project) -> None:
    git(repository, "init", "-q", "inner")
    repository.write("inner/x", b"x\n")
    ran = turn(repository, command("true > /dev/null"), command("echo y > inner/x"))
    assert observed(ran) == [("inner", "edit", "command")]


def test_the_terminal_names_each_file_and_who_changed_it(repository: Project) -> None:
    edit = call("edit_file", path="a.py", old="x = 10", new="x = 11")
    replies = [call("read_file", path="a.py"), edit, command("sed -i s/two/2/ b.txt")]
    with talk(repository, replies, otherwise=say("Done.")) as told:
        ran = told("Do it.", "--approve", "auto", as_json=False)
    lines = ran.err.splitlines()
    assert "  edited by a command: b.txt" in lines
    assert "files: a.py (edited), b.txt (changed by a command)" in lines


def test_in_a_folder_without_git_a_command_is_undone_too(project: Project) -> None:
    project.write("b.txt", OLD)
    before = tree_of(project.root)
    ran = turn(project, command("sed -i s/two/2/ b.txt; mkdir n; echo n > n/n.txt"))
    assert files_of(ran)[1] == ["b.txt", "n/n.txt"]
    assert project.undo().code == 0
    assert tree_of(project.root) == before
    assert not (project.root / "n").exists()


def test_without_a_checkpoint_files_are_listed_and_nothing_older_is_undone(
    repository: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(repository.root))
    git(repository, "checkout", "-q", "--", ".")
    repository.write("a.py", b"x = 10\ny = 2\n")
    (repository.root / ".git").rename(repository.root.parent / "was.git")
    before = tree_of(repository.root)
    ran = turn(repository, command("sed -i s/two/2/ b.txt"))
    assert of_kind(ran, "checkpoint_missed")
    assert (observed(ran), files_of(ran)[1]) == ([("b.txt", "edit", "command")], ["b.txt"])
    refused = repository.undo()
    assert refused.code == 1
    assert "b.txt: this was changed by a command" in refused.out + refused.err
    assert tree_of(repository.root)["a.py"] == before["a.py"]


def test_what_programs_keep_for_themselves_does_not_count(repository: Project) -> None:
    ran = turn(
        repository, command("mkdir __pycache__; echo x > __pycache__/a.pyc; echo x > .coverage")
    )
    assert (observed(ran), files_of(ran)) == ([], ([], []))


def test_an_apply_of_another_process_is_not_recorded_twice(repository: Project) -> None:
    ran = turn(
        repository,
        command("touch t.txt"),
        command("touch u.txt"),
        before={1: lambda: repository.apply(block("b.txt", "two", "2"))},
    )
    assert [path for path, *_ in observed(ran)] == ["t.txt", "u.txt"]
    assert [origin for origin, _ in changes(repository)] == [
        "observed",
        "apply",
        "observed",
        "apply",
    ]


def test_files_that_git_ignores_are_not_part_of_it(repository: Project) -> None:
    repository.write(".gitignore", b"*.out\nkept.out\n")
    repository.write("kept.out", b"tracked\n")
    repository.write("old.out", b"ignored\n")
    git(repository, "add", "-f", ".gitignore", "kept.out")
    ran = turn(repository, command("echo x > new.out; echo x > old.out; echo x > kept.out"))
    assert observed(ran) == [("kept.out", "edit", "command")]
    assert observed(turn(repository, command("rm old.out"))) == []
