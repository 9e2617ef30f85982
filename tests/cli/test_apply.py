"""`holdfast apply`: notations, files of all kinds, exit codes, JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.project import Project, block
from tests.edit_forms import FOURTH_LINE

DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
FILE_KEYS = ["path", "action", "rung", "similarity", "diff"]
BARE_NUMBERS = [form for form in FOURTH_LINE if '"b"' not in json.dumps(FOURTH_LINE[form])]
WITH_OLD_TEXT = [form for form in FOURTH_LINE if form not in BARE_NUMBERS]
REFUSAL_KEYS = ["path", "reason", "message", "closest", "candidates"]


@pytest.mark.parametrize(
    ("notation", "reply"),
    [
        ("diff", DIFF),
        ("blocks", block("a.py", "x = 1", "x = 2")),
        ("patch", "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"),
        ("json", '{"path": "a.py", "old": "x = 1", "new": "x = 2"}'),
        (
            "json",
            '{"path": "a.py", "edits": [{"range": {"start": 1, "end": 1}, "oldText": "x = 1", "newText": "x = 2"}]}',
        ),
    ],
)
def test_every_notation_lands_by_itself_and_by_name(
    project: Project, notation: str, reply: str
) -> None:
    for options in ([], ["--format", notation]):
        project.write("a.py", b"x = 1\n")
        assert project.apply(reply, *options).code == 0
        assert project.files() == {"a.py": b"x = 2\n"}


@pytest.mark.parametrize("form", WITH_OLD_TEXT)
def test_every_form_of_an_edit_lands_on_the_line_that_it_names(project: Project, form: str) -> None:
    project.write("a.py", b"a\nb\nc\nb\ne\n")
    assert project.apply(json.dumps(FOURTH_LINE[form])).code == 0
    assert project.files() == {"a.py": b"a\nb\nc\nB\ne\n"}


@pytest.mark.parametrize("form", WITH_OLD_TEXT)
def test_an_edit_without_a_list_lands_in_the_same_forms(project: Project, form: str) -> None:
    value = FOURTH_LINE[form]
    (edit,) = value.get("edits") or value["changes"]
    project.write("a.py", b"a\nb\nc\nb\ne\n")
    path = {} if "file" in edit else {"path": "a.py"}
    assert project.apply(json.dumps(path | edit)).code == 0
    assert project.files() == {"a.py": b"a\nb\nc\nB\ne\n"}


@pytest.mark.parametrize("form", BARE_NUMBERS)
def test_numbers_without_the_old_text_are_refused_as_the_file_was_not_shown(
    project: Project, form: str
) -> None:
    project.write("a.py", b"a\nb\nc\nb\ne\n")
    ran = project.apply(json.dumps(FOURTH_LINE[form]))
    assert ran.code == 1
    assert ran.out.startswith("Refused (stale): a.py: ")


@pytest.mark.parametrize(
    "edit",
    [
        {"start_line": 4, "start": 3, "new": "B"},
        {"range": [4, 4], "start_line": 4, "new": "B"},
        {"range": [4, 4], "lines": [3, 3], "new": "B"},
        {"start_line": 4, "end_line": 4, "old_text": "b", "find": "c", "new": "B"},
        {"start_line": "four", "new": "B"},
        {"code": "B"},
    ],
)
def test_an_edit_with_two_names_for_a_field_or_a_name_that_is_not_known_is_refused(
    project: Project, edit: dict[str, object]
) -> None:
    project.write("a.py", b"a\nb\nc\nb\ne\n")
    assert project.apply(json.dumps({"path": "a.py", "edits": [edit]})).code == 1
    assert project.files() == {"a.py": b"a\nb\nc\nb\ne\n"}


def test_a_reply_in_another_notation_than_the_named_one_is_refused(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    assert project.apply(DIFF, "--format", "json").code == 1
    assert project.files() == {"a.py": b"x = 1\n"}


def test_the_reply_may_be_a_file(project: Project, tmp_path: Path) -> None:
    project.write("a.py", b"x = 1\n")
    reply = tmp_path / "reply.diff"
    reply.write_text(DIFF)
    assert project.run("apply", str(reply), "--root", str(project.root)).code == 0
    assert project.files() == {"a.py": b"x = 2\n"}


def test_the_root_is_here_if_none_is_named(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("a.py", b"x = 1\n")
    monkeypatch.chdir(project.root)
    assert project.run("apply", "-", reply=DIFF).code == 0
    assert project.files() == {"a.py": b"x = 2\n"}


def test_a_reply_that_powershell_redirected_is_read(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    assert project.apply(DIFF.replace("\n", "\r\n").encode("utf-16")).code == 0
    assert project.files() == {"a.py": b"x = 2\n"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"x = 1\r\ny = 1\r\n", b"x = 2\r\ny = 1\r\n"),
        (b"x = 1\r\ny = 1\nz\r", b"x = 2\r\ny = 1\nz\r"),
        (b"y\nx = 1", b"y\nx = 2"),
        (b"\xef\xbb\xbfx = 1\n", b"\xef\xbb\xbfx = 2\n"),
        (
            "\ufeffx = 1\r\n# é\r\n".encode("utf-16-le"),
            "\ufeffx = 2\r\n# é\r\n".encode("utf-16-le"),
        ),
        ("\ufeffx = 1\n".encode("utf-16-be"), "\ufeffx = 2\n".encode("utf-16-be")),
        (b"# caf\xe9\nx = 1\n", b"# caf\xe9\nx = 2\n"),
        ("# né ".encode() + b"\xff\xe9\nx = 1\n", "# né ".encode() + b"\xff\xe9\nx = 2\n"),
        (b"a\x0cb\xe2\x80\xa8c\nx = 1\n", b"a\x0cb\xe2\x80\xa8c\nx = 2\n"),
    ],
)
def test_encodings_line_endings_and_a_missing_last_newline_survive(
    project: Project, before: bytes, after: bytes
) -> None:
    project.write("a.txt", before)
    assert project.apply(block("a.txt", "x = 1", "x = 2")).code == 0
    assert project.files() == {"a.txt": after}
    assert project.undo().code == 0
    assert project.files() == {"a.txt": before}


def test_a_binary_file_is_refused(project: Project) -> None:
    project.write("a.bin", b"x = 1\n\x00")
    ran = project.apply(block("a.bin", "x = 1", "x = 2"))
    message = "Refused (conflict): a.bin: this is a binary file (there is a NUL in it); only text can be edited."
    assert (ran.code, ran.out) == (1, f"{message}\nNo file was changed.\n")


def test_modes_are_kept(project: Project) -> None:
    file = project.write("a.py", b"x = 1\n", 0o751)
    assert project.apply(DIFF).code == 0
    assert file.stat().st_mode & 0o777 == 0o751


def test_a_link_inside_the_root_is_written_through(project: Project) -> None:
    project.write("real/a.py", b"x = 1\n")
    (project.root / "a.py").symlink_to("real/a.py")
    assert project.apply(DIFF).code == 0
    assert (project.root / "a.py").is_symlink()
    assert (project.root / "real/a.py").read_bytes() == b"x = 2\n"


@pytest.mark.parametrize(
    "path", ["link.py", "linked/a.py", "linked/new.py", ".git/hooks/pre-commit"]
)
def test_a_way_out_of_the_root_or_into_git_is_out_of_bounds(
    project: Project, tmp_path: Path, path: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.py").write_bytes(b"x = 1\n")
    (project.root / "link.py").symlink_to(outside / "a.py")
    (project.root / "linked").symlink_to(outside)
    ran = project.apply(json.dumps({"path": path, "content": "x = 2\n"}), "--json")
    assert (ran.code, ran.told["refusals"][0]["reason"]) == (1, "out_of_bounds")
    assert [(file.name, file.read_bytes()) for file in outside.iterdir()] == [("a.py", b"x = 1\n")]


@pytest.mark.parametrize("path", ["../outside.py", "/tmp/outside.py", "a/../../outside.py"])
@pytest.mark.parametrize("notation", ["json", "diff", "blocks", "patch"])
def test_a_path_that_leaves_the_root_is_refused_in_every_notation(
    project: Project, path: str, notation: str
) -> None:
    replies = {
        "json": json.dumps({"path": path, "content": "x\n"}),
        "diff": f"--- /dev/null\n+++ {path}\n@@ -0,0 +1 @@\n+x\n",
        "blocks": block(path, "", "x"),
        "patch": f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n",
    }
    ran = project.apply(replies[notation], "--json")
    assert ran.code == 1
    assert ran.told["outcome"] == "refused"
    assert set(project.root.parent.iterdir()) <= {project.root, project.state}
    assert project.files() == {}


def test_a_named_pipe_is_refused_and_not_waited_for(project: Project) -> None:
    os.mkfifo(project.root / "a.py")
    ran = project.apply(DIFF)
    assert (ran.code, "named pipe" in ran.out) == (1, True)


def test_many_files_land_or_none(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    project.write("b.py", b"y = 1\n")
    reply = block("a.py", "x = 1", "x = 2") + "\n" + block("b.py", "z = 1", "z = 2")
    assert project.apply(reply).code == 1
    assert project.files() == {"a.py": b"x = 1\n", "b.py": b"y = 1\n"}
    assert project.apply(reply.replace("z =", "y =")).code == 0
    assert project.files() == {"a.py": b"x = 2\n", "b.py": b"y = 2\n"}


def test_a_missing_file_is_refused_with_a_name_that_may_be_meant(project: Project) -> None:
    project.write("src/retry.py", b"x = 1\n")
    ran = project.apply(block("retry.py", "x = 1", "x = 2"))
    assert ran.out == (
        "Refused (not_found): retry.py: there is no such file; did you mean src/retry.py?\nNo file was changed.\n"
    )


def test_json_of_what_landed(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    ran = project.apply(DIFF, "--json")
    assert ran.code == 0
    assert ran.told == {
        "outcome": "landed",
        "files": [
            {"path": "a.py", "action": "edit", "rung": "exact", "similarity": 1.0, "diff": DIFF}
        ],
        "refusals": [],
        "seq": 3,
    }
    assert list(ran.told["files"][0]) == FILE_KEYS
    assert ran.err == ""


def test_json_of_a_rename_says_where_to(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    ran = project.apply('{"path": "a.py", "to": "b/c.py"}', "--json")
    assert [(file["path"], file["action"], file["to"]) for file in ran.told["files"]] == [
        ("a.py", "rename", "b/c.py")
    ]
    assert project.files() == {"b/c.py": b"x = 1\n"}


def test_json_of_a_refusal(project: Project) -> None:
    project.write("a.py", b"x = 1\ny\nx = 1\n")
    ran = project.apply(block("a.py", "x = 1", "x = 2"), "--json")
    assert ran.code == 1
    assert (ran.told["outcome"], ran.told["files"]) == ("refused", [])
    (refusal,) = ran.told["refusals"]
    assert list(refusal) == REFUSAL_KEYS
    assert (refusal["path"], refusal["reason"], refusal["candidates"]) == (
        "a.py",
        "ambiguous",
        [1, 3],
    )


def test_json_of_a_reply_that_cannot_be_read(project: Project) -> None:
    ran = project.apply("no edit at all", "--json")
    assert ran.code == 1
    assert (ran.told["refusals"][0]["path"], ran.told["refusals"][0]["reason"]) == ("", "malformed")


def test_json_carries_bytes_that_are_no_text(project: Project) -> None:
    project.write("a.txt", "→ ".encode() + b"\xe9\nx = 1\n")
    ran = project.apply(block("a.txt", "x = 1", "x = 2"), "--json")
    assert ran.code == 0
    assert "\udce9" in ran.told["files"][0]["diff"]


def test_a_check_says_the_same_and_writes_nothing(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    checked = project.apply(DIFF, "--check", "--json")
    assert project.files() == {"a.py": b"x = 1\n"}
    assert not project.state.exists()
    applied = project.apply(DIFF, "--json")
    assert (checked.code, checked.err) == (applied.code, applied.err)
    # Only that nothing was published differs.
    assert checked.told == applied.told | {"seq": None}
    assert project.apply(DIFF, "--check").code == 1
    assert project.undo().code == 0


def test_a_person_sees_the_diff_and_a_check_says_would(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    assert project.apply(DIFF, "--check").out == f"would be edited a.py\n{DIFF}"
    assert project.apply(DIFF).out == f"edited a.py\n{DIFF}"


def test_a_person_sees_how_it_matched_if_not_exactly(project: Project) -> None:
    project.write("a.py", b"def f():\n\treturn 1\n")
    ran = project.apply(block("a.py", "def f():\n    return 1", "def f():\n    return 2"))
    assert ran.out.splitlines()[0] == "edited a.py (matched ignoring white space)"
    assert "\n-\treturn 1\n+\treturn 2\n" in ran.out


def test_a_warning_is_shown(project: Project) -> None:
    reply = block("a.py", "x = 1", "x = (")
    project.write("a.py", b"x = 1\n")
    assert "warning: the file no longer parses as" in project.apply(reply, "--check").out
    ran = project.apply(reply, "--json")
    assert ran.told["outcome"] == "landed"
    assert "no longer parses" in ran.err


def test_a_reply_cannot_send_commands_to_the_terminal(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    ran = project.apply(block("a.py", "x = 1", "x = '\x1b]0;title\x07'"))
    assert ran.code == 0
    assert "\\x1b]0;title\\x07" in ran.out
    assert "\x1b" not in ran.out


def test_a_wrapped_diff_is_refused_and_unwrapped_on_demand(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    wrapped = f"```diff\n{DIFF}```\n"
    assert project.apply(wrapped).code == 1
    assert project.apply(wrapped, "--unwrap").code == 0


@pytest.mark.parametrize(
    "words",
    [
        ["apply", "--root", "/no/such/directory"],
        ["apply", "--root", __file__],
        ["apply", "/no/such/reply"],
        ["apply", "/"],
        ["apply", "--format", "yaml"],
        ["apply", "--bad"],
        ["apply", "a", "b"],
        ["undo", "--root", "/no/such/directory"],
        ["undo", "extra"],
        ["nonsense"],
        ["--nonsense"],
    ],
)
def test_wrong_usage_is_exit_code_2(project: Project, words: list[str]) -> None:
    ran = project.run(*words, reply=DIFF)
    assert (ran.code, ran.out) == (2, "")
    assert "Usage: holdfast" in ran.err or "Usage: " in ran.err


@pytest.mark.parametrize("reply", [b"", b" \n\t\n", b"\xff\xfe"])
def test_an_empty_reply_is_wrong_usage(project: Project, reply: bytes) -> None:
    ran = project.apply(reply)
    assert (ran.code, ran.out) == (2, "")
    assert "standard input is empty" in ran.err


def test_a_state_directory_that_cannot_be_made_is_a_refusal(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    project.state.write_text("a file")
    ran = project.apply(DIFF, "--json")
    assert (ran.code, ran.told["refusals"][0]["reason"]) == (1, "conflict")
    assert str(project.state) in ran.told["refusals"][0]["message"]
    assert project.files() == {"a.py": b"x = 1\n"}


def test_a_damaged_journal_is_a_refusal_that_names_it(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    project.apply(DIFF)
    (lock,) = project.state.rglob("lock")
    committed = lock.with_name("journal") / "000099.batch"
    committed.write_bytes(b"?")
    ran = project.undo()
    assert ran.code == 1
    assert f"{committed}: this journal is damaged" in ran.out
    assert project.files() == {"a.py": b"x = 2\n"}
