"""Where the settings of a run come from, where a key may be sent, and what the prompt of the model contains."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from holdfast.testing import ScriptedServer, call, say
from tests.cli.project import Project
from tests.cli.talk import ended, of_kind, talk, user_file

pytestmark = pytest.mark.integration

KEY = "sk-planted-4711"


@pytest.fixture(autouse=True)
def _own_settings(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    home = project.root.parent / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("HOLDFAST_CONFIG_FILE", str(user_file(project)))
    for name in (
        "HOLDFAST_API_KEY",
        "HOLDFAST_BASE_URL",
        "HOLDFAST_MODEL",
        "HOLDFAST_APPROVE",
        "XDG_CONFIG_HOME",
    ):
        monkeypatch.delenv(name, raising=False)
    project.write("a.py", b"x = 1\ny = 2\n")


# ---------------------------------------------------------------------------------------------------- settings


def test_flag_environment_project_user_and_default_in_this_order(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    user_file(project).write_text('model = "of-user"\n')
    with ScriptedServer([say("Hi.")] * 5, model="of-server") as server:
        monkeypatch.setenv("HOLDFAST_BASE_URL", server.base_url)

        def model_used(*words: str) -> str:
            ran = project.run("run", "Hi.", "--root", str(project.root), "--json", *words)
            return str(of_kind(ran, "turn_started")[0]["model"])

        used = [model_used()]
        project.write(".holdfast/config.toml", b'model = "of-project"\n')
        used.append(model_used())
        monkeypatch.setenv("HOLDFAST_MODEL", "of-environment")
        used += [model_used(), model_used("--model", "of-flag")]
        monkeypatch.delenv("HOLDFAST_MODEL")
        project.write(".holdfast/config.toml", b"")
        user_file(project).write_text("")
        used.append(model_used())
        asked = [request.body["model"] for request in server.requests]
    assert used == asked == ["of-user", "of-project", "of-environment", "of-flag", "of-server"]


def test_config_show_prints_no_escape_and_no_line_of_a_projects_value(project: Project) -> None:
    bad = r"\u001b]0;title\u0007\u001b[2J\u202e\u200b\noverruled: forged"
    lines = [f'{name} = "a{bad}"' for name in ("model", "check", "base_url")]
    lines.append(f'deny_commands = ["rm{bad}"]')
    project.write(".holdfast/config.toml", "\n".join(lines).encode())
    user_file(project).write_text('strictness = "production"\n')
    shown = project.run("config", "show", "--root", str(project.root)).out
    assert not {*"\x1b\x07\u202e\u200b"} & {*shown}
    assert shown.count(r"\x1b]0;title\x07\x1b[2J\u202e\u200b\noverruled: forged") == len(lines)


def test_config_show_says_where_each_value_comes_from(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_API_KEY", KEY)
    project.write(".holdfast/config.toml", b'check = "make test"\n')
    user_file(project).write_text('model = "m"\n')
    shown = project.run("config", "show", "--root", str(project.root), "--json")
    settings = shown.told["settings"]
    assert settings["api_key"] == {
        "value": None,
        "set": True,
        "source": "HOLDFAST_API_KEY",
        "overruled": [],
    }
    assert settings["model"] == {
        "value": "m",
        "set": True,
        "source": str(user_file(project)),
        "overruled": [],
    }
    assert settings["check"]["source"] == str(project.root / ".holdfast/config.toml")
    assert settings["max_steps"] == {
        "value": 200,
        "set": True,
        "source": "default",
        "overruled": [],
    }
    assert shown.told["sandbox"]["kind"] in {"bubblewrap", "landlock", "seatbelt", "none"}
    words = project.run("config", "show", "--root", str(project.root))
    assert "Commands and checks are" in words.out
    assert KEY not in shown.out + words.out + words.err


def test_a_projects_file_does_not_loosen_what_the_user_has_set(project: Project) -> None:
    user_file(project).write_text(
        'deny_commands = ["ls"]\napprove = "review"\nstrictness = "production"\n'
    )
    project.write(
        ".holdfast/config.toml", b'deny_commands = []\napprove = "ask"\nstrictness = "sketch"\n'
    )
    shown = project.run("config", "show", "--root", str(project.root), "--json").told["settings"]
    theirs, mine = str(project.root / ".holdfast/config.toml"), str(user_file(project))
    assert shown["approve"] == {
        "value": "review",
        "set": True,
        "source": mine,
        "overruled": [{"value": "ask", "source": theirs}],
    }
    assert shown["strictness"]["overruled"] == [{"value": "sketch", "source": theirs}]
    assert shown["deny_commands"]["value"] == ["ls"]
    words = project.run("config", "show", "--root", str(project.root)).out
    assert f"overruled: ask  ({theirs})" in words
    script = [
        call("run_command", command="ls"),
        call("write_file", path="n.txt", text="x"),
        say("Done."),
    ]
    with talk(project, script) as run:
        ran = run("Go.")
    assert of_kind(ran, "command_ran") == []
    assert not (project.root / "n.txt").exists()


def test_the_key_is_nowhere_but_in_the_header(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_API_KEY", KEY)
    project.write("notes.txt", f"the key is {KEY}, they say\n".encode())
    project.write("AGENTS.md", f"Use {KEY}.\n".encode())
    script = [
        call("read_file", path="notes.txt"),
        call("search", pattern="the key is"),
        call("run_command", command="env"),
        call("run_command", command="cat notes.txt"),
        call("edit_file", path="notes.txt", old="they say", new="we say"),
        say("Done."),
    ]
    with talk(project, script, key=KEY) as run:
        ran = run(f"Do it with {KEY}.", "--approve", "auto")
        sent = b"".join(request.raw for request in run.server.requests)
        keys = {request.headers["authorization"] for request in run.server.requests}
    assert (ran.code, keys) == (0, {f"Bearer {KEY}"})
    assert KEY.encode() not in sent
    assert KEY not in ran.out + ran.err
    assert f"the key is {KEY}, we say\n".encode() == project.files()["notes.txt"]
    turn = "select body from events union all select body from message_parts union all select metadata from sessions"
    assert not [row for row in _rows(project, turn) if KEY in row]


@pytest.mark.parametrize("command", ["run", "repair"])
def test_the_key_is_not_sent_to_a_server_that_the_projects_file_names(
    project: Project, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("HOLDFAST_API_KEY", KEY)
    words = {"run": ["run", "Hi."], "repair": ["repair", "broken.py"]}[command]
    project.write("broken.py", b"def f(:\n    retrun 1\n")
    with ScriptedServer([say("Hi.")] * 20) as stranger:
        project.write(".holdfast/config.toml", f'base_url = "{stranger.base_url}"\n'.encode())
        untrusted = project.run(*words, "--root", str(project.root))
        assert stranger.requests == []
        assert "Trust it with `holdfast trust`" in untrusted.out + untrusted.err
        withheld = project.run(*words, "--root", str(project.root), "--trust")
        headers = [request.headers for request in stranger.requests]
        assert headers
        assert not [sent for sent in headers if "authorization" in sent or KEY in str(sent)]
        assert (
            f"the key is not sent: only {project.root / '.holdfast/config.toml'} names the server"
            in withheld.err
        )
        named = project.run(*words, "--root", str(project.root), "--base-url", stranger.base_url)
        later = stranger.requests[len(headers) :]
    assert {request.headers["authorization"] for request in later} == {f"Bearer {KEY}"}
    assert "the key is not sent" not in named.err


def test_the_key_is_not_sent_to_ask_which_models_there_are(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_API_KEY", KEY)
    with ScriptedServer([say("Hi.")] * 2, key=KEY) as stranger:
        project.write(".holdfast/config.toml", f'base_url = "{stranger.base_url}"\n'.encode())
        words = ("run", "Hi.", "--root", str(project.root), "--json")
        withheld = project.run(*words, "--trust")
        assert (withheld.code, ended(withheld)["stop_reason"], stranger.requests) == (
            3,
            "needs_login",
            [],
        )
        assert project.run(*words, "--base-url", stranger.base_url).code == 0


def test_config_show_says_that_the_key_is_withheld(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_API_KEY", KEY)
    place = ("--root", str(project.root))
    withheld = project.run("config", "show", *place, "--json").told["key_withheld"]
    assert withheld.startswith("the key is not sent: no setting names the server")
    project.write(".holdfast/config.toml", b'base_url = "http://127.0.0.1:9/v1"\n')
    why = project.run("config", "show", *place, "--json").told["key_withheld"]
    assert why.startswith(
        f"the key is not sent: only {project.root / '.holdfast/config.toml'} names the server"
    )
    assert f"withheld: {why}\n" in project.run("config", "show", *place).out


def _rows(project: Project, query: str) -> list[str]:
    with closing(sqlite3.connect(project.state / "holdfast.sqlite3")) as store:
        return [str(row[0]) for row in store.execute(query)]


# ------------------------------------------------------------------------------------------- the prompt of the model


@pytest.mark.parametrize(
    ("files", "included"),
    [
        ({"AGENTS.md": b"Rule A.\n", "CLAUDE.md": b"Rule C.\n"}, (True, False)),
        ({"CLAUDE.md": b"Rule C.\n"}, (False, True)),
    ],
)
def test_the_projects_rules_and_an_overview_are_in_the_first_payload(
    project: Project, files: dict[str, bytes], included: tuple[bool, bool]
) -> None:
    for name, data in files.items():
        project.write(name, data)
    with talk(project, [say("Hi.")]) as run:
        run("Hi.")
        system = run.payloads[0][0]
    assert system["role"] == "system"
    assert ("Rule A." in system["content"], "Rule C." in system["content"]) == included
    assert "a.py" in system["content"]
    assert "# Patch rules" in system["content"]


def test_without_a_model_the_first_that_the_server_lists_is_used(project: Project) -> None:
    with ScriptedServer([say("Hi.")], models=["text-embedding-3", "coder", "other"]) as server:
        ran = project.run(
            "run", "Hi.", "--root", str(project.root), "--base-url", server.base_url, "--json"
        )
        assert (ran.code, server.requests[0].body["model"]) == (0, "coder")


def test_a_small_context_is_warned_of_on_standard_error(project: Project) -> None:
    with talk(project, [say("Hi.")], kind="ollama", context=4096) as run:
        ran = run("Hi.")
    assert ran.code == 0
    assert "has room for only 4096 tokens" in ran.err
    assert "OLLAMA_CONTEXT_LENGTH" in ran.err
