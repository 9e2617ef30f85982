"""Edits of files with secrets: none of them shows a secret, or moves it to a name that is read unasked."""

from __future__ import annotations

import pytest

from holdfast.testing import Reply, ScriptedServer, call, say
from tests.end_to_end.run.project import Project, Ran

pytestmark = pytest.mark.e2e

SECRET = "hunter2-of-this-test"
RENAME = "diff --git a/id_rsa b/{0}\nsimilarity index 100%\nrename from id_rsa\nrename to {0}\n"


def run_turn(project: Project, *script: Reply, approve: str = "ask") -> tuple[Ran, str]:
    """Run a turn; return it, and everything that the model was sent."""
    project.write("id_rsa", f"KEY={SECRET}\n")
    (project.root / "settings.txt").hardlink_to(project.root / "id_rsa")
    with ScriptedServer([*script, say("Done.")]) as server:
        ran = project.run("Go.", "--approve", approve, server=server)
    return ran, "".join(str(request.raw) for request in server.requests)


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(call("write_patch", diff=RENAME.format("plain.txt")), id="rename"),
        pytest.param(
            call("edit_file", path="settings.txt", old="KEY=", new="NAME="), id="hard link"
        ),
    ],
)
@pytest.mark.parametrize("approve", ["ask", "auto"])
def test_an_edit_that_would_make_a_secret_readable_is_asked_for_as_reading_it_is(
    project: Project, edit: Reply, approve: str
) -> None:
    reads = [call("read_file", path=name) for name in ("plain.txt", "settings.txt")]
    ran, sent = run_turn(project, edit, *reads, approve=approve)
    assert SECRET not in sent
    assert "plain.txt" not in project.texts()
    assert project.texts()["settings.txt"] == f"KEY={SECRET}\n"
    if approve == "ask":
        assert ran.code == 3
        asked = [event for event in ran.events if event["kind"] == "approval_asked"]
        assert [event["what"] for event in asked] == ["read"]


def test_a_secret_may_get_another_name_of_a_secret(project: Project) -> None:
    ran, sent = run_turn(project, call("write_patch", diff=RENAME.format("id_dsa")))
    assert ran.code == 0
    assert SECRET not in sent
    assert project.texts()["id_dsa"] == f"KEY={SECRET}\n"


def test_a_whole_new_text_in_the_place_of_a_secret_is_an_edit_like_any_other(
    project: Project,
) -> None:
    ran, sent = run_turn(project, call("write_file", path="settings.txt", text="NAME=1\n"))
    assert ran.code == 0
    assert SECRET not in sent
    assert project.texts()["settings.txt"] == "NAME=1\n"


OTHER = "KEY=hunter3-of-that-test"
UNFIT = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-{1}\n+x\n"


@pytest.mark.parametrize(
    "name", [pytest.param("id_rsa", id="secret"), pytest.param("settings.txt", id="hard link")]
)
@pytest.mark.parametrize("tool", ["edit_file", "apply_edits", "write_patch"])
def test_an_edit_that_does_not_fit_a_secret_shows_no_line_of_it_to_the_model_or_in_the_log(
    project: Project, tool: str, name: str
) -> None:
    edits = {
        "edit_file": call("edit_file", path=name, old=OTHER, new="x"),
        "apply_edits": call("apply_edits", edits=[{"path": name, "old": OTHER, "new": "x"}]),
        "write_patch": call("write_patch", diff=UNFIT.format(name, OTHER)),
    }
    ran, sent = run_turn(project, edits[tool], say("Done."))
    assert "something is open" in sent
    assert SECRET not in sent
    assert SECRET not in ran.out
    assert [each["subject"] for each in ran.ended["unresolved"]] == [name]


def test_a_token_in_a_line_that_an_edit_does_not_fit_is_not_in_the_note_about_that_edit(
    project: Project,
) -> None:
    token = "ghp_" + "a1B2" * 9
    rest = "B = 1\nC = 2\nD = 3\n"
    project.write("settings.py", f"TOKEN = '{token}'\n{rest}")
    edit = call("edit_file", path="settings.py", old=f"TOKEN = 'other'\n{rest}", new="x\n")
    ran, sent = run_turn(project, edit, say("Done."))
    assert "something is open" in sent
    assert token not in sent
    assert token not in ran.out
