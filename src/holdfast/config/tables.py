"""The settings that are tables of a file: `[agents]`, `[agents.NAME]` and `[worktree]`.

`[agents]` is read from the user's file only: a repository must not name commands to run.
`[worktree]` is read from the project's file; its `setup` is approved as any command is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

if TYPE_CHECKING:
    from collections.abc import Mapping

TransportName: TypeAlias = Literal["acp", "server", "oneshot"]
_AGENTS_DEFAULT_WARM = 8


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


_AnyTable = TypeVar("_AnyTable", bound=_Table)


class AgentSettings(_Table):
    """The table `[agents.NAME]`: what the user's file says about one agent.

    An empty `command` or `transport` is that of the known agent of this name. `env` are variables
    with their values, `pass_env` names of variables of Holdfast's own environment. The time limits
    are in seconds.
    """

    command: tuple[str, ...] = Field(default=(), strict=False)
    transport: TransportName | None = None
    env: dict[str, str] = Field(default_factory=dict)
    pass_env: tuple[str, ...] = Field(default=(), strict=False)
    mode: str | None = None
    turn_timeout: int = Field(default=3600, gt=0)
    silence_timeout: int = Field(default=600, gt=0)
    sandbox: Literal["auto", "off"] = "auto"


class WorktreeSettings(_Table):
    """The table `[worktree]`: ignored files to copy into a new worktree, and a command to run once.

    `copy` is a list of patterns in the syntax of `.gitignore`.
    """

    copy_patterns: tuple[str, ...] = Field(default=(), strict=False, alias="copy")
    setup: str | None = Field(default=None, min_length=1)


class AgentsTable(_Table):
    """The table `[agents]`: how many agents stay warm, and the table of each by its name."""

    warm: int = Field(default=_AGENTS_DEFAULT_WARM, gt=0)
    named: dict[str, AgentSettings] = Field(default_factory=dict)


def read_agents(table: Any) -> AgentsTable | list[str]:
    """Return the table `[agents]`, or its problems."""
    if not isinstance(table, dict):
        return ["agents: this must be a table, such as [agents.qwen]."]

    named: dict[str, Any] = {}
    body: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            named[name] = value
        else:
            body[name] = value

    body["named"] = named
    return _validated(AgentsTable, "agents", body)


def read_worktree(table: Any) -> WorktreeSettings | list[str]:
    """Return the table `[worktree]`, or its problems."""
    if not isinstance(table, dict):
        return ["worktree: this must be a table: [worktree]."]
    return _validated(WorktreeSettings, "worktree", table)


def _validated(model: type[_AnyTable], name: str, body: Mapping[str, Any]) -> _AnyTable | list[str]:
    try:
        return model.model_validate(body)
    except ValidationError as error:
        return [_problem(name, model, problem) for problem in error.errors()]


def _problem(name: str, model: type[BaseModel], problem: Any) -> str:
    """Return a problem as a sentence with the place and the cure."""
    keys = [str(each) for each in problem["loc"] if each not in {"named", "[key]"}]
    where = ".".join([name, *keys])
    if problem["type"] == "extra_forbidden":
        if len(problem["loc"]) > 1:
            model = AgentSettings
        known = model.model_json_schema()["properties"]
        known.pop("named", None)
        return f"{where}: there is no such setting; there are: {', '.join(known)}."

    expected = problem["msg"].removeprefix("Input should be ")
    return f"{where}: this must be {expected}."
