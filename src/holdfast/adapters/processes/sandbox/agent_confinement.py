"""The sandbox of an external agent: its worktree, its own branch, its own configuration.

In a linked worktree the agent can commit. New git objects go to a private store, whose objects are
brought over to the repository after a turn: with the repository's own `objects` or the folder of
all refs writable, an agent could destroy other branches.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.processes.git_links import why_unwritable
from holdfast.adapters.processes.sandbox.cleanup.open_folder import open_folder
from holdfast.adapters.processes.sandbox.cleanup.placeholders import placeholders
from holdfast.adapters.processes.sandbox.cleanup.restoration import restored
from holdfast.adapters.processes.sandbox.git_places import git_places, rebase_list, redirecting
from holdfast.adapters.processes.sandbox.launch import Launch
from holdfast.adapters.processes.sandbox.layout import ConfinedProcess
from holdfast.adapters.processes.sandbox.private_objects import PrivateObjects, private_store
from holdfast.adapters.processes.sandbox.toolchain_folders import installation_of
from holdfast.adapters.processes.sandbox.view import existing
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from holdfast.adapters.processes.sandbox.git_places import GitPlaces
    from holdfast.adapters.processes.sandbox.launch import Launcher
    from holdfast.adapters.processes.sandbox.layout import Layout, Layouts
    from holdfast.vocab.sandbox import SandboxKind

_OWN_FOLDERS: Mapping[str, Sequence[str]] = {
    "qwen": (".qwen",),
    "goose": (".config/goose", ".local/share/goose", ".local/state/goose"),
    "codex": (".codex",),
    "claude": (".claude", ".claude.json", ".config/claude"),
    "gemini": (".gemini",),
    "opencode": (
        ".config/opencode",
        ".local/share/opencode",
        ".local/state/opencode",
        ".cache/opencode",
    ),
    "cline": (".cline",),
    "copilot": (".copilot", ".config/github-copilot"),
    "pi": (".pi",),
}
"""What the known agents keep in a home: settings, logins, their own transcripts."""
_OWN_BRANCHES = "refs/heads/holdfast/"
_NO_MAINTENANCE = {
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "gc.auto",
    "GIT_CONFIG_VALUE_0": "0",
    "GIT_CONFIG_KEY_1": "maintenance.auto",
    "GIT_CONFIG_VALUE_1": "false",
}
"""Maintenance writes to the repository, and would fail there."""


@dataclass(frozen=True, slots=True)
class OwnBranch:
    """The places in a repository that belong to one linked worktree and its session.

    `refs` and `logs` are the folders of its branch `ref`; "" if it is on no branch of ours.
    """

    places: GitPlaces
    refs: str = ""
    logs: str = ""
    ref: str = ""


class AgentConfinement:
    """Confines the processes of one agent in one worktree, at level `write` with the network on.

    `confine` is for the launcher of agents; `bring_objects_over` is called after each turn.
    """

    def __init__(
        self,
        agent: str,
        root: Path,
        *,
        state: Path,
        kind: SandboxKind,
        launcher: Launcher,
        layouts: Layouts,
    ) -> None:
        """Set the agent, the root that it works in, and what enforces the level."""
        self._agent = agent
        self._root = os.path.realpath(root)
        self._state = state
        self._kind = kind
        self._launcher = launcher
        self._layouts = layouts
        self._store = private_store(str(state), self._root)
        self._branch = _own_branch(self._root)
        self._pointers = _pointers(self._root, self._branch)

    @contextmanager
    def confine(self, argv: Sequence[str], variables: Mapping[str, str]) -> Iterator[Launch]:
        """Return the launch of the agent's command; its objects are brought over at the end."""
        process = ConfinedProcess(argv, "write", self._root, self._root, variables, network=True)
        layout = self._layout(process)
        self.bring_objects_over()
        # git would record an empty file as the new content; it stops at one it cannot read.
        process = replace(process, git="write")
        try:
            with ExitStack() as opened:
                opened.enter_context(restored(layout))
                if self._kind == "bubblewrap":
                    kept_out = placeholders(layout.kept_out, self._root, self._state)
                    opened.enter_context(kept_out)
                launch = opened.enter_context(self._launcher.prepare(process, layout))
                yield Launch(
                    launch.argv,
                    launch.pass_fds,
                    {**launch.variables, **self._git_variables()},
                    launch.inner_group,
                    launch.failed,
                )
        finally:
            self.bring_objects_over()

    def bring_objects_over(self) -> str:
        """Add new objects to the repository; return why that was not possible, or "".

        What would lead git outside of the sandbox to another repository, configuration or branch is
        put back first: bubblewrap lets no agent change most of that, Landlock does.
        """
        if self._branch is None:
            return ""
        for path, content in self._pointers.items():
            _put_back(path, content)
        _remove_links(self._branch)
        common = self._branch.places.common
        return PrivateObjects(self._store, self._root, common).bring_over()

    def _layout(self, process: ConfinedProcess) -> Layout:
        layout = self._layouts.of(process)
        view = layout.view
        home = os.path.realpath(process.variables.get("HOME") or os.path.expanduser("~"))
        for path in _own_folders(self._agent, home):
            view.set(path, "write")

        for path in existing(_script_folders(process.argv, home)):
            view.show(path)

        # A link into a hidden folder on many systems; without it no name is resolved.
        view.show(os.path.realpath("/etc/resolv.conf"))
        if self._branch is None:
            return layout

        places = self._branch.places
        problem = why_unwritable(
            Path(self._root), Path(places.common), filter(None, [self._branch.ref])
        )
        if problem:
            raise OSError(errno.ELOOP, problem)

        os.makedirs(self._store, exist_ok=True)
        writable = [places.directory, self._store]
        for path in filter(None, (self._branch.refs, self._branch.logs)):
            os.makedirs(path, exist_ok=True)
            writable.append(path)

        for path in writable:
            view.set(path, "write")

        for path in redirecting(places):
            if os.path.lexists(path):
                view.set(path, "read")

        return replace(layout, rebase_lists=[rebase_list(places)])

    def _git_variables(self) -> dict[str, str]:
        if self._branch is None:
            return {}

        objects = os.path.join(self._branch.places.common, "objects")
        return {
            "GIT_OBJECT_DIRECTORY": self._store,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": objects,
            **_NO_MAINTENANCE,
        }


def _own_branch(root: str) -> OwnBranch | None:
    """Return what belongs to the linked worktree at a root; None for any other folder."""
    places = git_places(root)
    if places is None or places.directory == places.common:
        return None
    if os.path.dirname(places.directory) != os.path.join(places.common, "worktrees"):
        # A submodule.
        return None

    try:
        with open(os.path.join(places.directory, "HEAD"), encoding="utf-8") as file:
            head = file.read().strip().removeprefix("ref: ")
    except OSError:
        return OwnBranch(places)

    folder = os.path.dirname(head)
    if not folder.startswith(_OWN_BRANCHES) or ".." in folder:
        return OwnBranch(places)

    refs = os.path.join(places.common, folder)
    logs = os.path.join(places.common, "logs", folder)
    return OwnBranch(places, refs, logs, head)


def _own_folders(agent: str, home: str) -> list[str]:
    """Return what an agent keeps in a home; folders are made, files must be there."""
    found = []
    for name in _OWN_FOLDERS.get(agent, ()):
        path = os.path.join(home, name)
        if not name.endswith(".json"):
            os.makedirs(path, exist_ok=True)
        if os.path.exists(path):
            found.append(os.path.realpath(path))

    return found


def _script_folders(argv: Sequence[str], home: str) -> list[str]:
    """Return the folders of the scripts that an interpreter is to run: `node /opt/a/cli.js`."""
    scripts = [word for word in argv[1:] if os.path.isabs(word) and os.path.isfile(word)]
    return [folder for script in scripts for folder in installation_of(script, home)]


def _pointers(root: str, branch: OwnBranch | None) -> dict[str, bytes | None]:
    """Return the files that lead git to a repository and its settings, as they are; None: none."""
    if branch is None:
        return {}
    paths = [os.path.join(root, ".git"), *redirecting(branch.places)]
    return {path: _content(path) for path in paths}


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _put_back(path: str, content: bytes | None) -> None:
    """Make a file what it was; an agent that still works may make a link there meanwhile."""
    name = os.path.basename(path)
    with open_folder(os.path.dirname(path)) as folder:
        # A worktree that was removed meanwhile has nothing that could lead git astray.
        if folder is None:
            return
        if content is None:
            folder.remove(name)
            return
        lines, names = folder.read(name)
        if not names or b"".join(lines) != content:
            folder.write(name, content)


def _remove_links(branch: OwnBranch) -> None:
    """Remove what leads git elsewhere: links, and refs that name another ref; put HEAD back.

    Git makes no links in these places. It would append to a log by one, and write an index by one.
    """
    if not branch.refs:
        # By `core.preferSymlinkRefs` this HEAD may be a link; where it led is not known here.
        _remove_links_below(branch.places.directory, kept="HEAD")
        return

    for place in (branch.places.directory, branch.refs, branch.logs):
        _remove_links_below(place)

    for folder, _, files in os.walk(branch.refs):
        for path in (os.path.join(folder, name) for name in files):
            if _is_symbolic(path):
                os.unlink(path)

    head = os.path.join(branch.places.directory, "HEAD")
    own = os.path.dirname(branch.ref)
    said = _content(head) or b""
    leads_away = said.startswith(b"ref:") and not said.startswith(f"ref: {own}/".encode())
    if leads_away or not said:
        _put_back(head, f"ref: {branch.ref}\n".encode())


def _remove_links_below(place: str, kept: str = "") -> None:
    """Remove the links below a folder, by no link on the way that an agent makes meanwhile."""
    if not os.path.isdir(place):
        return
    for _, names, files, descriptor in os.fwalk(place):
        for name in {*names, *files} - {kept}:
            with suppress(FileNotFoundError):
                status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                if stat.S_ISLNK(status.st_mode):
                    os.unlink(name, dir_fd=descriptor)


def _is_symbolic(path: str) -> bool:
    return (_content(path) or b"").startswith(b"ref:")
