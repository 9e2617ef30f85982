"""The result of repairing one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from holdfast.changes.plan import FileLanded
    from holdfast.repair.outcomes import RepairOutcome
    from holdfast.vocab.diagnostics import Diagnostic
    from holdfast.vocab.events import Event


@dataclass(frozen=True, slots=True)
class FileRepair:
    """The result for one file: its `outcome`, or in `trouble` why the repair was not carried out.

    `diff` is what changed, or would change. `change_id` names the recorded change and `landed` is
    what it did; both are None where no file was written. `skipped` is the reason why a file that
    was only found in a directory cannot be repaired. `note` is a further remark. `events` were
    published with the change. `seq` is the number of the last event of this file, None if none was
    published. `diagnostics` are those of the file as it was found.
    """

    path: str
    target: str
    outcome: RepairOutcome | None
    diff: str = ""
    change_id: str | None = None
    trouble: str | None = None
    landed: FileLanded | None = None
    skipped: str | None = None
    note: str = ""
    events: tuple[Event, ...] = ()
    seq: int | None = None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def success(self) -> bool:
        """Whether the file passes now."""
        if self.outcome is None:
            return False
        if self.trouble is not None:
            return False
        return self.outcome.is_success()


@dataclass(frozen=True, slots=True)
class NotRepaired:
    """A repair that could not end: a tool, a rule or a decision cannot be used."""

    problem: str


@dataclass(frozen=True, slots=True)
class AlreadyThere:
    """The file has the code that was verified: another process has repaired it the same way."""
