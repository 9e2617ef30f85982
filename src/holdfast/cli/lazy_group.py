"""A command group that imports a command when it runs, and needs no pydantic for plain values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


class CommandEntry(NamedTuple):
    """Where a command is, as "module:attribute", and its line in the list of commands."""

    target: str
    help: str


class QuickCommand(TyperCommand):
    """A command whose plain values are not converted by typer."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with the help option."""
        return list(map(_quick, super().get_params(ctx)))


class QuickGroup(TyperGroup):
    """A group whose plain values are not converted by typer."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with the help option."""
        return list(map(_quick, super().get_params(ctx)))


class LazyGroup(QuickGroup):
    """A group whose `entries` are imported only when one of them runs or prints its own help."""

    entries: ClassVar[Mapping[str, CommandEntry]] = {}

    def __init__(self, **attributes: Any) -> None:
        """List a stub for each entry, so that help and suggestions need no import."""
        super().__init__(**attributes)
        for name, entry in self.entries.items():
            self.add_command(TyperCommand(name, short_help=entry.help))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Return the named command, imported now, and the rest of the arguments."""
        name, stub, rest = super().resolve_command(ctx, args)
        if name is None or name not in self.entries:
            return name, stub, rest
        return name, _load(name, self.entries[name].target), rest


@cache
def _load(name: str, target: str) -> Any:
    """Import a command, which is a function or a `typer.Typer` with commands of its own."""
    module, _, attribute = target.partition(":")
    found = getattr(import_module(module), attribute)
    if isinstance(found, typer.Typer):
        if not _is_lazy(found):
            found.info.cls = QuickGroup
        for command in found.registered_commands:
            command.cls = QuickCommand
        return typer.main.get_group(found)

    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command(name, cls=getattr(found, "command_class", QuickCommand))(found)
    return typer.main.get_command(app)


def _is_lazy(app: typer.Typer) -> bool:
    """Return whether the group imports its own commands only when one of them runs."""
    chosen: object = app.info.cls
    return isinstance(chosen, type) and issubclass(chosen, LazyGroup)


def _quick(param: Any) -> Any:
    """Let a parameter return plain values as they are.

    Typer converts every value with pydantic, whose import takes longer than all other imports of
    `holdfast config show` together.
    """
    # On the instance: typer chooses the class of its parameters itself.
    vars(param).setdefault("process_value", partial(_process, param, param.process_value))
    return param


def _process(param: Any, convert: Callable[[Any, Any], Any], ctx: Any, value: Any) -> Any:
    optional = param.nargs == 1 and not param.required
    if value is None and optional:
        return None

    descriptor = getattr(param, "type_descriptor", None)
    # Releases of typer without this attribute do not use pydantic.
    if descriptor is None:
        return convert(ctx, value)

    annotation = descriptor.annotation
    if annotation == list[str] and value:
        value, annotation = list(value), list

    if not isinstance(annotation, type):
        return convert(ctx, value)

    if isinstance(value, str):
        value = _read_word(value, annotation, descriptor.parameter_info)

    # Words of the command line are strings, so a value of another type is the default.
    if not isinstance(value, annotation):
        return convert(ctx, value)
    if param.callback is None:
        return value

    return param.callback(ctx, param, value)


def _read_word(word: str, annotation: type, info: Any) -> Any:
    """Return the value of a word that is plainly right; any other word, for typer to judge."""
    if annotation is Path:
        return Path(word)
    if issubclass(annotation, StrEnum):
        return {each.value: each for each in annotation}.get(word, word)
    if annotation not in {int, float} or not _NUMBER.fullmatch(word):
        return word
    if annotation is int and "." in word:
        return word

    number = annotation(word)
    least = -math.inf if info.min is None else info.min
    most = math.inf if info.max is None else info.max
    if least <= number <= most:
        return number
    return word
