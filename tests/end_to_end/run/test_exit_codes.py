"""Why a turn ended is its exit code, and the last line of `--json` says the same."""

from __future__ import annotations

import pytest

from holdfast.testing import Reply, ScriptedServer, call, fail, say
from tests.end_to_end.run.project import Project, finish, read_until

pytestmark = pytest.mark.e2e

ENDS: dict[str, tuple[int, str, list[Reply], list[str]]] = {
    "done": (0, "done", [say("Nothing to do.")], []),
    "failed": (1, "failed", [fail(422, "no such thing")] * 9, []),
    "a command that somebody must allow": (
        3,
        "needs_approval",
        [call("run_command", command="touch z")],
        [],
    ),
    "a file with secrets": (3, "needs_approval", [call("read_file", path=".env")], []),
    "mistakes": (10, "mistakes", [call("no_such_tool", number=number) for number in range(6)], []),
    "a loop": (11, "loop", [call("read_file", path="a.py")] * 6, []),
    "the cap": (
        12,
        "cap",
        [call("read_file", path="a.py"), say("One step is over.")],
        ["--max-steps", "1"],
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_each_end_has_its_exit_code(project: Project, name: str) -> None:
    code, stop_reason, script, words = ENDS[name]
    project.write(".env", "PASSWORD=geheim\n")
    with ScriptedServer(script) as server:
        ran = project.run("Do it.", *words, server=server)
    ended = ran.ended
    assert (ran.code, ended["exit_code"], ended["stop_reason"]) == (code, code, stop_reason), ran
    assert ended["continue"] == (None if code == 0 else ended["session"])
    assert ended["checkpoint_id"]
    assert not (project.root / "z").exists()
    assert "geheim" not in ran.out + ran.err


def test_wrong_usage_is_2(project: Project) -> None:
    ran = project.run("Do it.", "--nope", server=None)
    assert (ran.code, ran.out) == (2, "")
    assert "No such option: --nope" in ran.err


def test_settings_that_cannot_be_read_are_2(project: Project) -> None:
    project.write(".holdfast/config.toml", 'modle = "x"\napi_key = "sk-geheim"\n')
    ran = project.run("Do it.", server=None)
    assert (ran.code, ran.out) == (2, "")
    assert "modle: there is no such setting; did you mean model?" in ran.err
    assert "api_key: not read from a project's file" in ran.err
    assert "geheim" not in ran.err


def test_where_nothing_listens_it_is_13(project: Project) -> None:
    ran = project.run("Do it.", "--base-url", "http://127.0.0.1:9/v1", server=None)
    assert (ran.code, ran.ended["stop_reason"], ran.ended["exit_code"]) == (13, "unreachable", 13)
    assert ran.ended["session"] is None
    assert "nothing answers at http://127.0.0.1:9/v1" in ran.err


def test_a_server_that_disappears_in_mid_turn_is_13_and_the_next_step_is_printed(
    project: Project,
) -> None:
    with (
        ScriptedServer([call("read_file", path="a.py")]) as server,
        project.running("Do it.", server=server) as process,
    ):
        read_until(process.stdout, "call_started")
        server.close()
        ran = finish(process)
    assert (ran.code, ran.ended["stop_reason"]) == (13, "unreachable")
    assert ran.ended["continue"] == ran.session


@pytest.mark.parametrize("key", ["", "sk-not-this-one"])
def test_a_key_that_is_missing_or_wrong_is_3(project: Project, key: str) -> None:
    with ScriptedServer([say("Hello.")], key="sk-the-right-one") as server:
        ran = project.run("Do it.", server=server, HOLDFAST_API_KEY=key)
        assert (ran.code, ran.ended["stop_reason"]) == (3, "needs_login")
        assert "HOLDFAST_API_KEY" in ran.err
        assert "sk-" not in ran.out + ran.err
        right = project.run("Do it.", server=server, HOLDFAST_API_KEY="sk-the-right-one")
    assert right.code == 0


def test_a_key_that_the_model_says_is_not_shown_or_recorded(project: Project) -> None:
    key = "sk-the-right-one"
    replies = [call("write_file", path="a.txt", text=f"{key}\n"), say(f"Your key is {key}.")]
    with ScriptedServer(replies) as server:
        ran = project.run("Do it.", "--json", server=server, HOLDFAST_API_KEY=key)
    assert ran.code == 0, ran
    assert "Your key is [a key of Holdfast, not shown]." in ran.out
    assert key not in ran.out + ran.err
    states = [path for path in project.state.rglob("*") if path.is_file()]
    assert not [path for path in states if key.encode() in path.read_bytes()]
