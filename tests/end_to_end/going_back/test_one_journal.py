"""One lock and one journal for a worktree: what one command left, any other that writes settles, and none that looks."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from holdfast.testing import ScriptedServer, say
from tests.end_to_end.going_back.project import Project, reply

AGENT = reply("AGENT\n")


def outcomes(told: dict[str, object]) -> list[tuple[str, str]]:
    """Name what a command has settled."""
    recovered = told.get("recovered", [])
    assert isinstance(recovered, list)
    return [(each["what"], each["outcome"]) for each in recovered]


def recovered_events(project: Project) -> list[tuple[str, str]]:
    lines = project.holdfast("events", "--json").out.splitlines()
    events = [json.loads(line) for line in lines]
    return [(each["what"], each["outcome"]) for each in events if each.get("kind") == "recovered"]


def journal_files(project: Project) -> list[Path]:
    return sorted(project.state.glob("worktrees/*/journal/*"))


def test_a_restore_is_not_undone_by_a_command_that_only_looks(project: Project) -> None:
    taken = project.told("checkpoint", "create")["id"]
    project.die_after(1, "apply", given=AGENT)
    assert project.texts() == ["AGENT\n", "one\n"]
    restored = project.told("checkpoint", "restore", taken)
    assert project.texts() == ["one\n", "one\n"]
    listed = project.holdfast("changes", "list", "--json")
    assert (listed.code, listed.err) == (0, "")
    assert project.texts() == ["one\n", "one\n"]
    assert outcomes(restored) == [("batch", "finished")]
    assert recovered_events(project) == [("batch", "finished")]


LOOKING = [
    ["changes", "list"],
    ["changes", "show", "CHANGE"],
    ["checkpoint", "list"],
    ["checkpoint", "show", "CHECKPOINT"],
    ["checkpoint", "diff", "CHECKPOINT"],
    ["checkpoint", "diff", "CHECKPOINT", "CHECKPOINT"],
    ["apply", "--check"],
    ["rules", "list"],
    ["decisions", "list"],
    ["events"],
]


def test_a_command_that_only_looks_says_what_is_open_and_leaves_it_so(project: Project) -> None:
    taken = project.told("checkpoint", "create")["id"]
    project.die_after(1, "apply", given=AGENT)
    change = project.told("changes", "list")["changes"][0]["id"]
    before = project.tree(), [file.read_bytes() for file in journal_files(project)]
    for command in LOOKING:
        words = [{"CHANGE": change, "CHECKPOINT": taken}.get(word, word) for word in command]
        ran = project.holdfast(*words, "--json", given=reply("new\n", "new.txt"))
        assert ran.code == 0, (words, ran.out, ran.err)
        assert "an apply, begun at " in ran.err, words
        assert ran.err.endswith("was interrupted; the next command that writes settles it.\n")
        if command != ["events"]:
            (entry,) = ran.told["open"]
            assert (entry["kind"], entry["id"]) == ("batch", change)
            assert sorted(entry) == ["begun_at", "id", "kind", "message"]
    now = project.tree(), [file.read_bytes() for file in journal_files(project)]
    assert now == before
    assert outcomes(project.told("checkpoint", "create")) == [("batch", "finished")]
    assert project.texts() == ["AGENT\n", "AGENT\n"]
    listed = project.holdfast("changes", "list", "--json")
    assert (listed.err, "open" in listed.told) == ("", False)
    assert [each["state"] for each in listed.told["changes"]] == ["applied"]


def test_a_diff_with_the_files_writes_nothing_and_waits_for_no_lock(project: Project) -> None:
    project.write(".gitignore", "*.log\n")
    taken = project.told("checkpoint", "create")["id"]
    project.write("a.txt", "new\n")
    project.write("c.txt", "new\n")
    project.write("d.log", "ignored\n")
    project.path("b.txt").unlink()
    project.git("add", "c.txt")
    before = private_files(project)
    (lock,) = project.state.glob("worktrees/*/lock")
    with lock.open("rb") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        told = project.told("checkpoint", "diff", taken)
    assert [(each["path"], each["status"]) for each in told["files"]] == [
        ("a.txt", "modified"), ("b.txt", "deleted"), ("c.txt", "added"), ("d.log", "added"),
    ]  # fmt: skip
    assert "+new\n" in told["diff"]
    assert private_files(project) == before
    assert project.told("checkpoint", "restore", taken)["kept"] == ["d.log"]
    assert project.told("checkpoint", "diff", taken)["files"] == [
        {"path": "d.log", "status": "added", "added": 1, "removed": 0}
    ]


def private_files(project: Project) -> dict[Path, tuple[bytes, int]]:
    """Return bytes and time of each file in the folders of worktrees."""
    files = [file for file in project.state.glob("worktrees/**/*") if file.is_file()]
    return {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


@pytest.mark.parametrize("damage", ["cut", "version", "kind"])
def test_a_journal_that_cannot_be_read_is_named_by_all_and_nothing_is_written(
    project: Project, damage: str
) -> None:
    taken = project.told("checkpoint", "create")["id"]
    project.die_after(1, "apply", given=AGENT)
    (entry,) = journal_files(project)
    if damage == "cut":
        entry.write_bytes(entry.read_bytes()[:-1])
    elif damage == "version":
        entry.write_bytes(entry.read_bytes().replace(b'"version": 3', b'"version": 4'))
    else:
        entry = entry.rename(entry.with_suffix(".newer"))
    before = project.tree()
    for words in (["apply"], ["undo"], ["checkpoint", "create"], ["checkpoint", "restore", taken]):
        ran = project.holdfast(*words, "--json", given=reply("other\n", "a.txt"))
        assert ran.why.startswith(f"{entry}: this journal is damaged"), (words, ran.out)
    listed = project.holdfast("changes", "list", "--json")
    assert listed.code == 0
    assert [each["kind"] for each in listed.told["open"]] == ["damaged"]
    assert f"{entry}: this journal is damaged" in listed.err
    assert project.tree() == before


def test_a_part_of_the_worktree_and_the_whole_have_one_lock_and_one_journal(
    project: Project,
) -> None:
    project.write("src/c.txt", "one\n")
    project.write("src/d.txt", "one\n")
    taken = project.told("checkpoint", "create")["id"]
    agent = reply("AGENT\n", "c.txt", "d.txt")
    project.die_after(1, "apply", "--root", "src", given=agent)
    assert project.texts("src/c.txt", "src/d.txt") == ["AGENT\n", "one\n"]
    assert outcomes(project.told("checkpoint", "restore", taken)) == [("batch", "finished")]
    project.told("apply", "--root", "src", given=reply("two\n", "c.txt"))
    assert project.texts("src/c.txt", "src/d.txt") == ["two\n", "one\n"]


def test_a_batch_that_could_not_be_settled_is_dropped_by_a_restore(project: Project) -> None:
    taken = project.told("checkpoint", "create")["id"]
    project.die_after(1, "apply", given=AGENT)
    # The store is away: the files can be finished, and that cannot be recorded.
    store = project.state / "holdfast.sqlite3"
    store.rename(project.state / "away")
    store.mkdir()
    blocked = project.holdfast("apply", "--json", given=reply("other\n", "a.txt"))
    assert blocked.code == 1
    assert outcomes(project.told("checkpoint", "restore", taken)) == [("batch", "stopped")]
    assert project.texts() == ["one\n", "one\n"]
    store.rmdir()
    (project.state / "away").rename(store)
    dropped = project.told("checkpoint", "create")
    assert outcomes(dropped) == [("batch", "dropped")]
    message = dropped["recovered"][0]["message"]
    saved = Path(message.rpartition(" are kept in ")[2].removesuffix("."))
    assert sorted(file.name for file in saved.iterdir()) == [
        "1.new.a.txt", "1.old.a.txt", "2.new.b.txt", "2.old.b.txt",
    ]  # fmt: skip
    assert project.texts() == ["one\n", "one\n"]
    assert [each["state"] for each in project.told("changes", "list")["changes"]] == ["rejected"]
    assert recovered_events(project) == [("batch", "dropped")]
    assert [file.suffix for file in journal_files(project)] == [".done"]


def test_the_journals_of_release_0_1_are_taken_over(project: Project) -> None:
    taken = project.told("checkpoint", "create")["id"]
    project.die_after(1, "apply", given=AGENT)
    (entry,) = journal_files(project)
    older = project.state / "roots" / _hash(project.root)
    older.mkdir(parents=True)
    head, _, body = entry.read_bytes().partition(b"\n")
    fields = json.loads(head)
    assert fields.pop("root") == "."
    del fields["begun_at"]
    (older / "committed").write_bytes(json.dumps(fields | {"version": 2}).encode() + b"\n" + body)
    entry.unlink()
    assert outcomes(project.told("checkpoint", "restore", taken)) == [("batch", "finished")]
    assert project.texts() == ["one\n", "one\n"]
    assert list(older.iterdir()) == []


def test_a_restore_that_is_older_than_another_one_is_dropped(project: Project) -> None:
    first = project.told("checkpoint", "create")["id"]
    project.write("a.txt", "two\n")
    second = project.told("checkpoint", "create")["id"]
    project.write("a.txt", "three\n")
    project.die_in_restore(first)
    (entry,) = journal_files(project)
    assert entry.suffix == ".restore"
    kept = entry.read_bytes()
    assert outcomes(project.told("checkpoint", "restore", second)) == [("restore", "finished")]
    # As on a disk that has lost the removal of the entry.
    entry.write_bytes(kept)
    dropped = project.told("apply", given=reply("new\n", "c.txt"))
    assert outcomes(dropped) == [("restore", "dropped")]
    assert dropped["recovered"][0]["message"] == (
        f"an earlier restore of {first} was stopped halfway, and files were restored since: it is dropped."
    )
    assert project.texts("a.txt", "b.txt", "c.txt") == ["two\n", "one\n", "new\n"]
    assert [file.suffix for file in journal_files(project)] == [".done"]


def test_a_restore_in_the_journal_of_release_0_1_is_taken_over_and_finished(
    project: Project,
) -> None:
    taken = project.told("checkpoint", "create")["id"]
    project.write("a.txt", "two\n")
    project.die_in_restore(taken)
    (entry,) = journal_files(project)
    fields = json.loads(entry.read_bytes())
    del fields["sha256"], fields["begun_at"]
    older = project.path(".git/holdfast/restores")
    older.mkdir(parents=True)
    (older / f"{fields['undo_id']}.json").write_text(json.dumps(fields | {"version": 1}))
    entry.unlink()
    assert outcomes(project.told("apply", given=reply("new\n", "c.txt"))) == [
        ("restore", "finished")
    ]
    assert project.texts("a.txt", "b.txt", "c.txt") == ["one\n", "one\n", "new\n"]
    assert list(older.iterdir()) == []


def test_a_text_on_record_that_is_damaged_is_named_and_nothing_is_written(
    project: Project,
) -> None:
    project.told("apply", given=reply("two\n", "a.txt"))
    change = project.told("changes", "list")["changes"][0]["id"]
    with closing(sqlite3.connect(project.state / "holdfast.sqlite3")) as store, store:
        (files,) = store.execute("select files from changes").fetchone()
        plan = json.loads(files)
        plan["swaps"][0]["after"]["delta"] = "AAAA"
        store.execute("update changes set files = ?", [json.dumps(plan)])
    for words in (["undo"], ["changes", "rewind", change], ["changes", "show", change]):
        ran = project.holdfast(*words, "--json")
        assert ran.code == 1, (words, ran.out, ran.err)
        assert (
            f"change {change}: a.txt: the text on record is damaged; put a copy of the store back, or "
            "forget the change with `holdfast changes prune`."
        ) in ran.out + ran.err, words
    assert project.texts() == ["two\n", "one\n"]
    project.told("changes", "prune", "--keep", "0")
    assert project.told("changes", "list")["changes"] == []


def _hash(path: Path) -> str:
    return hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32]


def test_a_worktree_that_is_moved_after_a_crash_is_settled_where_it_is(project: Project) -> None:
    project.die_after(1, "apply", given=AGENT)
    moved = project.root.with_name("moved")
    project.root.rename(moved)
    settled = project.holdfast("apply", "--json", given=reply("two\n", "c.txt"), root=moved)
    assert settled.code == 0, (settled.out, settled.err)
    assert outcomes(settled.told) == [("batch", "finished")]
    texts = [(moved / name).read_text() for name in ("a.txt", "b.txt", "c.txt")]
    assert texts == ["AGENT\n", "AGENT\n", "two\n"]
    assert not project.root.exists()


@pytest.mark.parametrize("words", [("gc",), ("sessions", "delete", "SESSION", "--yes")])
def test_commands_that_remove_say_what_they_have_finished_first(
    project: Project, words: tuple[str, ...]
) -> None:
    with ScriptedServer([], otherwise=say("Done.")) as server:
        model = ("--base-url", server.base_url, "--model", "scripted")
        session = project.holdfast("run", "Look.", "--json", *model)
    ended = json.loads(session.out.splitlines()[-1])
    project.die_after(1, "apply", "-", given=reply("AGENT\n"))
    named = [ended["session"] if word == "SESSION" else word for word in words]
    ran = project.holdfast(*named, "--json")
    assert (ran.code, project.texts()) == (0, ["AGENT\n", "AGENT\n"]), ran
    assert "an earlier command here was stopped halfway: it is now finished (2 files)." in ran.err
    assert [each["outcome"] for each in ran.told["recovered"]] == ["finished"]
