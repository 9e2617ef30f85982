"""The environment and the settings of every git that we run ourselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.processes.environment import environment as allowed_variables
from holdfast.adapters.processes.project_programs import path_outside
from holdfast.guards.shell.read_only_git import needs_variable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# Nothing of the user's may run (hooks, a file system monitor, gc), prompt (gpg), fetch (a partial
# clone) or split an index that we write. A directory that only looks like a repository is none.
SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.askPass=true",
    "credential.helper=",
    "safe.bareRepository=explicit",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
    "core.splitIndex=false",
    "commit.gpgSign=false",
    # A sparse index cannot contain what is outside the cone; and a file that was captured once must
    # be compared the next time.
    "index.sparse=false",
    "core.ignoreStat=false",
    # A name such as `git~1` is a name like any other here.
    "core.protectNTFS=false",
    "core.protectHFS=false",
    # A symlink is captured as one, and comes back as one.
    "core.symlinks=true",
)
_VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    # A checkpoint is the bytes on the disk: no replacement of an object, and no download of one.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    # Whatever settings say of a protocol; an old git does not know the variable above.
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_AUTHOR_NAME": "Holdfast",
    "GIT_AUTHOR_EMAIL": "holdfast@localhost",
    "GIT_COMMITTER_NAME": "Holdfast",
    "GIT_COMMITTER_EMAIL": "holdfast@localhost",
}

# Whose files git reads, and which. Withheld are git's local variables, which lead to another
# repository, and those that name a program, change how paths are read, or print a trace. This is an
# allow-list as for every child: GIT_TOKEN is a key of the user, and not git's.
INHERITED = (
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_ATTR_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXEC_PATH",
    # Under sudo, the user's repositories are not those of another owner.
    "SUDO_UID",
    # The switch of git's own tests: the repository counts as one of another owner.
    "GIT_TEST_ASSUME_DIFFERENT_OWNER",
)

NO_LOCKS = "--no-optional-locks"


def options_of(settings: Sequence[str] = ()) -> list[str]:
    """Return the options of every run of git: `SETTINGS`, and those of these that `-c` can set."""
    words = [NO_LOCKS]
    for setting in (*SETTINGS, *settings):
        if not needs_variable(setting):
            words += ["-c", setting]
    return words


def variables_of(settings: Sequence[str]) -> dict[str, str]:
    """Return the variables of a run of git for those of the settings that `-c` cannot set.

    >>> variables_of(["a.b=1", "filter.x=y.clean="])
    {'GIT_CONFIG_COUNT': '1', 'GIT_CONFIG_KEY_0': 'filter.x=y.clean', 'GIT_CONFIG_VALUE_0': ''}
    """
    named = [setting for setting in settings if needs_variable(setting)]
    if not named:
        return {}

    variables = {"GIT_CONFIG_COUNT": str(len(named))}
    for number, setting in enumerate(named):
        key, _, value = setting.rpartition("=")
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value

    return variables


def environment(variables: Mapping[str, str], project: Path) -> dict[str, str]:
    """Return the environment of git: an allow-list of ours, and `variables`.

    Neither git nor a program that it starts by name is one of the project.

    An inherited GIT_DIR would lead to another repository, and a filter needs none of our keys. The
    user's GIT_CONFIG_GLOBAL counts.
    """
    outside = {"PATH": path_outside(project)}
    return {**allowed_variables(INHERITED), **outside, **_VARIABLES, **variables}
