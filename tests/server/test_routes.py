"""Every other route: sessions, changes, diffs, files, worktrees, settings, decisions."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from holdfast.testing import ScriptedServer, call, say
from tests.server.conftest import GIT
from tests.server.harness import RunningServer

pytestmark = pytest.mark.slow  # each starts a server and runs turns: `make quick` does without

LONG = "".join(f"line {number}\n" for number in range(60))


@pytest.fixture
def script() -> Any:
    def answer(request: Any) -> Any:
        last = request.messages[-1]
        words = str(last.get("content")).strip().splitlines()[0]
        if last["role"] == "tool" or not words.startswith("write "):
            return say("Done.")
        text = LONG.replace("line 3\n", "three\n").replace("line 50\n", "fifty\n")
        return call("write_file", path=words.split()[1], content=text)

    return answer


def test_sessions_are_listed_searched_renamed_archived_and_deleted(server: RunningServer) -> None:
    one = server.new_session(title="about lions")
    other = server.new_session(title="about bears")
    server.turn(one, "hello")
    listed = server.get("/sessions")
    assert [each["id"] for each in listed["sessions"]] == [one, other]
    assert listed["total"] == 2
    assert [each["id"] for each in server.get("/sessions", q="BEARS")["sessions"]] == [other]
    assert server.get("/sessions", limit=1)["next_offset"] == 1
    assert server.patch(f"/sessions/{one}", {"title": "cats"})["title"] == "cats"
    assert server.patch(f"/sessions/{one}", {"mode": "plan", "model": "m"})["mode"] == "plan"
    server.patch(f"/sessions/{one}", {"archived": True})
    assert [each["id"] for each in server.get("/sessions")["sessions"]] == [other]
    archived = server.get("/sessions", state="archived")["sessions"]
    assert [each["id"] for each in archived] == [one]
    assert server.delete(f"/sessions/{one}")["outcome"] == "deleted"
    assert server.get(f"/sessions/{one}", 404)["code"] == "not_found"
    assert server.patch(f"/sessions/{other}", {"title": "  "}, 422)["code"] == "invalid"
    assert server.patch(f"/sessions/{other}", {"name": "x"}, 422)["code"] == "invalid"


def test_an_agent_that_is_not_there_begins_no_session(server: RunningServer) -> None:
    told = server.post("/sessions", {"agent": "nobody"}, 422)
    assert "there is no such agent" in told["detail"]


def test_the_transcript_comes_by_pages(server: RunningServer) -> None:
    session = server.new_session()
    for number in range(3):
        server.turn(session, f"prompt {number}")
    first = server.get(f"/sessions/{session}/messages", limit=4)
    rest = server.get(f"/sessions/{session}/messages", limit=4, before=first["before"])
    texts = [each["text"] for each in first["messages"] + rest["messages"]]
    assert texts == ["Done.", "prompt 2", "Done.", "prompt 1", "Done.", "prompt 0"]
    assert rest["before"] is None


def test_the_timeline_comes_by_pages_newest_first(server: RunningServer) -> None:
    session = server.new_session()
    for number in range(2):
        server.turn(session, f"prompt {number}")
    whole = server.get(f"/sessions/{session}/timeline")
    kinds = [each["kind"] for each in whole["events"]]
    assert kinds == ["turn_ended", "checkpoint_taken"] * 2
    assert whole["before"] is None
    first = server.get(f"/sessions/{session}/timeline", limit=3)
    rest = server.get(f"/sessions/{session}/timeline", before=first["before"])
    assert first["events"] + rest["events"] == whole["events"]


def test_a_proposed_change_is_applied_in_part_and_rejected_with_a_reason(
    server: RunningServer, root: Path, model: ScriptedServer
) -> None:
    (root / "long.txt").write_text(LONG)
    session = server.new_session(mode="review")
    server.turn(session, "write long.txt")
    (change,) = server.get(f"/sessions/{session}/changes")["changes"]
    assert (change["state"], change["session"]) == ("proposed", session)
    assert server.get(f"/sessions/{session}")["proposed"] == 1
    whole = server.get(f"/changes/{change['id']}")
    assert [each["number"] for each in whole["hunks"]] == [1, 2]
    assert server.get(f"/changes/{change['id']}", hunks=False)["hunks"] == []
    page = server.get(f"/changes/{change['id']}/hunks", **{"from": 2, "count": 5})
    assert page == {"hunks": whole["hunks"][1:], "total": 2}
    wrong = server.post(f"/changes/{change['id']}/apply", {"hunks": [7]}, 409)
    assert wrong["refusals"][0]["reason"] == "out_of_bounds"
    applied = server.post(f"/changes/{change['id']}/apply", {"hunks": [1]})
    assert "three" in (root / "long.txt").read_text()
    assert "fifty" not in (root / "long.txt").read_text()
    body = {"reason": "not fifty"}
    assert server.post(f"/changes/{applied['rest']}/reject", body)["outcome"] == "rejected"
    assert server.get(f"/sessions/{session}")["proposed"] == 0
    server.turn(session, "go on")
    assert "not fifty" in str(model.requests[-1].messages[-1])
    assert server.post(f"/changes/{applied['rest']}/apply", {}, 409)["code"] == "refused"
    assert server.get("/changes/0000aaaa", 404)["code"] == "not_found"


def test_a_hunk_of_an_applied_change_is_taken_out_and_the_rest_rewound(
    server: RunningServer, root: Path
) -> None:
    (root / "long.txt").write_text(LONG)
    session = server.new_session()
    server.turn(session, "write long.txt")
    (change,) = server.get(f"/sessions/{session}/changes")["changes"]
    out = server.post(f"/changes/{change['id']}/reject", {"hunks": [2]})
    assert out["outcome"] == "rewound"
    assert (root / "long.txt").read_text() == LONG.replace("line 3\n", "three\n")
    newest = server.get(f"/sessions/{session}/changes")["changes"][0]["id"]
    server.post(f"/changes/{newest}/rewind")
    server.post(f"/changes/{change['id']}/rewind")
    assert (root / "long.txt").read_text() == LONG


def test_a_hunk_of_a_proposed_change_is_rejected_and_the_rest_stays_proposed(
    server: RunningServer, root: Path
) -> None:
    (root / "long.txt").write_text(LONG)
    session = server.new_session(mode="review")
    server.turn(session, "write long.txt")
    (change,) = server.get(f"/sessions/{session}/changes")["changes"]
    server.post(f"/changes/{change['id']}/reject", {"hunks": [1]})
    proposed = [
        each
        for each in server.get(f"/sessions/{session}/changes")["changes"]
        if each["state"] == "proposed"
    ]
    assert len(proposed) == 1
    server.post(f"/changes/{proposed[0]['id']}/apply", {})
    assert (root / "long.txt").read_text() == LONG.replace("line 50\n", "fifty\n")


def test_the_diff_of_a_session_and_a_file_then_and_now(server: RunningServer, root: Path) -> None:
    (root / "long.txt").write_text(LONG)
    session = server.new_session()
    sent = server.turn(session, "write long.txt")
    for against in ("base", f"turn:{sent['turn_id']}"):
        diff = server.get(f"/sessions/{session}/diff", against=against)
        assert [(each["path"], each["added"]) for each in diff["files"]] == [("long.txt", 2)]
        assert diff["total"] == len(diff["hunks"]) == 2
    cut = server.get(f"/sessions/{session}/diff", count=1, path="long.txt")
    assert (len(cut["hunks"]), cut["total"]) == (1, 2)
    now = server.get(f"/sessions/{session}/files/long.txt")
    then = server.get(f"/sessions/{session}/files/long.txt", at="base")
    assert "three" in now["text"]
    assert then["text"] == LONG
    assert server.get(f"/sessions/{session}/files/none.txt", 404)["code"] == "not_found"
    assert server.get(f"/sessions/{session}/diff", 404, against="turn:abc")["code"] == "not_found"
    assert server.get(f"/sessions/{session}/diff", 422, against="HEAD~1")["code"] == "invalid"
    assert server.get(f"/sessions/{session}/ledger")["modified"] == ["long.txt"]


def test_a_worktree_is_made_updated_merged_and_removed(server: RunningServer, root: Path) -> None:
    session = server.new_session(place="worktree", title="apart")
    (worktree,) = server.get("/worktrees")["worktrees"]
    assert (worktree["session"], worktree["state"]) == (session, "there")
    server.turn(session, "write new.txt")
    assert not (root / "new.txt").exists()
    (root / "b.py").write_text("y = 1\n")
    for words in (["add", "b.py"], ["commit", "-qm", "two"]):
        subprocess.run([*GIT, *words], cwd=root, check=True)
    assert server.post(f"/worktrees/{session}/update")["outcome"] == "updated"
    merged = server.post(f"/worktrees/{session}/merge", {})
    assert merged["outcome"] == "proposed"
    server.post(f"/changes/{merged['change_id']}/apply", {})
    assert (root / "new.txt").read_text() != ""
    removed = server.delete(f"/worktrees/{session}", force=True)
    assert removed["outcome"] == "removed"
    assert not Path(removed["path"]).exists()
    assert server.post("/worktrees/nosuch/update", status=404)["code"] == "not_found"


def test_a_fork_is_a_session_of_its_own_and_leaves_the_other_alone(
    server: RunningServer, root: Path
) -> None:
    session = server.new_session(title="first")
    server.turn(session, "write one.txt")
    server.turn(session, "write two.txt")
    page = server.get(f"/sessions/{session}/messages")["messages"]
    fork = server.post(
        f"/sessions/{session}/fork", {"checkpoint_id": page[0]["checkpoint_id"]}, 201
    )
    folder = Path(fork["root"])
    assert {each.name for each in folder.iterdir()} == {"a.py", "one.txt", ".git"}
    copied = [each["text"] for each in server.get(f"/sessions/{fork['id']}/messages")["messages"]]
    assert copied == ["write two.txt", "Done.", "write one.txt"]
    assert (root / "two.txt").exists()
    assert len(server.get(f"/sessions/{session}/messages")["messages"]) == 4


def test_settings_show_no_secret(server: RunningServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLDFAST_API_KEY", "sk-very-secret")
    answer = server.client.get("/api/settings")
    assert answer.json()["settings"]["api_key"]["set"] is True
    assert "sk-very-secret" not in answer.text
    assert server.get("/models")["model"] == "scripted"
    names = [each["name"] for each in server.get("/agents")["agents"]]
    assert names[0] == "holdfast"
    assert "opencode" in names
    assert server.get("/decisions") == {"decisions": [], "problems": []}
    assert server.post("/decisions/abc/pin", {"reason": "x"}, 404)["code"] == "not_found"
    assert server.post("/decisions/abc/unpin", status=404)["code"] == "not_found"


def test_a_key_in_a_message_reaches_no_event(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_API_KEY", "sk-very-secret")
    session = server.new_session()
    server.turn(session, "my key is sk-very-secret")
    assert "sk-very-secret" not in str(server.events())


def test_what_belongs_to_another_session_is_not_found(server: RunningServer, root: Path) -> None:
    (root / "long.txt").write_text(LONG)
    one, other = server.new_session(), server.new_session()
    turn = server.turn(one, "write long.txt")["turn_id"]
    (checkpoint,) = server.get(f"/sessions/{one}/checkpoints")["checkpoints"]
    name = checkpoint["id"]
    for moment in (f"checkpoint:{name}", f"turn:{turn}"):
        diff = server.get(f"/sessions/{other}/diff", 404, against=moment)
        file = server.get(f"/sessions/{other}/files/a.py", 404, at=moment)
        assert (diff["code"], file["code"]) == ("not_found", "not_found")
        assert server.get(f"/sessions/{one}/files/a.py", at=moment)["text"] == "x = 1\n"
    forked = server.post(f"/sessions/{other}/fork", {"checkpoint_id": name}, 404)
    assert forked["code"] == "not_found"
    assert server.get(f"/sessions/{other}/checkpoints/{name}/preview", 404)["code"] == "not_found"


def test_a_body_whose_fields_all_have_defaults_can_be_left_out(
    server: RunningServer, root: Path
) -> None:
    (root / "long.txt").write_text(LONG)
    session = server.new_session(mode="review")
    server.turn(session, "write long.txt")
    (change,) = server.get(f"/sessions/{session}/changes")["changes"]
    assert server.post(f"/changes/{change['id']}/apply")["outcome"] == "applied"
    assert server.post(f"/changes/{change['id']}/reject")["outcome"] == "rewound"
    assert server.post(f"/sessions/{session}/fork", status=201)["place"] == "worktree"


def test_an_address_that_is_not_there_is_a_problem(server: RunningServer) -> None:
    assert server.get("/nothing", 404)["code"] == "not_found"
    assert server.client.put("/api/sessions", json={}).json()["code"] == "method_not_allowed"
    assert server.client.get("/").status_code == 200
