"""`holdfast config`: what the settings are, and where each comes from."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from holdfast.cli.options import AsJson, Root, require_directory
from holdfast.cli.render.text import warn
from holdfast.config.settings import BadConfig
from holdfast.wiring.settings import settings_at, user_file

config = typer.Typer(
    help="The settings, and where each comes from.", no_args_is_help=True, rich_markup_mode=None
)


@config.command("show")
def show(*, root: Root = Path(), as_json: AsJson = False) -> None:
    """Show every setting, its value, and where it comes from: flag, environment, project, user, default.

    Exit 0: shown. 1: a file or a variable cannot be read.
    """
    require_directory(root)
    settings = settings_at(root)
    if isinstance(settings, BadConfig):
        if as_json:
            print(json.dumps({"outcome": "refused", "problems": list(settings.problems)}))
        for problem in settings.problems:
            warn(problem)
        raise typer.Exit(1)
    for warning in settings.warnings:
        warn(warning)
    if as_json:
        shown = {
            value.setting.name: {
                "value": None if value.setting.secret else _listed(value.value),
                "set": value.value is not None,
                "source": value.source,
            }
            for value in settings.values.values()
        }
        withheld = settings.why_key_withheld
        print(
            json.dumps({"settings": shown, "user_file": str(user_file()), "key_withheld": withheld})
        )
        return
    width = max(len(name) for name in settings.values)
    for name, value in settings.values.items():
        print(f"{name:<{width}}  {value.shown}  ({value.source})")
        print(f"{'':<{width}}  {value.setting.help}")
        if name == "api_key" and settings.why_key_withheld:
            print(f"{'':<{width}}  withheld: {settings.why_key_withheld}")
    print(f"\nThe project's file is .holdfast/config.toml; yours is {user_file()}.")


def _listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
