"""The composition root: the only place where a port meets an adapter."""

from __future__ import annotations

import os
import secrets
import threading
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from holdfast.adapters.files import DiskFiles
from holdfast.adapters.journal import hold, place_of
from holdfast.config import PROJECT_FILE, BadConfig, Settings, read_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

    from holdfast.adapters.git.worktree import GitWorktree
    from holdfast.adapters.journal import DiskJournal
    from holdfast.adapters.models.openai_compatible import OpenAICompatible
    from holdfast.adapters.store.blocking import BlockingStore
    from holdfast.changes.files import Files
    from holdfast.changes.log import ChangeLog
    from holdfast.guards.commands import CommandRules
    from holdfast.loop.ports import Cancel
    from holdfast.sessions.approve import Asker
    from holdfast.sessions.conversation import Conversations
    from holdfast.sessions.send import Crew, Message, NotSent
    from holdfast.tools.ports import Editor, Gate
    from holdfast.tools.toolbox import ToolboxOf
    from holdfast.vocab.events import Event, TurnEnded


class DiskWorkspace:
    """One root on the disk (port `Workspace`)."""

    def __init__(self, files: DiskFiles, state: Path) -> None:
        """Join the files below a root and the state directory."""
        self.files = files
        self.tree = files
        self.store = LateStore(state)
        self._state = state
        self._log: ChangeLog | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()
        self.files.close()

    @property
    def log(self) -> ChangeLog:
        """The record of the project's changes, opened when first asked for; raises `LogUnavailable`."""
        if self._log is None:
            # Not above: a check, a refused reply and `--help` do without a database.
            from holdfast.adapters.store.change_log import changes_at  # noqa: PLC0415

            self._log = changes_at(self.store.open, self.files.root)
        return self._log

    def hold(self) -> AbstractContextManager[DiskJournal]:
        """Wait for the root's lock, and give its journal."""
        return hold(self._state, self.files.root)

    def has_journal(self) -> bool:
        """Whether anything was ever written below this root."""
        return place_of(self._state, self.files.root).is_dir()

    def new_id(self) -> str:
        """Give a name that no other batch has."""
        return secrets.token_hex(6)


class GitWorktrees:
    """Where the checkpoints of one root are (port `Worktrees`)."""

    def __init__(
        self,
        root: Path,
        state: Path,
        say: Callable[[str], None],
        evict: Callable[[str], bool],
        store: LateStore | None = None,
    ) -> None:
        """Join a root and the state directory; `say` is told what goes on, `evict` stops a session in this process.

        A `store` that is given is used, and left open; else one is opened if need be, while the worktree is held.
        """
        self._root = root
        self._state = state
        self._say = say
        self._evict = evict
        self._store = store
        self._held: tuple[Path, LateStore] | None = None

    @contextmanager
    def hold(self, *, make: bool) -> Iterator[GitWorktree]:
        """Wait for the worktree's lock; with `make`, a folder without git gets a private repository."""
        from holdfast.adapters.git.worktree import hold_worktree  # noqa: PLC0415 - most commands do without git
        from holdfast.checkpoints.budget import Budget  # noqa: PLC0415

        with (
            hold_worktree(self._root, self._state, Budget(), self._say, make=make) as worktree,
            LateStore(self._state) as opened,
        ):
            _hide(self._state, worktree.root)
            self._held = worktree.root, self._store or opened
            yield worktree

    @property
    def conversations(self) -> Conversations:
        """What belongs to sessions besides files, while the worktree is held; the store is opened at the first call."""
        # Not above: what is without sessions does without a database.
        from holdfast.adapters.store.backend import StoredBackend  # noqa: PLC0415
        from holdfast.adapters.store.transcript import StoredTranscript  # noqa: PLC0415
        from holdfast.sessions.conversation import Conversations  # noqa: PLC0415

        assert self._held is not None  # noqa: S101 - a use case holds the worktree first
        root, store = self._held
        return Conversations(StoredTranscript(store.open, root), StoredBackend(store.open, self._evict))

    def new_id(self) -> str:
        """Give a name that no other checkpoint has."""
        return secrets.token_hex(6)

    def now(self) -> str:
        """Give the time, for people."""
        return datetime.now(UTC).isoformat(timespec="seconds")


class LateStore:
    """The chosen store, opened when first asked for: most commands do without."""

    def __init__(self, state: Path) -> None:
        """Join nothing yet."""
        self._state = state
        self._store: BlockingStore | None = None
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store, if it was opened."""
        self._opened.close()

    def open(self) -> BlockingStore:
        """Give the store; raises a `StoreError` if it cannot be opened."""
        if self._store is None:
            # Not above: a database takes longer to import than git takes for a checkpoint.
            from holdfast.adapters.store.address import chosen_url  # noqa: PLC0415
            from holdfast.adapters.store.blocking import blocking_store  # noqa: PLC0415

            self._store = self._opened.enter_context(blocking_store(chosen_url(self._state)))
        return self._store


def open_worktrees(
    root: Path,
    say: Callable[[str], None] = lambda _: None,
    *,
    evict: Callable[[str], bool] = lambda _: False,
    store: LateStore | None = None,
) -> GitWorktrees:
    """Give the checkpoints of a root; nothing is looked at before the first `hold`.

    `evict` stops what this process does for a session, and says whether that was anything. A `store` that the caller
    uses too is not opened a second time.
    """
    return GitWorktrees(root, state_directory(), say, evict, store)


def open_workspace(root: Path) -> DiskWorkspace:
    """Open the root; raises OSError if it is no directory that can be read. Close it by leaving its `with`."""
    return DiskWorkspace(DiskFiles(str(root)), state_directory())


def state_directory() -> Path:
    """Say where journals are: `HOLDFAST_STATE_DIR`, or the user's state directory."""
    named = os.environ.get("HOLDFAST_STATE_DIR")
    if named:
        # Git is called at other places than this one.
        return Path(named).absolute()
    # Not above: it takes longer to import than `holdfast --help` may.
    from platformdirs import user_state_path  # noqa: PLC0415

    return user_state_path("holdfast")


def _hide(state: Path, root: Path) -> None:
    """Keep a state directory that is in the project out of its checkpoints: no restore may bring an old store back."""
    place = Path(os.path.realpath(state))
    rules = place / ".gitignore"
    if root in place.parents and place.is_dir() and not rules.exists():
        from holdfast.adapters.git import durable  # noqa: PLC0415 - most commands do without git

        durable.put(rules, b"*\n", sync=False)


_OVERVIEW_SHARE = 10
"""The overview may take one part in so many of the model's context."""


def settings_at(root: Path, flags: Mapping[str, Any] | None = None) -> Settings | BadConfig:
    """Read the settings for a root; `flags` are those of the command line, None where one was not given."""
    return read_settings(flags or {}, os.environ, root, user_file())


def user_file() -> Path:
    """Say where the user's own settings are: `HOLDFAST_CONFIG_FILE`, or the user's config directory."""
    named = os.environ.get("HOLDFAST_CONFIG_FILE")
    if named:
        return Path(named)
    from platformdirs import user_config_path  # noqa: PLC0415 - as in `state_directory`

    return user_config_path("holdfast") / "config.toml"


def run_turn_at(
    root: Path,
    settings: Settings,
    message: Message,
    *,
    show: Callable[[Event], None],
    say: Callable[[str], None],
    asker: Asker | None,
    cancel: Cancel,
    find: Callable[[Settings, Callable[[str], None]], OpenAICompatible | NotSent] | None = None,
) -> TurnEnded | NotSent:
    """Run one turn on the project at a root. `find` says which model it asks, in the place of `find_model`."""
    from holdfast.sessions.send import NotSent, send  # noqa: PLC0415 - help does without all this

    with ExitStack() as opened:
        workspace = opened.enter_context(open_workspace(root))
        model = (find or find_model)(settings, say)
        if isinstance(model, NotSent):
            return model
        opened.enter_context(model)
        if cancel.is_set():
            return NotSent("cancelled before the turn had begun.", "cancelled")
        crew = _crew(workspace, settings, model, message, asker)
        return crew if isinstance(crew, NotSent) else send(message, crew, show, say, cancel)


def find_model(settings: Settings, say: Callable[[str], None]) -> OpenAICompatible | NotSent:
    """Find the server that is configured, or a local one, and the model to use there."""
    from holdfast.adapters.models.discovery import find_context, find_server  # noqa: PLC0415 - brings httpx
    from holdfast.adapters.models.openai_compatible import OpenAICompatible  # noqa: PLC0415
    from holdfast.adapters.models.servers import NotFound  # noqa: PLC0415
    from holdfast.sessions.send import NotSent  # noqa: PLC0415

    key = _key_for_server(settings, say)
    server = find_server(settings["base_url"], key=key)
    if isinstance(server, NotFound):
        return NotSent(server.message, "needs_login" if server.login else "unreachable")
    name = settings["model"] or next(iter(server.models), None)
    if name is None:
        return NotSent(f"{server.base_url} lists no model; load one there, or name one with --model.", "unreachable")
    context = settings["context"]
    if context is None:
        found = find_context(server, name, key=key)
        context = found.tokens
        if found.warning:
            say(found.warning)
    return OpenAICompatible(server.base_url, name, key=key, context=context, kind=server.kind)


def _key_for_server(settings: Settings, say: Callable[[str], None]) -> str | None:
    """Give the key, unless the project's file says where it would go: a repository must not be able to fetch it."""
    from holdfast.adapters.models.servers import is_loopback  # noqa: PLC0415

    url = settings.values["base_url"]
    key: str | None = settings["api_key"]
    if key is None or not url.source.endswith(PROJECT_FILE) or is_loopback(url.value):
        return key
    say(f"{url.source} names the server, so the key is not sent there; to send it: HOLDFAST_BASE_URL, or --base-url.")
    return None


def _crew(
    workspace: DiskWorkspace,
    settings: Settings,
    model: OpenAICompatible,
    message: Message,
    asker: Asker | None,
) -> Crew | NotSent:
    from holdfast.adapters.folders import DiskFolders  # noqa: PLC0415 - help does without all this
    from holdfast.adapters.grants import DiskGrants  # noqa: PLC0415
    from holdfast.adapters.overview import look_over  # noqa: PLC0415
    from holdfast.adapters.processes import OsCommands  # noqa: PLC0415
    from holdfast.adapters.search import DiskSearcher  # noqa: PLC0415
    from holdfast.adapters.store.errors import StoreError  # noqa: PLC0415
    from holdfast.adapters.store.turn_records import StoredTurns  # noqa: PLC0415
    from holdfast.adapters.tree_digest import DiskTrees  # noqa: PLC0415
    from holdfast.adapters.turn_locks import TurnLocks  # noqa: PLC0415
    from holdfast.guards.budget import Caps  # noqa: PLC0415
    from holdfast.loop.limits import LoopLimits  # noqa: PLC0415
    from holdfast.sessions.editor import ReviewedFiles  # noqa: PLC0415
    from holdfast.sessions.send import Crew, NotSent  # noqa: PLC0415
    from holdfast.tools.bench import Policy, Ports  # noqa: PLC0415
    from holdfast.tools.profile import profile_of  # noqa: PLC0415
    from holdfast.tools.prompt import overview, system_prompt  # noqa: PLC0415
    from holdfast.tools.toolbox import ToolboxOf  # noqa: PLC0415

    root, state = workspace.files.root, state_directory()
    try:
        records = StoredTurns(workspace.store.open(), root, TurnLocks(state))
    except StoreError as error:
        return NotSent(f"the turn cannot be recorded: {error}")
    profile = profile_of(model.name)
    tools = profile.tools(plan=message.plan)
    folders = DiskFolders(str(root))
    repository = look_over(workspace.files, folders)
    if settings["check"]:
        repository = replace(repository, check=settings["check"])
    limits = LoopLimits(Caps(min(60, settings["max_steps"]), settings["max_steps"]), settings["max_tokens"])
    room = min(1_500, limits.window(model.context) // _OVERVIEW_SHARE)

    def bind(files: Files, editor: Editor, gate: Gate) -> ToolboxOf:
        policy = Policy(_rules(settings), plan=message.plan, timeout=settings["command_timeout"])
        covered = files.covered if isinstance(files, ReviewedFiles) else tuple
        here = str(root)
        commands = OsCommands({value.setting.variable for value in settings.values.values() if value.setting.secret})
        ports = Ports(here, files, folders, DiskSearcher(here), editor, commands, gate, DiskTrees(here), covered)
        return ToolboxOf(tools, ports, policy)

    return Crew(
        model=model,
        bind=bind,
        system=f"{system_prompt(tools, profile)}\n{overview(repository, room)}",
        tools=f"{model.name}: {' '.join(tools)}",
        workspace=workspace,
        worktrees=open_worktrees(root, store=workspace.store),
        records=records,
        grants=DiskGrants(state, root),
        asker=asker,
        mode=settings["approve"],
        limits=limits,
        now=time.monotonic,
        secrets=tuple(filter(None, (settings["api_key"], settings["database_url"]))),
    )


def _rules(settings: Settings) -> CommandRules:
    from holdfast.guards.commands import CommandRules  # noqa: PLC0415 - as above

    return CommandRules(allow=settings["allow_commands"], deny=settings["deny_commands"])
