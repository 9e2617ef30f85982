"""`holdfast agents`: which external agents there are, and whether one works."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.agents.options import TransportOption, name_of
from holdfast.cli.options import AsJson, Root, require_directory
from holdfast.cli.render.text import warn, write
from holdfast.cli.settings import read_settings_or_exit
from holdfast.wiring.agents.choice import AgentListing, list_agents
from holdfast.wiring.agents.trial import AgentTrial, try_agent

_EXIT_CODES = {"ok": 0, "failed": 1, "needs_login": 3}

agents = typer.Typer(
    help="List external agents, and test one.", no_args_is_help=True, rich_markup_mode=None
)


@agents.command("list")
def list_(*, root: Root = Path(), as_json: AsJson = False) -> None:
    """List every known agent, installed or not.

    Exit 0: listed. 2: wrong usage.
    """
    require_directory(root)
    found = list_agents(read_settings_or_exit(root, {}))
    if as_json:
        print(json.dumps([asdict(each) for each in found]))
        return

    for each in found:
        _show(each)


@agents.command("test")
def try_(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The agent.")],
    *,
    transport: TransportOption = None,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Start an agent, open a session, and end it. Nothing is sent to its model.

    Exit 0: it works. 1: it does not. 2: wrong usage. 3: it needs a login.
    """
    require_directory(root)
    settings = read_settings_or_exit(root, {})
    trial = try_agent(name, name_of(transport), settings, root)
    if as_json:
        print(json.dumps(asdict(trial)))
    else:
        _show_trial(trial)

    raise typer.Exit(_EXIT_CODES[trial.outcome])


def _show(agent: AgentListing) -> None:
    if not agent.installed:
        how = f"; install: {agent.install}" if agent.install else ""
        write(f"{agent.name}: not installed{how}", dim=True)
        return

    details = [agent.path or "", _names(agent.transports), f"login {agent.login}"]
    if agent.version is not None:
        details.insert(0, agent.version)

    write(f"{agent.name}: {', '.join(details)}")


def _names(transports: Sequence[str]) -> str:
    return "/".join(transports)


def _show_trial(trial: AgentTrial) -> None:
    for step in trial.steps:
        write(f"{step.name}: {step.seconds:.2f} s")

    if trial.outcome == "ok":
        write(trial.message or f"{trial.agent} works ({trial.transport}).")
        return

    warn(trial.message)
    if trial.stderr:
        warn(f"the end of its standard error:\n{trial.stderr}")
