"""The settings: the table of all settings, and their values.

Each setting is one entry of `SETTINGS`; its flag, its variable `HOLDFAST_…` and its key in a file
have the same name. `layers.py` reads the values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdfast.config.tables import AgentsTable, WorktreeSettings

SettingKind: TypeAlias = Literal["text", "number", "share", "words"]
Combine: TypeAlias = Literal["first", "users", "union", "strictest", "smallest", "largest"]
"""How the value of the project's file combines with that of the user.

`first`: the project's value is used before that of the user's file. `union`: the lists of all
layers. `strictest`: the stricter of the two, by the order of `Setting.strict`, or the smaller
number. `smallest` and `largest`: that of the two numbers, where the default counts as the user's.
"""

VARIABLE_PREFIX = "HOLDFAST_"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. The value of a `secret` setting is never shown.

    A `private` setting is not read from the project's file: a cloned repository must not set keys
    or the commands that run without approval. An `environment_only` setting is not read from any
    file: every command needs it, and most commands read no file. `combine` says what the project's
    file can do to the user's value; `strict` lists the choices, the strictest first.
    """

    name: str
    kind: SettingKind
    default: Any
    help: str
    choices: tuple[str, ...] = ()
    secret: bool = False
    private: bool = False
    environment_only: bool = False
    combine: Combine = "first"
    strict: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        """The environment variable of the setting."""
        return VARIABLE_PREFIX + self.name.upper()

    def show(self, value: Any) -> str:
        """Return a value for display; of a secret, only whether it is set."""
        if value is None:
            return "not set"
        if self.secret:
            return "set (not shown)"
        if self.kind == "words":
            return ", ".join(value)

        return str(value)


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "model", "text", None, "the model to use; default: the first one that the server lists"
    ),
    Setting(
        "base_url",
        "text",
        None,
        "the URL of the server up to /v1; default: a local server",
    ),
    Setting("api_key", "text", None, "the key for the server", secret=True, private=True),
    Setting(
        "context",
        "number",
        None,
        "the context length of the model in tokens; default: as the server reports",
    ),
    Setting(
        "max_tokens",
        "number",
        4096,
        "the maximum length of a reply in tokens",
        combine="smallest",
    ),
    Setting(
        "approve",
        "text",
        "ask",
        "how edits and commands are approved",
        ("auto", "ask", "review"),
        combine="strictest",
        strict=("review", "ask", "auto"),
    ),
    Setting(
        "max_steps",
        "number",
        200,
        "the maximum number of model calls in a turn",
        combine="smallest",
    ),
    Setting(
        "allow_commands",
        "words",
        (),
        "commands that run without approval, such as 'pytest *'",
        private=True,
    ),
    Setting("deny_commands", "words", (), "commands that are never run", combine="union"),
    Setting(
        "sandbox",
        "text",
        "auto",
        "what confines commands and checks; auto: the best that works here",
        ("auto", "bubblewrap", "landlock", "off"),
        combine="strictest",
        strict=("bubblewrap", "auto", "landlock", "off"),
    ),
    Setting(
        "weak_sandbox",
        "text",
        "ask",
        "with approve auto: commands where the sandbox (Landlock) leaves gaps",
        ("ask", "run"),
        private=True,
    ),
    Setting(
        "network",
        "text",
        "off",
        "whether approved commands reach the network",
        ("off", "on"),
        private=True,
    ),
    Setting(
        "pass_variables",
        "words",
        (),
        "more environment variables that commands see",
        private=True,
    ),
    Setting(
        "command_timeout",
        "number",
        120,
        "the time limit of a command in seconds",
        combine="strictest",
    ),
    Setting(
        "check",
        "text",
        None,
        "the command that checks the project, such as 'make test'",
    ),
    Setting(
        "repair",
        "text",
        "auto",
        "whether edits are checked, and repaired, after a turn",
        ("auto", "off"),
        combine="users",
    ),
    Setting(
        "strictness",
        "text",
        "development",
        "what a repair may use; production: only pinned decisions, and no model",
        ("sketch", "development", "production"),
        combine="strictest",
        strict=("production", "development", "sketch"),
    ),
    Setting(
        "attempts",
        "number",
        2,
        "how often a repair asks the model about one file",
        combine="smallest",
    ),
    Setting(
        "confidence",
        "share",
        0.75,
        "the least confidence of a model with which a repair is accepted",
        combine="largest",
    ),
    Setting(
        "ignored_files",
        "number",
        2000,
        "how many ignored files a checkpoint keeps at most",
        combine="users",
    ),
    Setting(
        "ignored_file_kilobytes",
        "number",
        1024,
        "the size of the largest ignored file that a checkpoint keeps",
        combine="users",
    ),
    Setting(
        "ignored_megabytes",
        "number",
        64,
        "the size of all ignored files that a checkpoint keeps",
        combine="users",
    ),
    Setting(
        "build_folders",
        "words",
        (),
        "more names of directories of which a checkpoint keeps no ignored file",
    ),
    Setting(
        "database_url",
        "text",
        None,
        "the database: a PostgreSQL URL or a file",
        secret=True,
        environment_only=True,
    ),
    Setting(
        "state_dir",
        "text",
        None,
        "the directory of journals, worktrees and the database file",
        environment_only=True,
    ),
)


@dataclass(frozen=True, slots=True)
class Overruled:
    """A value of a layer that is not used; `source` names the layer."""

    value: Any
    source: str


@dataclass(frozen=True, slots=True)
class SettingValue:
    """The value of a setting, and its source.

    `from_project_only`: the value is in the project's file, and in no place of the user's.
    `overruled` are the other values that layers have for the setting.
    """

    setting: Setting
    value: Any
    source: str
    from_project_only: bool = False
    overruled: tuple[Overruled, ...] = ()

    def __repr__(self) -> str:
        return f"SettingValue({self.setting.name}={self.shown}, {self.source})"

    @property
    def shown(self) -> str:
        """The value for display; of a secret, only whether it is set."""
        return self.setting.show(self.value)


@dataclass(frozen=True, slots=True)
class BadConfig:
    """The settings cannot be read; each problem has the place, the cause and the next step."""

    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Settings:
    """Every setting with its value. `warnings` are about variables that match no setting.

    `agents` is the table of the user's file, `worktree` that of the project's; None without one.
    """

    values: Mapping[str, SettingValue]
    warnings: tuple[str, ...] = ()
    agents: AgentsTable | None = None
    worktree: WorktreeSettings | None = None

    def __getitem__(self, name: str) -> Any:
        return self.values[name].value

    @property
    def key_to_send(self) -> str | None:
        """The key that may be sent to the server; None if there is none or it is withheld."""
        if self.why_key_withheld:
            return None
        key: str | None = self["api_key"]
        return key

    @property
    def why_key_withheld(self) -> str | None:
        """Why the key is not sent to the server; None if it is sent, or if there is none.

        A key belongs to a URL. A URL from a repository may lead to a server of a stranger, even on
        this machine; so may one that nobody names: any program can listen on a port.
        """
        if self["api_key"] is None:
            return None

        url = self.values["base_url"]
        if url.value is None:
            why = "no setting names the server, and any program can listen where one is looked for"
        elif url.from_project_only:
            why = f"only {url.source} names the server, and that file is not yours"
        else:
            return None

        return (
            f"the key is not sent: {why}; to send the key there, use --base-url, set "
            "HOLDFAST_BASE_URL, or put base_url into your own file."
        )
