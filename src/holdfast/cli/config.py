"""`holdfast config`: the settings, and the source of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from holdfast.cli.options import AsJson, Root, require_directory
from holdfast.cli.refusal import refuse
from holdfast.cli.render.text import one_line, warn, write
from holdfast.config.settings import BadConfig, Setting, Settings
from holdfast.vocab.sandbox import SandboxStatus
from holdfast.wiring.sandboxes import sandbox_status
from holdfast.wiring.settings import settings_at, user_file

config = typer.Typer(
    help="Show the settings and their sources.", no_args_is_help=True, rich_markup_mode=None
)


@config.command("show")
def show(*, root: Root = Path(), as_json: AsJson = False) -> None:
    """Show every setting, its value and its source.

    Sources, strongest first: flag, environment, project, user, default. Limits and denials of a
    project can only tighten yours; a value that is not used is shown as overruled.

    Exit 0: shown. 1: a file or a variable cannot be read.
    """
    require_directory(root)
    settings = settings_at(root)
    if isinstance(settings, BadConfig):
        refuse(*settings.problems, as_json=as_json)

    for warning in settings.warnings:
        warn(warning)

    if as_json:
        print(json.dumps(_as_json(settings, sandbox_status(root, settings))))
    else:
        _print(settings)
        _print_sandbox(sandbox_status(root, settings))


def _as_json(settings: Settings, sandbox: SandboxStatus) -> dict[str, Any]:
    shown = {}
    for name, value in settings.values.items():
        shown[name] = {
            "value": _public(value.setting, value.value),
            "set": value.value is not None,
            "source": value.source,
            "overruled": [
                {"value": _public(value.setting, each.value), "source": each.source}
                for each in value.overruled
            ],
        }

    return {
        "settings": shown,
        "user_file": str(user_file()),
        "key_withheld": settings.why_key_withheld,
        "sandbox": {"kind": sandbox.kind, "why": sandbox.why},
    }


def _public(setting: Setting, value: object) -> object:
    """Return a value for JSON; None for a secret."""
    if setting.secret:
        return None
    if isinstance(value, tuple):
        return list(value)
    return value


def _print(settings: Settings) -> None:
    width = max(len(name) for name in settings.values)
    indent = " " * (width + 2)
    for name, value in settings.values.items():
        write(f"{name:<{width}}  {one_line(value.shown)}  ({value.source})")
        write(f"{indent}{value.setting.help}")
        for each in value.overruled:
            unused = value.setting.show(each.value) or "an empty list"
            write(f"{indent}overruled: {one_line(unused)}  ({each.source})")
        if name == "api_key" and settings.why_key_withheld:
            write(f"{indent}withheld: {one_line(settings.why_key_withheld)}")

    write(f"\nThe project's file is .holdfast/config.toml; yours is {user_file()}.")


def _print_sandbox(sandbox: SandboxStatus) -> None:
    if sandbox.kind == "none":
        write(f"Commands and checks are not confined here: {sandbox.why}")
        return
    write(f"Commands and checks are confined by {sandbox.kind}. {sandbox.why}".rstrip())
