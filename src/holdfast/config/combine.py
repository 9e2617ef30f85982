"""How the layers of a setting combine: the project's file may only tighten what the user has set.

The user's layers are the flags, the environment and the user's own file. The first of these that
has a setting is the user's value. The project's file comes with a repository, which may be a
stranger's.
"""

from __future__ import annotations

from collections import ChainMap
from typing import Any, TypeAlias

from holdfast.config.settings import Overruled, Setting, SettingValue
from holdfast.vocab.lazy_dataclass import dataclass

Layer: TypeAlias = dict[str, tuple[Any, str]]
"""The value and its source, by the name of the setting."""

_Sourced: TypeAlias = tuple[Any, str]


@dataclass(frozen=True, slots=True)
class Layers:
    """The values that each layer has."""

    flags: Layer
    environment: Layer
    project: Layer
    user: Layer

    @property
    def by_precedence(self) -> tuple[Layer, ...]:
        """The layers in the order in which a setting that combines as `first` uses them."""
        return self.flags, self.environment, self.project, self.user

    @property
    def of_user(self) -> tuple[Layer, ...]:
        """The layers of the user, the strongest first."""
        return self.flags, self.environment, self.user


def combine_layers(setting: Setting, layers: Layers) -> SettingValue:
    """Return the value of a setting, its source, and the values that are not used."""
    value, source = _effective(setting, layers)
    users, _ = layers.user.get(setting.name, (None, ""))
    _, project_source = layers.project.get(setting.name, (None, ""))
    from_project_only = source == project_source and value != users
    overruled = tuple(_overruled(setting, layers, value))
    return SettingValue(setting, value, source, from_project_only, overruled)


def _effective(setting: Setting, layers: Layers) -> _Sourced:
    """Return the value to use and its source."""
    match setting.combine:
        case "first":
            found = ChainMap(*layers.by_precedence).get(setting.name)
        case "users":
            found = ChainMap(*layers.of_user, layers.project).get(setting.name)
        case "union":
            found = _union(setting.name, layers.by_precedence)
        case "strictest":
            found = _strictest(setting, layers)
        case "smallest" | "largest":
            found = _bounded(setting, layers)

    if found is None:
        return setting.default, "default"

    return found


def _union(name: str, layers: tuple[Layer, ...]) -> _Sourced | None:
    """Return the words of all layers; the sources are those of layers that have any."""
    words: dict[str, None] = {}
    sources: list[str] = []
    for layer in layers:
        found, source = layer.get(name, ((), ""))
        if found:
            words |= dict.fromkeys(found)
            sources.append(source)

    if not sources:
        return None

    return tuple(words), ", ".join(sources)


def _strictest(setting: Setting, layers: Layers) -> _Sourced | None:
    """Return the stricter of two values. A flag is final: a person has typed it for this command.

    Of choices, the default counts as the user's: no project makes them looser than that. A time may
    need to be longer than the default: that of a slow test.
    """
    if setting.name in layers.flags:
        return layers.flags[setting.name]

    users = ChainMap(*layers.of_user).get(setting.name)
    project = layers.project.get(setting.name)
    if users is None and setting.strict:
        users = setting.default, "default"

    if users is None:
        return project
    if project is None:
        return users
    if _is_stricter(setting, project[0], users[0]):
        return project

    return users


def _bounded(setting: Setting, layers: Layers) -> _Sourced:
    """Return the user's number, or the default, unless that of the project is stricter."""
    if setting.name in layers.flags:
        return layers.flags[setting.name]
    users = ChainMap(*layers.of_user).get(setting.name, (setting.default, "default"))
    project = layers.project.get(setting.name, users)
    bound = max if setting.combine == "largest" else min
    return bound(users, project, key=lambda sourced: sourced[0])


def _is_stricter(setting: Setting, value: Any, other: Any) -> bool:
    if setting.strict:
        return setting.strict.index(value) < setting.strict.index(other)
    return bool(value < other)


def _overruled(setting: Setting, layers: Layers, used: Any) -> list[Overruled]:
    """Return the values of layers that are not used, in the order of the layers."""
    unused: list[Overruled] = []
    for layer in layers.by_precedence:
        if setting.name not in layer:
            continue
        value, source = layer[setting.name]
        is_used = value == used
        if setting.combine == "union":
            is_used = set(value) <= set(used)
        if not is_used:
            unused.append(Overruled(value, source))

    return unused
