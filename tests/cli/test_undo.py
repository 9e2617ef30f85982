"""`holdfast undo`, as a person and as a program see it."""

from __future__ import annotations

import json
import re

import pytest

from tests.cli.project import Project

pytestmark = pytest.mark.integration


def test_undo_says_what_it_did(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    project.write("b.py", b"y\n")
    requests = [
        {"path": "a.py", "old": "x = 1", "new": "x = 2"},
        {"path": "b.py", "delete": True},
        {"path": "c.py", "content": "z\n"},
    ]
    project.apply(json.dumps(requests))
    ran = project.undo()
    change, files = ran.out.split("\n", 1)
    assert re.fullmatch(r"undid change [0-9a-f]{12}: apply, just now, 3 files", change)
    assert (ran.code, files) == (0, "removed c.py\nrestored a.py\nbrought back b.py\n")
    assert project.files() == {"a.py": b"x = 1\n", "b.py": b"y\n"}


def test_undo_as_json(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    project.apply('{"path": "a.py", "old": "x = 1", "new": "x = 2"}')
    ran = project.undo("--json")
    assert (ran.code, ran.told) == (
        0,
        {
            "outcome": "undone",
            "files": [{"path": "a.py", "action": "restored"}],
            "refusals": [],
            "seq": 4,
            "change_ids": ran.told["change_ids"],
            "turn_id": None,
        },
    )
    ran = project.undo("--json")
    assert (ran.code, ran.told["outcome"], ran.told["refusals"][0]["reason"]) == (
        1,
        "refused",
        "not_found",
    )


def test_undo_of_nothing_is_a_sentence(project: Project) -> None:
    ran = project.undo()
    assert (ran.code, ran.out) == (
        1,
        "Refused (not_found): there is nothing to undo: no apply below this root is on record.\nNo file was changed.\n",
    )


def test_only_the_apply_is_taken_out_of_a_file_that_was_edited_since(project: Project) -> None:
    file = project.write("a.py", b"x = 1\ny = 1\nz = 1\n")
    project.apply('{"path": "a.py", "old": "x = 1", "new": "x = 2"}')
    file.write_bytes(b"x = 2\ny = 1\nz = 7\n")
    ran = project.undo()
    assert (ran.code, ran.out.split("\n", 1)[1]) == (0, "restored a.py\n")
    assert project.files() == {"a.py": b"x = 1\ny = 1\nz = 7\n"}


def test_a_file_whose_very_lines_were_edited_since_is_named_with_the_cure(project: Project) -> None:
    file = project.write("a.py", b"x = 1\n")
    project.apply('{"path": "a.py", "old": "x = 1", "new": "x = 2"}')
    file.write_bytes(b"x = 3\n")
    ran = project.undo()
    assert ran.code == 1
    assert (
        "a.py: this is no longer what the last apply left (later edits touch the same lines); remove its"
        in ran.out
    )
    assert project.files() == {"a.py": b"x = 3\n"}
