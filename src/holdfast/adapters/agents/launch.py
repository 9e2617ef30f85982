"""How an external agent is started: its command, its environment, its limits."""

from __future__ import annotations

import os
import shutil
from contextlib import nullcontext
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from holdfast.adapters.processes.environment import environment
from holdfast.adapters.processes.sandbox.launch import Launch
from holdfast.usecases.agents.ports import AgentStartError
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

Confine: TypeAlias = "Callable[[Sequence[str], Mapping[str, str]], AbstractContextManager[Launch]]"
"""Returns the launch of a command with its environment in a sandbox; what the launch needs is
removed at the end of the context, when the process has ended."""


def unconfined(
    argv: Sequence[str], _variables: Mapping[str, str]
) -> AbstractContextManager[Launch]:
    """Return the launch of a command as it is."""
    return nullcontext(Launch(argv))


@dataclass(frozen=True, slots=True)
class AgentLaunch:
    """How an agent is started in a worktree.

    `env` are variables with their values, `pass_env` names of variables of Holdfast's environment;
    both are added to the allow-list of all child processes. `login` is the command line that makes
    the login. The limits are in seconds.
    """

    name: str
    command: tuple[str, ...]
    directory: str
    env: Mapping[str, str] = field(default_factory=dict)
    pass_env: tuple[str, ...] = ()
    mode: str | None = None
    turn_timeout: float = 3600.0
    silence_timeout: float = 600.0
    start_timeout: float = 60.0
    cancel_grace: float = 5.0
    login: str = ""
    confine: Confine = unconfined

    def variables(self) -> dict[str, str]:
        """Return the environment of the agent."""
        return {**environment(self.pass_env), **self.env}

    def argv(self, variables: Mapping[str, str]) -> tuple[str, ...]:
        """Return the command with the path of its program; raise `AgentStartError` if missing."""
        if not Path(self.directory).is_dir():
            raise AgentStartError(f"{self.directory}: no such directory.")

        program, *words = self.command
        found = shutil.which(program, path=variables.get("PATH", os.defpath))
        if found is None:
            raise AgentStartError(
                f"{self.name}: there is no program {program!r} on the PATH. Install it, or set "
                f"`command` of [agents.{self.name}] in your configuration file."
            )

        return (str(Path(found).absolute()), *words)
