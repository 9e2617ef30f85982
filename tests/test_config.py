from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from holdfast.config.layers import read_settings
from holdfast.config.settings import SETTINGS, BadConfig, Settings


def _read(
    tmp_path: Path,
    *,
    flags: dict[str, Any] | None = None,
    environment: dict[str, str] | None = None,
    project: str = "",
    user: str = "",
) -> Settings | BadConfig:
    root, user_file = tmp_path / "project", tmp_path / "user.toml"
    (root / ".holdfast").mkdir(parents=True, exist_ok=True)
    if project:
        (root / ".holdfast" / "config.toml").write_text(project)
    if user:
        user_file.write_text(user)
    return read_settings(flags or {}, environment or {}, root, user_file)


def _problems(tmp_path: Path, **layers: Any) -> tuple[str, ...]:
    bad = _read(tmp_path, **layers)
    assert isinstance(bad, BadConfig)
    return bad.problems


def test_a_flag_is_before_the_environment_before_the_project_before_the_user_before_the_default(
    tmp_path: Path,
) -> None:
    layers: dict[str, Any] = {
        "flags": {"model": "of-flag"},
        "environment": {"HOLDFAST_MODEL": "of-env"},
        "project": 'model = "of-project"',
        "user": 'model = "of-user"',
    }
    seen = []
    for name in ["flags", "environment", "project", "user"]:
        settings = _read(tmp_path, **layers)
        assert isinstance(settings, Settings)
        seen.append((settings["model"], settings.values["model"].source))
        layers[name] = None if name in {"flags", "environment"} else "# nothing"
    settings = _read(tmp_path, **layers)
    assert isinstance(settings, Settings)
    seen.append((settings["model"], settings.values["model"].source))
    assert seen == [
        ("of-flag", "--model"),
        ("of-env", "HOLDFAST_MODEL"),
        ("of-project", str(tmp_path / "project/.holdfast/config.toml")),
        ("of-user", str(tmp_path / "user.toml")),
        (None, "default"),
    ]


def test_an_unknown_key_is_an_error_that_names_the_nearest(tmp_path: Path) -> None:
    (problem,) = _problems(tmp_path, project='modle = "x"')
    assert problem.endswith("modle: there is no such setting; did you mean model?")


def test_an_unknown_key_like_no_other_names_all(tmp_path: Path) -> None:
    (problem,) = _problems(tmp_path, user="zzz = 1")
    assert "there are: model, base_url" in problem


@pytest.mark.parametrize("name", [setting.name for setting in SETTINGS if setting.private])
def test_what_is_the_users_is_not_read_from_the_projects_file(tmp_path: Path, name: str) -> None:
    (problem,) = _problems(tmp_path, project=f'{name} = "sk-geheim"')
    assert f"{name}: not read from a project's file; set HOLDFAST_{name.upper()}" in problem
    assert "geheim" not in problem


def test_what_every_command_needs_is_read_from_the_environment_only(tmp_path: Path) -> None:
    problems = _problems(tmp_path, user='state_dir = "/x"\ndatabase_url = "y"')
    assert [problem.rpartition(": ")[2] for problem in problems] == [
        "not read from a file; set HOLDFAST_STATE_DIR.",
        "not read from a file; set HOLDFAST_DATABASE_URL.",
    ]


def test_a_project_cannot_say_yes_for_the_user(tmp_path: Path) -> None:
    (problem,) = _problems(tmp_path, project='approve = "auto"')
    assert "use --approve auto" in problem
    stricter = _read(tmp_path, project='approve = "review"')
    assert isinstance(stricter, Settings)
    assert stricter["approve"] == "review"


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ({"project": "max_steps = -1"}, "max_steps: this must be a whole number above 0."),
        ({"project": "max_steps = true"}, "max_steps: this must be a whole number above 0."),
        ({"user": 'allow_commands = "pytest"'}, "allow_commands: this must be a list of texts."),
        (
            {"environment": {"HOLDFAST_MAX_STEPS": "many"}},
            "HOLDFAST_MAX_STEPS: this must be a whole number above 0.",
        ),
        ({"flags": {"approve": "atuo"}}, "must be one of auto, ask, review; did you mean auto?"),
        ({"project": "model = "}, "this is not TOML"),
    ],
)
def test_a_value_that_does_not_fit_is_an_error(
    tmp_path: Path, layers: dict[str, Any], message: str
) -> None:
    (problem,) = _problems(tmp_path, **layers)
    assert message in problem


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 20_000, "this is not TOML: it is nested too deeply."),
        (f"max_steps = {'9' * 5000}", "this is not TOML: Exceeds the limit"),
        ("#" * 70_000, "File too large; correct this, or remove it."),
    ],
)
def test_a_project_cannot_stop_a_command_by_its_file(
    tmp_path: Path, text: str, message: str
) -> None:
    (problem,) = _problems(tmp_path, project=text)
    assert message in problem


def test_a_link_of_a_project_to_what_never_ends_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "project/.holdfast/config.toml"
    file.parent.mkdir(parents=True)
    os.mkfifo(tmp_path / "pipe")
    for endless in (Path("/dev/zero"), tmp_path / "pipe"):
        file.symlink_to(endless)
        (problem,) = _problems(tmp_path)
        assert (
            problem
            == f"{file}: this is no file but a pipe or a device; correct this, or remove it."
        )
        file.unlink()


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    assert len(_problems(tmp_path, project="max_steps = 0\nfoo = 1", user="bar = 2")) == 3


def test_a_secret_is_never_shown(tmp_path: Path) -> None:
    settings = _read(tmp_path, environment={"HOLDFAST_API_KEY": "sk-geheim"})
    assert isinstance(settings, Settings)
    assert settings["api_key"] == "sk-geheim"
    assert settings.values["api_key"].shown == "set (not shown)"
    assert "geheim" not in f"{settings!r} {settings.values['api_key']!r}"


def test_a_variable_that_only_looks_like_a_setting_is_a_warning(tmp_path: Path) -> None:
    settings = _read(tmp_path, environment={"HOLDFAST_MODLE": "x", "HOLDFAST_CONFIG_FILE": "y"})
    assert isinstance(settings, Settings)
    assert settings.warnings == (
        "HOLDFAST_MODLE: there is no such setting; did you mean HOLDFAST_MODEL?",
    )


def test_words_in_the_environment_are_separated_by_commas(tmp_path: Path) -> None:
    settings = _read(tmp_path, environment={"HOLDFAST_ALLOW_COMMANDS": "pytest *, make test"})
    assert isinstance(settings, Settings)
    assert settings["allow_commands"] == ("pytest *", "make test")


# -------------------------------------------------------------------------------------------------- where a key may go

URL = "http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    "key",
    [{"environment": {"HOLDFAST_API_KEY": "sk-1"}}, {"user": 'api_key = "sk-1"'}],
    ids=["environment", "user"],
)
def test_a_key_is_withheld_from_a_server_that_only_the_projects_file_names(
    tmp_path: Path, key: dict[str, Any]
) -> None:
    settings = _read(tmp_path, project=f'base_url = "{URL}"', **key)
    assert isinstance(settings, Settings)
    assert (settings["api_key"], settings["base_url"], settings.key_to_send) == ("sk-1", URL, None)
    assert settings.why_key_withheld == (
        f"the key is not sent: only {tmp_path}/project/.holdfast/config.toml names the server, and that file is not "
        "yours; to send the key there, use --base-url, set HOLDFAST_BASE_URL, or put base_url into your own file."
    )


@pytest.mark.parametrize(
    "layers",
    [
        {"flags": {"base_url": URL}},
        {"flags": {"base_url": URL}, "project": 'base_url = "http://elsewhere/v1"'},
        {"environment": {"HOLDFAST_API_KEY": "sk-1", "HOLDFAST_BASE_URL": URL}},
        {"user": f'base_url = "{URL}"'},
        {"user": f'base_url = "{URL}"', "project": f'base_url = "{URL}"'},
    ],
)
def test_a_key_is_sent_to_a_server_that_the_user_names(
    tmp_path: Path, layers: dict[str, Any]
) -> None:
    settings = _read(tmp_path, **{"environment": {"HOLDFAST_API_KEY": "sk-1"}, **layers})
    assert isinstance(settings, Settings)
    assert (settings.key_to_send, settings.why_key_withheld) == ("sk-1", None)


def test_a_key_is_withheld_from_a_server_that_nobody_names(tmp_path: Path) -> None:
    settings = _read(tmp_path, environment={"HOLDFAST_API_KEY": "sk-1"})
    assert isinstance(settings, Settings)
    assert settings.key_to_send is None
    assert settings.why_key_withheld == (
        "the key is not sent: no setting names the server, and any program can listen where one is looked for; to send "
        "the key there, use --base-url, set HOLDFAST_BASE_URL, or put base_url into your own file."
    )


def test_a_projects_file_that_differs_from_the_users_still_withholds_the_key(
    tmp_path: Path,
) -> None:
    settings = _read(
        tmp_path,
        user=f'api_key = "sk-1"\nbase_url = "{URL}"',
        project='base_url = "http://elsewhere/v1"',
    )
    assert isinstance(settings, Settings)
    assert (settings["base_url"], settings.key_to_send) == ("http://elsewhere/v1", None)


def test_where_there_is_no_key_none_is_withheld(tmp_path: Path) -> None:
    settings = _read(tmp_path, project=f'base_url = "{URL}"')
    assert isinstance(settings, Settings)
    assert (settings.key_to_send, settings.why_key_withheld) == (None, None)


# ----------------------------------------------------------------------- a project may only tighten


def _combined(
    tmp_path: Path,
    name: str,
    *,
    user: str = "",
    project: str = "",
    environment: str = "",
    flag: object = None,
) -> tuple[object, list[object]]:
    """Return the value of a setting, and the values that are overruled."""
    variables = {}
    if environment:
        variables[f"HOLDFAST_{name.upper()}"] = environment
    settings = _read(
        tmp_path,
        flags={name: flag},
        environment=variables,
        project=project and f"{name} = {project}",
        user=user and f"{name} = {user}",
    )
    assert isinstance(settings, Settings)
    value = settings.values[name]
    return value.value, [each.value for each in value.overruled]


@pytest.mark.parametrize(
    ("name", "user", "project", "combined", "overruled"),
    [
        pytest.param("approve", '"review"', '"ask"', "review", ["ask"], id="looser approve"),
        pytest.param("approve", '"auto"', '"review"', "review", ["auto"], id="stricter approve"),
        pytest.param("approve", "", '"review"', "review", [], id="stricter than the default"),
        pytest.param(
            "strictness", '"production"', '"sketch"', "production", ["sketch"], id="looser"
        ),
        pytest.param(
            "strictness", "", '"sketch"', "development", ["sketch"], id="than the default"
        ),
        pytest.param("deny_commands", '["ls"]', "[]", ("ls",), [], id="denials are not emptied"),
        pytest.param("deny_commands", '["ls"]', '["rm"]', ("rm", "ls"), [], id="denials add up"),
        pytest.param("max_steps", "10", "50", 10, [50], id="a larger number"),
        pytest.param("max_steps", "50", "10", 10, [50], id="a smaller number"),
        pytest.param("max_steps", "", "900", 200, [900], id="more steps than the default"),
        pytest.param("max_tokens", "100", "900", 100, [900], id="tokens"),
        pytest.param("max_tokens", "", "9000", 4096, [9000], id="more tokens than the default"),
        pytest.param("ignored_files", "500", "1", 500, [1], id="what a checkpoint keeps"),
        pytest.param("ignored_files", "", "1", 1, [], id="where the user has set none"),
        pytest.param("repair", '"auto"', '"off"', "auto", ["off"], id="checks after a turn"),
        pytest.param("command_timeout", "5", "900", 5, [900], id="a longer time"),
        pytest.param("command_timeout", "", "900", 900, [], id="a longer time than the default"),
        pytest.param("model", '"mine"', '"theirs"', "theirs", ["mine"], id="no limit"),
    ],
)
def test_a_projects_file_may_only_tighten_what_the_user_has_set(
    tmp_path: Path, name: str, user: str, project: str, combined: object, overruled: list[object]
) -> None:
    assert _combined(tmp_path, name, user=user, project=project) == (combined, overruled)


def test_a_projects_file_may_only_tighten_what_the_environment_has(tmp_path: Path) -> None:
    found = _combined(tmp_path, "approve", environment="review", project='"ask"')
    assert found == ("review", ["ask"])
    found = _combined(tmp_path, "approve", environment="auto", project='"review"')
    assert found == ("review", ["auto"])


def test_a_flag_is_final(tmp_path: Path) -> None:
    found = _combined(tmp_path, "approve", flag="auto", project='"review"', user='"ask"')
    assert found == ("auto", ["review", "ask"])


def test_the_denials_of_every_layer_add_up(tmp_path: Path) -> None:
    found = _combined(tmp_path, "deny_commands", user='["a"]', environment="b, a", project='["c"]')
    assert found == (("b", "a", "c"), [])


def test_agents_are_named_in_the_users_file_and_worktrees_in_the_projects(tmp_path: Path) -> None:
    settings = _read(
        tmp_path,
        user='[agents]\nwarm = 2\n[agents.mine]\ncommand = ["mine", "--acp"]\nsandbox = "off"',
        project='[worktree]\ncopy = [".env"]\nsetup = "npm ci"',
    )
    assert isinstance(settings, Settings)
    agents, worktree = settings.agents, settings.worktree
    assert agents is not None
    assert worktree is not None
    mine = agents.named["mine"]
    assert (agents.warm, mine.command, mine.sandbox) == (2, ("mine", "--acp"), "off")
    assert (mine.transport, mine.turn_timeout, mine.silence_timeout) == (None, 3600, 600)
    assert (worktree.copy_patterns, worktree.setup) == ((".env",), "npm ci")


@pytest.mark.parametrize(
    ("layer", "text", "problem"),
    [
        ("project", '[agents.x]\ncommand = ["x"]', "must not name commands to run"),
        ("user", '[worktree]\nsetup = "x"', "worktree: not read from the user's file"),
        ("user", "agents = 3", "agents: this must be a table"),
        ("user", "[agents.x]\nspeed = 1", "agents.x.speed: there is no such setting; there are:"),
        ("user", "[agents]\nheat = 1", "agents.heat: there is no such setting; there are: warm."),
        ("user", '[agents.x]\ntransport = "tcp"', "agents.x.transport: this must be 'acp'"),
        ("user", "[agents.x]\nturn_timeout = 0", "agents.x.turn_timeout: this must be greater"),
        ("project", "[worktree]\nlink = 1", "worktree.link: there is no such setting;"),
        ("project", '[worktree]\ncopy = ".env"', "worktree.copy: this must be a valid tuple"),
    ],
)
def test_a_table_that_does_not_fit_is_an_error(
    tmp_path: Path, layer: str, text: str, problem: str
) -> None:
    (found,) = _problems(tmp_path, **{layer: text})
    assert problem in found
