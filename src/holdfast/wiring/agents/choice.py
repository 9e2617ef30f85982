"""Which agents there are: those that Holdfast knows, and those of the user's file."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from holdfast.adapters.agents.known_agents import (
    KNOWN_AGENTS,
    KnownAgent,
    LoginState,
    find_known,
    find_program,
    login_of,
    version_of,
)
from holdfast.adapters.agents.launch import AgentLaunch
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from holdfast.config.settings import Settings
    from holdfast.config.tables import AgentSettings
    from holdfast.vocab.agent_events import Transport


@dataclass(frozen=True, slots=True)
class AgentListing:
    """An agent, and whether it can be used here. `install` is a line for a shell."""

    name: str
    installed: bool
    version: str | None
    path: str | None
    transports: tuple[Transport, ...]
    login: LoginState
    install: str


@dataclass(frozen=True, slots=True)
class ChosenAgent:
    """An agent that is installed, and the transport to use."""

    name: str
    transport: Transport
    command: tuple[str, ...]
    path: str
    known: KnownAgent
    settings: AgentSettings | None = None

    @property
    def is_confined(self) -> bool:
        """Whether the agent is to run in the sandbox, where there is one."""
        return self.settings is None or self.settings.sandbox != "off"

    def command_in(self, *, sandbox: bool) -> tuple[str, ...]:
        """Return the command inside or outside of Holdfast's sandbox.

        A command of the user's own stays as it is.
        """
        is_own = self.settings is not None and self.settings.command
        if self.transport != "oneshot" or is_own:
            return self.command
        if sandbox:
            return (*self.command, *self.known.sandboxed_words)
        return (*self.command, *self.known.unsandboxed_words)

    def launch(self, root: Path, *, sandbox: bool) -> AgentLaunch:
        """Return how the agent is started in a directory."""
        settings = self.settings
        command = self.command_in(sandbox=sandbox)
        env = self.known.sandboxed_env if sandbox else {}
        if settings is None:
            return AgentLaunch(
                self.name,
                command,
                str(root),
                env=env,
                pass_env=self.known.keys,
                login=self.known.login,
            )

        return AgentLaunch(
            self.name,
            command,
            str(root),
            env={**env, **settings.env},
            pass_env=(*self.known.keys, *settings.pass_env),
            mode=settings.mode,
            turn_timeout=float(settings.turn_timeout),
            silence_timeout=float(settings.silence_timeout),
            login=self.known.login,
        )


def list_agents(settings: Settings) -> tuple[AgentListing, ...]:
    """Return every agent that Holdfast knows or the user's file names, in a fixed order."""
    names = [agent.name for agent in KNOWN_AGENTS]
    names += [name for name in _named(settings) if name not in names]
    with ThreadPoolExecutor() as pool:
        # Each starts a program that prints its version.
        return tuple(pool.map(lambda name: _listing(name, settings), names))


def choose_agent(
    name: str, transport: Transport | None, settings: Settings
) -> ChosenAgent | NotSent:
    """Return the agent of this name, and how to reach it; or why it cannot be used."""
    known, own = find_known(name), _named(settings).get(name)
    if known is None and own is None:
        there = ", ".join(agent.name for agent in list_known(settings))
        return NotSent(
            f"{name}: there is no such agent. There are {there}; add another as [agents.{name}] "
            "with its command to your own settings file."
        )

    commands = _commands(name, settings)
    if not commands:
        return NotSent(f"[agents.{name}] of your settings file has no command; add one.")

    chosen = transport or _default_transport(commands, own)
    command = commands.get(chosen)
    if command is None:
        return NotSent(f"{name} has no transport {chosen}; it has {', '.join(commands)}.")

    known = known or KnownAgent(name, commands)
    path = find_program(command)
    if path is None:
        cure = f"install it: {known.install}" if known.install else "install it"
        return NotSent(
            f"{name}: there is no program {command[0]} on the PATH; {cure}; or name the command in "
            f"[agents.{name}] of your settings file."
        )

    unattended = settings["approve"] == "auto"
    if chosen == "oneshot" and (own is None or not own.command):
        words = known.auto_words if unattended else known.edit_words
        at = known.words_at
        command = (*command[:at], *words, *command[at:])

    return ChosenAgent(name, chosen, command, path, known, own)


def list_known(settings: Settings) -> tuple[KnownAgent, ...]:
    """Return the agents, each with its commands, without a look at the disk."""
    known = {agent.name: agent for agent in KNOWN_AGENTS}
    for name in _named(settings):
        known.setdefault(name, KnownAgent(name, _commands(name, settings)))
    return tuple(known.values())


def _default_transport(
    commands: Mapping[Transport, tuple[str, ...]], own: AgentSettings | None
) -> Transport:
    """Return the transport of the settings; else the first one that is installed."""
    if own is not None and own.transport is not None:
        return own.transport
    for transport, command in commands.items():
        if find_program(command) is not None:
            return transport
    return next(iter(commands))


def _named(settings: Settings) -> Mapping[str, AgentSettings]:
    if settings.agents is None:
        return {}
    return settings.agents.named


def _commands(name: str, settings: Settings) -> dict[Transport, tuple[str, ...]]:
    """Return the commands of an agent by their transports; that of the user's file counts first."""
    known, own = find_known(name), _named(settings).get(name)
    commands = dict(known.commands) if known else {}
    if own is not None and own.command:
        first: Transport = "acp"
        for transport in commands:
            first = transport
            break
        commands[own.transport or first] = own.command

    return commands


def _listing(name: str, settings: Settings) -> AgentListing:
    commands = _commands(name, settings)
    known = find_known(name) or KnownAgent(name, commands)
    own = _named(settings).get(name)
    paths = {transport: find_program(command) for transport, command in commands.items()}
    there = tuple(transport for transport, path in paths.items() if path is not None)
    path = None
    if there:
        path = paths[_default_transport(commands, own)] or paths[there[0]]

    version = None
    # The program of a command of the user's own need not be the agent.
    if there and (own is None or not own.command):
        # That of `oneshot` is the agent itself, that of `acp` sometimes a bridge to it.
        program = paths.get("oneshot") or path
        version = version_of(program or "", known.version_flag)

    return AgentListing(
        name,
        bool(there),
        version,
        path,
        there or tuple(commands),
        login_of(known),
        known.install,
    )
