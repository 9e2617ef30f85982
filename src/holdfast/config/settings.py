"""The settings: read once, from a flag, the environment, the project's file, the user's file, or the default.

Each setting is one line of `SETTINGS`; its flag, its variable `HOLDFAST_…` and its key in a file have the same name.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypeAlias

SettingKind: TypeAlias = Literal["text", "number", "words"]

PROJECT_FILE = ".holdfast/config.toml"
_PREFIX = "HOLDFAST_"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `secret` ones are never shown; `private` ones are not read from the project's file.

    A repository that somebody cloned must not be able to give keys or say which commands run unasked: those are the
    user's. What is `only_here` in the environment is not read from any file: every command needs it, and most of them
    read no file.
    """

    name: str
    kind: SettingKind
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    secret: bool = False
    private: bool = False
    only_here: bool = False

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return _PREFIX + self.name.upper()


SETTINGS: tuple[Setting, ...] = (
    Setting("model", "text", None, "the model to use; without it, the first that the server lists"),
    Setting(
        "base_url",
        "text",
        None,
        "the server's address up to /v1; without it, a local server is looked for",
    ),
    Setting("api_key", "text", None, "the key for the server", secret=True, private=True),
    Setting(
        "context",
        "number",
        None,
        "how many tokens the model can hold; without it, what the server says",
    ),
    Setting("max_tokens", "number", 4096, "how many tokens a reply may have"),
    Setting(
        "approve", "text", "ask", "who says yes to edits and commands", ("auto", "ask", "review")
    ),
    Setting("max_steps", "number", 200, "how many times a turn may ask the model"),
    Setting(
        "allow_commands", "words", (), "commands that run unasked, such as 'pytest *'", private=True
    ),
    Setting("deny_commands", "words", (), "commands that are never run"),
    Setting("command_timeout", "number", 120, "after how many seconds a command is ended"),
    Setting(
        "check",
        "text",
        None,
        "the command that says whether the project is sound, such as 'make test'",
    ),
    Setting(
        "repair",
        "text",
        "auto",
        "whether a turn's edits are checked, and mended, after it",
        ("auto", "off"),
    ),
    Setting(
        "strictness",
        "text",
        "development",
        "what a repair may use; production: nothing but what is pinned, and no model",
        ("sketch", "development", "production"),
    ),
    Setting(
        "database_url",
        "text",
        None,
        "where the store is: a PostgreSQL URL or a file",
        secret=True,
        only_here=True,
    ),
    Setting(
        "state_dir",
        "text",
        None,
        "where journals, worktrees and the store's file are",
        only_here=True,
    ),
)
_BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in SETTINGS}
# Set for Holdfast by others, and no setting: where the user's file is, and where tools are that are not on the PATH.
_OTHER_VARIABLES = frozenset({"HOLDFAST_CONFIG_FILE", "HOLDFAST_TOOLCHAINS"})


@dataclass(frozen=True, slots=True)
class Value:
    """What a setting is, and where that comes from. `of_project`: the project's file, and no place of the user's."""

    setting: Setting
    value: Any
    source: str
    of_project: bool = False

    def __repr__(self) -> str:
        return f"Value({self.setting.name}={self.shown}, {self.source})"

    @property
    def shown(self) -> str:
        """The value for people; a secret only as being set."""
        if self.value is None:
            return "not set"
        if self.setting.secret:
            return "set (not shown)"
        return ", ".join(self.value) if self.setting.kind == "words" else str(self.value)


@dataclass(frozen=True, slots=True)
class BadConfig:
    """The settings cannot be read; each problem says where, what, and the next step."""

    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Settings:
    """Every setting with its value. `warnings` are variables that look like settings and are none."""

    values: Mapping[str, Value]
    warnings: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Any:
        return self.values[name].value

    @property
    def key_to_send(self) -> str | None:
        """The key, or None if there is none or it is withheld. The only one that may go to a server."""
        return None if self.why_key_withheld else self["api_key"]

    @property
    def why_key_withheld(self) -> str | None:
        """Why the key is not sent to the server; None if it is, or if there is none.

        A key belongs to an address. An address that comes with a repository may be a stranger's, also on this machine.
        """
        url = self.values["base_url"]
        if self["api_key"] is None or not url.of_project:
            return None
        return (
            f"the key is not sent: only {url.source} names the server, and that file is not yours; "
            "to send the key there, use --base-url, set HOLDFAST_BASE_URL, or put base_url into your own file."
        )


def read_settings(
    flags: Mapping[str, Any], environment: Mapping[str, str], project: Path, user_file: Path
) -> Settings | BadConfig:
    """Give every setting from the first place that has it: flag, environment, project's file, user's file, default."""
    problems: list[str] = []
    of_flags = {
        name: (value, f"--{name.replace('_', '-')}")
        for name, value in flags.items()
        if value is not None
    }
    of_environment = _from_environment(environment, problems)
    of_project = _from_file(project / PROJECT_FILE, problems, of_project=True)
    of_user = _from_file(user_file, problems, of_project=False)
    values = {}
    for setting in SETTINGS:
        name = setting.name
        layers = (of_flags, of_environment, of_project, of_user)
        layer = next(
            (layer for layer in layers if name in layer), {name: (setting.default, "default")}
        )
        value, source = layer[name]
        also_of_user = name in of_user and of_user[name][0] == value
        values[name] = Value(
            setting, value, source, of_project=layer is of_project and not also_of_user
        )
    for value in values.values():
        problems += _judge_choice(value)
    return (
        BadConfig(tuple(problems)) if problems else Settings(values, tuple(_strangers(environment)))
    )


def _from_environment(
    environment: Mapping[str, str], problems: list[str]
) -> dict[str, tuple[Any, str]]:
    found = {}
    for setting in SETTINGS:
        text = environment.get(setting.variable)
        if not text:
            continue
        value = _parse(setting, text)
        if value is None:
            problems.append(f"{setting.variable}: this must be {_wanted(setting)}.")
        else:
            found[setting.name] = (value, setting.variable)
    return found


def _parse(setting: Setting, text: str) -> Any:
    if setting.kind == "number":
        return int(text) if text.strip().isdecimal() and int(text) > 0 else None
    if setting.kind == "words":
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return text


def _from_file(file: Path, problems: list[str], *, of_project: bool) -> dict[str, tuple[Any, str]]:
    try:
        table = tomllib.loads(file.read_bytes().decode())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        problems.append(f"{file}: {error.strerror}; make it readable, or remove it.")
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        problems.append(f"{file}: this is not TOML: {error}.")
        return {}
    found = {}
    for name, value in table.items():
        problem = _judge(name, value, of_project=of_project)
        if problem:
            problems.append(f"{file}: {problem}")
        else:
            found[name] = (tuple(value) if isinstance(value, list) else value, str(file))
    return found


def _judge(name: str, value: Any, *, of_project: bool) -> str | None:
    setting = _BY_NAME.get(name)
    if setting is None:
        return f"{name}: there is no such setting; {_suggest(name, list(_BY_NAME))}"
    if setting.only_here:
        return f"{name}: not read from a file; set {setting.variable}."
    if of_project and setting.private:
        return f"{name}: not read from a project's file; set {setting.variable}, or put it into the user's file."
    if not _fits(setting, value):
        return f"{name}: this must be {_wanted(setting)}."
    if of_project and (name, value) == ("approve", "auto"):
        return "approve: a project's file cannot say yes for you; use --approve auto, or put it into the user's file."
    return None


def _fits(setting: Setting, value: Any) -> bool:
    match setting.kind:
        case "text":
            return isinstance(value, str) and bool(value)
        case "number":
            return isinstance(value, int) and not isinstance(value, bool) and value > 0
        case "words":
            return isinstance(value, list) and all(
                isinstance(part, str) and part.strip() for part in value
            )


def _wanted(setting: Setting) -> str:
    if setting.choices:
        return f"one of {', '.join(setting.choices)}"
    return {"text": "a text", "number": "a whole number above 0", "words": "a list of texts"}[
        setting.kind
    ]


def _judge_choice(value: Value) -> list[str]:
    choices = value.setting.choices
    if not choices or value.value in choices:
        return []
    near = _suggest(str(value.value), choices)
    return [
        f"{value.source}: {value.setting.name} is {value.value!s}, but must be {_wanted(value.setting)}; {near}"
    ]


def _strangers(environment: Mapping[str, str]) -> list[str]:
    known = {setting.variable for setting in SETTINGS} | _OTHER_VARIABLES
    strange = sorted(name for name in environment if name.startswith(_PREFIX) and name not in known)
    return [
        f"{name}: there is no such setting; {_suggest(name, sorted(known))}" for name in strange
    ]


def _suggest(word: str, known: Sequence[str]) -> str:
    near = get_close_matches(word.replace("-", "_"), known, 1, 0.5)
    return f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}."
