"""The number of a command's last event, in its JSON."""

from __future__ import annotations

import json

import pytest

from tests.cli.project import Project, Ran, block

pytestmark = pytest.mark.integration

EDIT = block("a.py", "x = 1", "x = 2")


def run(project: Project, *words: str, reply: str = "") -> Ran:
    return project.run(*words, "--root", str(project.root), "--json", reply=reply)


def last_event(project: Project) -> int:
    """Return the number of the last event in the log."""
    lines = run(project, "events").out.splitlines()
    return int(json.loads(lines[-1])["seq"])


def test_apply_and_undo_print_the_number_of_their_last_event(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    applied = run(project, "apply", reply=EDIT)
    assert (applied.told["seq"], last_event(project)) == (3, 3)
    undone = run(project, "undo")
    assert (undone.told["seq"], last_event(project)) == (4, 4)


def test_a_check_and_a_refusal_publish_nothing(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    assert run(project, "apply", "--check", reply=EDIT).told["seq"] is None
    assert run(project, "undo").told["seq"] is None
    refused = run(project, "apply", reply=block("a.py", "y = 1", "y = 2"))
    assert (refused.code, refused.told["seq"]) == (1, None)


def test_changes_print_the_number_of_their_last_event(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    first = run(project, "changes", "propose", reply=EDIT).told["id"]
    applied = run(project, "changes", "apply", first)
    assert (applied.told["seq"], last_event(project)) == (4, 4)
    rewound = run(project, "changes", "rewind", first)
    assert (rewound.told["seq"], last_event(project)) == (5, 5)
    second = run(project, "changes", "propose", reply=EDIT).told["id"]
    rejected = run(project, "changes", "reject", second)
    assert (rejected.told["seq"], last_event(project)) == (8, 8)
    again = run(project, "changes", "reject", second)
    assert (again.code, again.told["seq"]) == (1, None)


def test_checkpoints_print_the_number_of_their_last_event(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    created = run(project, "checkpoint", "create")
    assert (created.told["event_seq"], last_event(project)) == (1, 1)
    project.write("a.py", b"x = 2\n")
    restored = run(project, "checkpoint", "restore", created.told["id"])
    assert (restored.told["seq"], last_event(project)) == (2, 2)
    undone = run(project, "checkpoint", "undo")
    assert (undone.told["seq"], last_event(project)) == (3, 3)
    pruned = run(project, "checkpoint", "prune", "--keep", "0")
    assert (pruned.told["seq"], last_event(project)) == (4, 4)
    assert run(project, "checkpoint", "prune").told["seq"] is None
    refused = run(project, "checkpoint", "restore", created.told["id"])
    assert (refused.code, refused.told["seq"]) == (1, None)


def test_the_order_of_a_checkpoint_is_not_the_number_of_its_event(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    run(project, "apply", reply=EDIT)
    created = run(project, "checkpoint", "create").told
    shown = run(project, "checkpoint", "show", created["id"]).told
    assert (created["seq"], created["event_seq"]) == (shown["seq"], 4)
    assert "event_seq" not in shown


@pytest.mark.slow
def test_repair_prints_the_number_of_the_last_event_of_all_files(project: Project) -> None:
    project.write("a.py", b"x = 1\n")
    assert run(project, "repair", "--no-model", "a.py").told["seq"] is None
    project.write("b.py", b"def f(:\n    pass\n")
    project.write("c.py", b"def g(:\n    pass\n")
    assert run(project, "repair", "--no-model", "--dry-run", "b.py").told["seq"] is None
    repaired = run(project, "repair", "--no-model", "b.py", "c.py", "a.py")
    last = json.loads(repaired.out.splitlines()[-1])
    assert (last["seq"], last_event(project)) == (2, 2)
