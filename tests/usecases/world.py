"""A root and a state directory for the tests of use cases, and a workspace in which somebody else interferes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from holdfast.adapters.filesystem.journal import DiskJournal
from holdfast.adapters.store.event_log import StoredEventLog
from holdfast.adapters.store.store import open_store
from holdfast.changes.swaps import Batch
from holdfast.usecases.events.ports import LoggedEvent
from holdfast.wiring.places import find_place
from holdfast.wiring.workspaces import DiskWorkspace, open_workspace

Act = Callable[[], object]


class World:
    """One root with files, and what is known about it."""

    def __init__(self, place: Path) -> None:
        self.root = place / "root"
        self.state = place / "state"
        self.root.mkdir()

    def write(self, **texts: str) -> None:
        for name, text in texts.items():
            (self.root / f"{name}.py").write_text(text)

    def texts(self) -> dict[str, str]:
        files = [path for path in self.root.rglob("*") if path.is_file()]
        return {str(path.relative_to(self.root)): path.read_text() for path in files}

    def left(self) -> set[str]:
        """Name the files in the state directory, but for the store's own and where the root is."""
        files = [path.name for path in self.state.rglob("*") if path.is_file()]
        own = ("holdfast.sqlite3", "place.json")
        return {name for name in files if not name.startswith(own)}

    def events(self, after: int = 0) -> list[LoggedEvent]:
        """Return the event log of the root, after a number."""
        with open_store(str(self.state / "holdfast.sqlite3")) as store:
            return list(StoredEventLog(lambda: store, find_place(self.root)).after(after))

    @contextmanager
    def workspace(
        self,
        before_prepare: Act | None = None,
        before_commit: Act | None = None,
        after_commit: Act | None = None,
    ) -> Iterator[DiskWorkspace]:
        """Open the root; somebody else acts at the moments that are given."""
        with open_workspace(self.root) as opened:
            hold = opened.hold

            @contextmanager
            def interfered() -> Iterator[DiskJournal]:
                with hold() as journal:
                    yield Interfered(journal, before_prepare, before_commit, after_commit)

            opened.hold = interfered  # type: ignore[method-assign]
            yield opened


class Interfered(DiskJournal):
    """A journal during whose calls somebody else acts."""

    def __init__(
        self,
        journal: DiskJournal,
        before_prepare: Act | None,
        before_commit: Act | None,
        after_commit: Act | None,
    ) -> None:
        super().__init__(journal._folder, journal._worktree, journal._root, journal.lock)
        self._acts = (before_prepare, before_commit, after_commit)

    def prepare(self, batch: Batch) -> None:
        self._act(0)
        super().prepare(batch)

    def commit(self) -> None:
        self._act(1)
        super().commit()
        self._act(2)

    def _act(self, number: int) -> None:
        act = self._acts[number]
        if act:
            act()
