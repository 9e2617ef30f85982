"""The layers of the settings: flags, environment, the project's file, the user's file, defaults."""

from __future__ import annotations

import errno
import os
import re
import stat
import tomllib
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from holdfast.config.combine import Layer, Layers, combine_layers
from holdfast.config.settings import (
    SETTINGS,
    VARIABLE_PREFIX,
    BadConfig,
    Setting,
    SettingKind,
    Settings,
)
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from holdfast.config.tables import AgentsTable, WorktreeSettings

PROJECT_FILE = ".holdfast/config.toml"
_LARGEST = 64_000
"""Bytes of a file with settings."""

_BY_NAME: Mapping[str, Setting] = {setting.name: setting for setting in SETTINGS}
# Variables of Holdfast that are not settings: the path of the user's file, and directories of tools
# that are not on the PATH.
_OTHER_VARIABLES = {"HOLDFAST_CONFIG_FILE", "HOLDFAST_TOOLCHAINS", "HOLDFAST_TURN"}
_VARIABLES = sorted(_OTHER_VARIABLES | {setting.variable for setting in SETTINGS})
_TABLES = {"agents", "worktree"}
# By the name of the table, and whether it is in the project's file.
_MISPLACED_TABLES = {
    ("agents", True): (
        "a project's file: a repository must not name commands to run; put it into the user's file"
    ),
    ("worktree", False): f"the user's file; put it into {PROJECT_FILE} of the project",
}


def _split_words(text: str) -> tuple[str, ...]:
    words = map(str.strip, text.split(","))
    return tuple(filter(None, words))


def _are_words(value: tuple[Any, ...]) -> bool:
    return set(map(type, value)) <= {str} and all(map(str.strip, value))


@dataclass(frozen=True, slots=True)
class _Kind:
    """The values of a kind of setting.

    A value has one of `types` and passes `fits`; `expected` says so in a message. The text of a
    variable that matches `written` is parsed by `parse`.
    """

    types: tuple[type, ...]
    fits: Callable[[Any], bool]
    expected: str
    written: re.Pattern[str]
    parse: Callable[[str], Any]


_ANY_TEXT = lazy_pattern(".*", re.DOTALL)
_KINDS: Mapping[SettingKind, _Kind] = {
    "text": _Kind((str,), bool, "a text", _ANY_TEXT, str),
    "number": _Kind(
        (int,),
        lambda number: number > 0,
        "a whole number above 0",
        lazy_pattern(r"\s*\d+\s*"),
        int,
    ),
    "share": _Kind(
        (int, float),
        lambda share: 0 <= share <= 1,
        "a number from 0 to 1, such as 0.9",
        lazy_pattern(r"\s*[0-9]+(?:\.[0-9]+)?\s*"),
        float,
    ),
    "words": _Kind((tuple,), _are_words, "a list of texts", _ANY_TEXT, _split_words),
}


def read_settings(
    flags: Mapping[str, Any], environment: Mapping[str, str], project: Path, user_file: Path
) -> Settings | BadConfig:
    """Return every setting, as its layers combine, or all problems."""
    problems: list[str] = []
    tables: dict[str, Any] = {}
    layers = Layers(
        flags=_from_flags(flags),
        environment=_from_environment(environment, problems),
        project=_from_file(project / PROJECT_FILE, problems, tables, of_project=True),
        user=_from_file(user_file, problems, tables, of_project=False),
    )
    for layer in layers.by_precedence:
        _check_choices(layer, problems)

    if problems:
        return BadConfig(tuple(problems))

    values = {setting.name: combine_layers(setting, layers) for setting in SETTINGS}
    return Settings(values, tuple(_unknown_variables(environment)), **tables)


def _from_flags(flags: Mapping[str, Any]) -> Layer:
    """Return the flags that are set; the command line passes None for the others."""
    layer: Layer = {}
    for name, value in flags.items():
        if value is not None:
            flag = name.replace("_", "-")
            layer[name] = (value, f"--{flag}")
    return layer


def _from_environment(environment: Mapping[str, str], problems: list[str]) -> Layer:
    layer: Layer = {}
    for setting in SETTINGS:
        text = environment.get(setting.variable)
        if not text:
            continue
        value = _parse(setting, text)
        if _fits(setting, value):
            layer[setting.name] = (value, setting.variable)
        else:
            problems.append(f"{setting.variable}: this must be {_expected(setting)}.")

    return layer


def _parse(setting: Setting, text: str) -> Any:
    """Return the value of a variable as a file would have it; it may not fit the setting."""
    kind = _KINDS[setting.kind]
    if kind.written.fullmatch(text):
        return kind.parse(text)

    return text


def _from_file(
    file: Path, problems: list[str], tables: dict[str, Any], *, of_project: bool
) -> Layer:
    try:
        table = tomllib.loads(_read(file, of_project=of_project).decode())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        problems.append(f"{file}: {error.strerror}; correct this, or remove it.")
        return {}
    except RecursionError:
        problems.append(f"{file}: this is not TOML: it is nested too deeply.")
        return {}
    except ValueError as error:
        problems.append(f"{file}: this is not TOML: {error}.")
        return {}

    for name in _TABLES & table.keys():
        found = _read_table(name, table.pop(name), of_project=of_project)
        if isinstance(found, list):
            problems += [f"{file}: {problem}" for problem in found]
        else:
            tables[name] = found

    layer: Layer = {}
    for name, value in table.items():
        if isinstance(value, list):
            value = tuple(value)  # noqa: PLW2901 - settings are frozen; a TOML array is not
        problem = _judge(name, value, of_project=of_project)
        if problem:
            problems.append(f"{file}: {problem}")
        else:
            layer[name] = (value, str(file))

    return layer


def _read(file: Path, *, of_project: bool) -> bytes:
    """Return the content of a file; raise OSError for one of a project that is no plain file.

    To read a pipe or a device that a stranger has put there could take for ever.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC
    if of_project:
        flags |= os.O_NONBLOCK

    handle = os.open(file, flags)
    with open(handle, "rb") as opened:  # noqa: PTH123 - a descriptor
        if of_project and not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "this is no file but a pipe or a device", str(file))
        data = opened.read(_LARGEST + 1)

    if len(data) > _LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(file))
    return data


def _read_table(
    name: str, table: Any, *, of_project: bool
) -> AgentsTable | WorktreeSettings | list[str]:
    """Return a table of a file, or its problems."""
    from holdfast.config.tables import read_agents, read_worktree  # noqa: PLC0415 - pydantic takes long to import, and few files have tables

    misplaced = _MISPLACED_TABLES.get((name, of_project))
    if misplaced is not None:
        return [f"{name}: not read from {misplaced}."]
    if name == "agents":
        return read_agents(table)

    return read_worktree(table)


def _judge(name: str, value: Any, *, of_project: bool) -> str | None:
    """Return what is wrong with an entry of a file, or None."""
    setting = _BY_NAME.get(name)
    if setting is None:
        return f"{name}: there is no such setting; {_suggest(name, [*_BY_NAME, *_TABLES])}"
    if setting.environment_only:
        return f"{name}: not read from a file; set {setting.variable}."

    if of_project:
        loosened = _judge_of_project(setting, value)
        if loosened is not None:
            return loosened

    if _fits(setting, value):
        return None

    return f"{name}: this must be {_expected(setting)}."


def _judge_of_project(setting: Setting, value: Any) -> str | None:
    """Return why a project's file cannot set this, or None."""
    if setting.private:
        cure = f"set {setting.variable}, or put it into the user's file"
        return f"{setting.name}: not read from a project's file; {cure}."
    if (setting.name, value) == ("approve", "auto"):
        cure = "use --approve auto, or put it into the user's file"
        return f"approve: a project's file cannot approve actions; {cure}."
    if (setting.name, value) == ("sandbox", "off"):
        cure = "use --sandbox off, or put it into the user's file"
        return f"sandbox: a project's file cannot turn it off; {cure}."

    return None


def _fits(setting: Setting, value: Any) -> bool:
    """Return whether a value is of its kind: a text, or a word of a list, must not be empty."""
    kind = _KINDS[setting.kind]
    # Not isinstance: a bool is an int too.
    if type(value) not in kind.types:
        return False

    return kind.fits(value)


def _expected(setting: Setting) -> str:
    """Return a description of the values that fit, for a message."""
    if setting.choices:
        return f"one of {', '.join(setting.choices)}"
    return _KINDS[setting.kind].expected


def _check_choices(layer: Layer, problems: list[str]) -> None:
    for name, (value, source) in layer.items():
        setting = _BY_NAME[name]
        if not setting.choices or value in setting.choices:
            continue
        cure = _suggest(str(value), setting.choices)
        rule = f"must be {_expected(setting)}"
        problems.append(f"{source}: {name} is {value!s}, but {rule}; {cure}")


def _unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Return a warning for each variable `HOLDFAST_…` that Holdfast does not know."""
    warnings: list[str] = []
    for name in sorted(environment.keys() - _VARIABLES):
        if name.startswith(VARIABLE_PREFIX):
            suggestion = _suggest(name, _VARIABLES)
            warnings.append(f"{name}: there is no such setting; {suggestion}")
    return warnings


def _suggest(word: str, known: Sequence[str]) -> str:
    near = get_close_matches(word.replace("-", "_"), known, 1, 0.5)
    if near:
        return f"did you mean {near[0]}?"
    return f"there are: {', '.join(known)}."
