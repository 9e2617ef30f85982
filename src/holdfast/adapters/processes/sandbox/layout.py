"""The view of each level: which paths a process may read and change, and which it does not see."""

from __future__ import annotations

import os
import pwd
import sys
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from holdfast.adapters.processes.sandbox.git_places import (
    GitPlaces,
    configuring,
    git_places,
    main_worktree_of,
    of_others,
    rebase_list,
    redirecting,
    strategy_files,
    with_contents,
    with_keys,
)
from holdfast.adapters.processes.sandbox.link_guards import guard_links, pin_directories
from holdfast.adapters.processes.sandbox.sockets import (
    closed_folder,
    is_answered,
    listening_sockets,
)
from holdfast.adapters.processes.sandbox.toolchain_folders import (
    cache_folders,
    git_settings,
    has_key,
    installation_of,
    key_files,
    own_folders,
    program_folders,
    settings_files,
)
from holdfast.adapters.processes.sandbox.view import View, existing
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holdfast.adapters.processes.sandbox.view import PathAccess
    from holdfast.vocab.sandbox import GitAccess, SandboxLevel

# Homes, and places where services keep their sockets and users their temporary files.
_HIDDEN = ("/home", "/root", "/tmp", "/var/tmp", "/run", "/var/run")  # noqa: S108 - hidden, not used
_SYSTEM_KEYS = ("shadow", "shadow-", "gshadow", "gshadow-", "krb5.keytab", "sudoers")
_SYSTEM_KEY_FOLDERS = ("/etc/ssl/private", "/etc/sudoers.d", "/var/lib/docker")
_OF_PROJECT = (".git", ".holdfast")


class SecretFiles(Protocol):
    """Files that look like secrets, and what else a sandbox hides of a project."""

    @property
    def gap(self) -> str:
        """Why not all of them can be masked, or ""."""

    @property
    def masks(self) -> Sequence[str]:
        """The real, absolute paths of such files and folders, as many as can be masked."""

    def holds(self, path: str) -> bool:
        """Return whether a real path is one of all such files, or in one of all such folders."""

    @property
    def repositories(self) -> Sequence[str]:
        """The `.git` of repositories inside the project."""

    @property
    def sockets(self) -> Sequence[str]:
        """The socket files in the project."""


@dataclass(frozen=True, slots=True)
class ConfinedProcess:
    """A process to confine: what it is, and what it may do in the project at `root`."""

    argv: Sequence[str]
    level: SandboxLevel
    root: str
    cwd: str
    variables: Mapping[str, str]
    network: bool = False
    git: GitAccess = "read"
    writable: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Layout:
    """A view, and the paths that must not come to be or change while the process runs.

    `kept_out` are directories that are missing now, and that a mount can stand for. The rest is put
    back afterwards, for no mount can stand for it: `forbidden` are paths that are missing now,
    `links` are symbolic links with their targets, `rebase_lists` are lists of git that must not
    name new commands, `strategy_files` are files that must not name a program as a new strategy.
    """

    view: View
    kept_out: Sequence[str] = ()
    forbidden: Sequence[str] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    rebase_lists: Sequence[str] = ()
    strategy_files: Sequence[str] = ()


class Layouts:
    """The layouts of the processes of one Holdfast."""

    def __init__(
        self, private: Sequence[str], find_secrets: Callable[[str], SecretFiles] | None = None
    ) -> None:
        """Set our own places, such as the state directory, and the search for secret files."""
        self._private = tuple(private)
        self._find_secrets = find_secrets

    def of(self, process: ConfinedProcess) -> Layout:
        """Return the layout of a process in the level `read` or `write`."""
        view = View()
        root = os.path.realpath(process.root)
        home = home_of(process.variables)
        _hide_system(view, home)
        view.set(root, "write" if process.level == "write" else "read")
        for path in existing(process.writable):
            view.set(path, "write")

        shown = _show_toolchains(view, process, home)
        for path in existing(key_files(home, shown)):
            view.set(path, "masked")

        places = git_places(root)
        guarded = _protect_git(view, root, places, process)
        guarded += self._hide_private(view, root, process)
        self._hide_secrets_of_main(view, main_worktree_of(places, root))
        if process.level != "write":
            return Layout(view)

        _protect_own_python(view, root)
        kept_out = _missing(guarded)
        for path in kept_out:
            view.set(path, "read")

        opened = places if process.git == "write" else None
        forbidden = redirecting(opened) if opened else []
        links = guard_links(view, [*guarded, *forbidden])
        return Layout(
            view,
            kept_out,
            (*_missing(forbidden), *links.missing),
            links.targets,
            [rebase_list(opened)] if opened else [],
            strategy_files(opened) if opened else [],
        )

    def secret_files(self, root: str) -> SecretFiles | None:
        """Return the secret files of a project; None if they are not masked."""
        return self._find_secrets(root) if self._find_secrets else None

    def _hide_private(self, view: View, root: str, process: ConfinedProcess) -> list[str]:
        """Hide our own places and the secrets of the project; return the repositories inside."""
        for path in existing(self._private):
            view.set(path, "hidden" if os.path.isdir(path) else "masked")

        for path in listening_sockets():
            _mask_socket(view, path)

        if self._find_secrets is None:
            return []

        repositories: list[str] = []
        for place in (root, *existing(process.writable)):
            found = self._find_secrets(place)
            repositories += found.repositories
            for path in existing(found.repositories):
                view.tighten(path, _access_to_git(process))
            for path in (*found.masks, *filter(is_answered, found.sockets)):
                view.set(path, "masked")

        return repositories

    def _hide_secrets_of_main(self, view: View, main: str | None) -> None:
        """Hide the secrets of the main worktree: most are not tracked, so that they are only there.

        In a home the process does not see it at all.
        """
        if main is None or self._find_secrets is None or view.access_of(main) == "hidden":
            return
        for path in self._find_secrets(main).masks:
            if view.access_of(path) == "read":
                view.set(path, "masked")


def _mask_socket(view: View, path: str) -> None:
    """Mask a socket, or the folder around it that root cannot enter in a namespace of users."""
    if view.access_of(path) == "hidden":
        return

    folder = closed_folder(path)
    if folder is not None and view.rules.setdefault(folder, "masked") == "masked":
        return

    view.set(path, "masked")


def home_of(variables: Mapping[str, str]) -> str:
    """Return the real path of the home that these variables name."""
    return os.path.realpath(variables.get("HOME") or _home_of_user())


@cache
def _home_of_user() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return "/"


def _hide_system(view: View, home: str) -> None:
    """Hide homes, sockets and temporary files, and the keys of the system."""
    hidden = existing([*_HIDDEN, os.environ.get("XDG_RUNTIME_DIR", "/run"), _home_of_user()])
    folders = [path for path in _SYSTEM_KEY_FOLDERS if os.access(path, os.R_OK)]
    for path in (*hidden, home, *existing(folders)):
        # A user without a home has "/" there.
        if path != "/":
            view.set(path, "hidden")

    keys = [Path("/etc", name) for name in _SYSTEM_KEYS]
    keys += Path("/etc/ssh").glob("ssh_host_*_key")
    # Only root can read these: for others there is nothing to mask.
    for path in existing(str(key) for key in keys if os.access(key, os.R_OK)):
        view.set(path, "masked")


def _show_toolchains(view: View, process: ConfinedProcess, home: str) -> list[str]:
    """Show what toolchains need and what lies in hidden places; return it."""
    variables = process.variables
    before = len(view.rules)
    for path in existing(cache_folders(home, variables)):
        view.show(path, "cache")

    folders = [*program_folders(variables, home), *own_folders(), *settings_files(home)]
    if process.argv[0].startswith("/"):
        folders += installation_of(process.argv[0], home)
    if process.git != "hidden":
        folders += [path for path in git_settings(home) if not has_key(path)]

    for path in existing(folders):
        view.show(path)

    return list(view.rules)[before:]


def _protect_git(
    view: View, root: str, places: GitPlaces | None, process: ConfinedProcess
) -> list[str]:
    """Make `.git` and `.holdfast` read-only, or hide `.git`; return what must stay as it is."""
    guarded = [os.path.join(root, name) for name in _OF_PROJECT]
    for path, access in zip(guarded, (_access_to_git(process), "read"), strict=True):
        if os.path.exists(path):
            view.tighten(os.path.realpath(path), access)

    if places is None:
        return guarded

    for path in (places.directory, places.common):
        # A `.git` file may name a directory somewhere in the project.
        pin_directories(view, path)
        view.set(path, _access_to_git(process))

    if process.level == "write" and process.git == "hidden":
        for path in existing(with_contents(places)):
            view.set(path, "hidden")

    if process.level == "write" and process.git != "write":
        for path in existing(with_keys(places)):
            view.set(path, "hidden" if os.path.isdir(path) else "masked")

    if process.git != "write":
        return guarded

    _open_git(view, places)
    return [*guarded, *configuring(places), *of_others(places)]


def _access_to_git(process: ConfinedProcess) -> PathAccess:
    """Return how a process sees a git directory of which it may write nothing.

    In the configuration are keys, and in other files contents of the project's files.
    """
    if process.level == "read" and process.git == "hidden":
        return "masked"
    return "read"


def _open_git(view: View, places: GitPlaces) -> None:
    """Make a repository writable, but not what configures it and not the parts of others."""
    view.set(places.common, "write")
    for path in existing([*configuring(places), *redirecting(places), *of_others(places)]):
        view.set(path, "read")
    view.set(places.directory, "write")
    for path in redirecting(places):
        # Else a link in the place of a folder above it could lead git elsewhere as well.
        pin_directories(view, os.path.realpath(path))


def _protect_own_python(view: View, root: str) -> None:
    """Make the environment that we are installed in read-only where it lies in the project.

    A process that could change it would run outside of the sandbox the next time.
    """
    prefix = os.path.realpath(sys.prefix)
    if prefix.startswith(f"{root}/"):
        view.set(prefix, "read")


def _missing(paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(path for path in paths if not os.path.lexists(path))
