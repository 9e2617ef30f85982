"""Events of changes and of the edits in them.

Apart from the other events: a command that only lists or rewinds changes needs no others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.vocab.outcomes import Rung
    from holdfast.vocab.requests import Action


@dataclass(frozen=True, slots=True)
class EditLanded:
    """An edit landed on a file. `proposed` says that it waits for review and is not on the disk."""

    path: str
    action: Action
    rung: Rung
    similarity: float
    diff: str
    change_id: str | None = None
    to: str | None = None
    proposed: bool = False
    kind: Literal["edit_landed"] = "edit_landed"


@dataclass(frozen=True, slots=True)
class EditObserved:
    """Another program changed a file; the change `change_id` records it.

    `by` is `command` for a command of the turn, `agent` for the external agent of the turn, else
    `outside`. If the change does not have the contents of the file, or these look like secrets,
    `diff` is the reason.
    """

    path: str
    action: Action
    to: str | None
    diff: str
    change_id: str
    by: Literal["command", "agent", "outside"] = "command"
    kind: Literal["edit_observed"] = "edit_observed"


@dataclass(frozen=True, slots=True)
class FileWritten:
    """A file as a change has left it: the digest of its content, "" for no file.

    `mode` is its mode, if the change has set that.
    """

    path: str
    digest: str
    mode: int | None = None


@dataclass(frozen=True, slots=True)
class ChangeMoved:
    """A change is in a new state, its first one included.

    A new change is the last in the order, and so is one that becomes applied. With `replaces` it
    gets the place of that change, which becomes the last. Changes that are undone or redone
    together have the same `group`. `written` are the files that were written to apply or rewind it.
    """

    change_id: str
    state: Literal["proposed", "applied", "rejected", "rewound"]
    replaces: str | None = None
    group: str | None = None
    written: tuple[FileWritten, ...] = ()
    kind: Literal["change_moved"] = "change_moved"


@dataclass(frozen=True, slots=True)
class ChangesRemoved:
    """Changes are no longer on record."""

    change_ids: tuple[str, ...]
    kind: Literal["changes_removed"] = "changes_removed"


@dataclass(frozen=True, slots=True)
class Recovered:
    """What a command did about work that a dead process had left half done.

    `id` is that of the change whose files a `batch` writes, or of the checkpoint to which a
    `restore` leads. `finished`: it is done now. `rolled_back`: it never was. `dropped`: files were
    restored since, so it is not carried out any more. `stopped`: another program has changed its
    files, and the others are as before. `paths` are the files of a batch.
    """

    what: Literal["batch", "restore"]
    id: str
    outcome: Literal["finished", "rolled_back", "dropped", "stopped"]
    message: str
    paths: tuple[str, ...] = ()
    kind: Literal["recovered"] = "recovered"
