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
