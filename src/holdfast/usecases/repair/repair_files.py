"""Repair files of a project.

Check and repair several at once, and write them one after the other.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from holdfast.changes.change import AT_ONCE, NO_OWNER, ChangeOwner, RequestedEdits
from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.plan import FileRefused
from holdfast.changes.ports import FileFound, FileMissing, FileUnfit, JournalDamaged
from holdfast.landing.encoding import decode, encode
from holdfast.landing.land import land
from holdfast.repair.decision_ledgers import RememberingLedger
from holdfast.repair.decisions.manifest import BadManifest
from holdfast.repair.outcomes import FirstTrySuccess, RepairOutcome, TimedOut
from holdfast.repair.pipeline import repair
from holdfast.repair.ports import Check, CheckCrashed, PipelinePorts, RepairUnit, ToolchainMissing
from holdfast.rules.rule_json import BadRule
from holdfast.usecases.changes.apply import AppliedReply, PlannedReply, apply_at_once, land_reply
from holdfast.usecases.events.ports import EventLog, EventsUnavailable
from holdfast.usecases.locked_workspace import locked
from holdfast.usecases.redaction import redact
from holdfast.usecases.repair.file_repair import FileRepair
from holdfast.usecases.repair.messages import repair_ended
from holdfast.usecases.repair.slow_tools import SlowTools
from holdfast.usecases.workspace import NothingDone, Workspace
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Landed, Refused
from holdfast.vocab.owned_event import OwnedEvent
from holdfast.vocab.requests import FileRequest, WriteFile

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from holdfast.repair.strictness import RepairPolicy

_TICK = 0.1
_SAME_TEXT = "another process has written the very same text meanwhile."


@dataclass(frozen=True, slots=True)
class RepairDependencies:
    """What a repair of files needs.

    `check_for` returns the check of a path, or None if there is no check for it. `events` is the
    log for repairs outside of a turn; a turn records its own. `stop` cancels the requests that are
    still running. `withdraw` is called with the module and the id of a decision whose code could
    not be written, and the reason. `may_begin` is called before each file, `may_write` with its
    path and diff before it is written; each returns None for yes, or the reason for no.
    """

    workspace: Workspace
    check_for: Callable[[str], Check | None]
    world_for: Callable[[Check], PipelinePorts]
    workers: int = 2
    dry_run: bool = False
    owner: ChangeOwner = NO_OWNER
    stop: Callable[[], None] = lambda: None
    withdraw: Callable[[str, str, str], None] = lambda _module, _sha, _why: None
    events: EventLog | None = None
    may_begin: Callable[[str], str | None] = lambda _path: None
    may_write: Callable[[str, str], str | None] = lambda _path, _diff: None


def repair_files(
    paths: Sequence[str],
    dependencies: RepairDependencies,
    policy: RepairPolicy,
    show: Callable[[FileRepair], None] = lambda _: None,
    met: Collection[str] = (),
) -> tuple[FileRepair, ...]:
    """Repair these files, several at once, and return the result of each, in their order.

    Only compilers and models run at once. Files are written here, one after the other; `show` is
    called as each ends. Files in `met` were found in a directory, not named: they are skipped if
    they are links, or not text.
    """
    done: dict[str, FileRepair] = {}
    slow_tools = SlowTools()
    repair_one = partial(
        _repair_one, dependencies=dependencies, policy=policy, slow_tools=slow_tools
    )
    pool = ThreadPoolExecutor(dependencies.workers, thread_name_prefix="repair")
    try:
        begun = {}
        for path in dict.fromkeys(paths):
            # In our context: a turn marks the processes that are started for it.
            repairing = copy_context()
            begun[pool.submit(repairing.run, repair_one, path, met=path in met)] = path
        for future in _as_they_end(begun):
            settled = _settle(future.result(), dependencies)
            repaired = _publish(settled, dependencies)
            done[begun[future]] = repaired
            show(repaired)
    except BaseException:
        dependencies.stop()
        raise
    finally:
        # After Ctrl-C too: nothing new begins, and what runs is waited for, so that no compiler is
        # left behind.
        pool.shutdown(wait=True, cancel_futures=True)
    return tuple(done[path] for path in dict.fromkeys(paths))


def _as_they_end(
    begun: Iterable[Future[FileRepair | _Ready]],
) -> Iterator[Future[FileRepair | _Ready]]:
    """Yield each future as it ends.

    Not in one long wait: Ctrl-C may reach another thread, and is seen when this one wakes.
    """
    waiting = set(begun)
    while waiting:
        ended, waiting = wait(waiting, _TICK, FIRST_COMPLETED)
        yield from ended


@dataclass(frozen=True, slots=True)
class _Ready:
    """A repair that ended, with the bytes that were checked and the ledger of its decisions."""

    unit: RepairUnit
    outcome: RepairOutcome
    ledger: RememberingLedger


def _repair_one(
    path: str,
    dependencies: RepairDependencies,
    policy: RepairPolicy,
    slow_tools: SlowTools,
    *,
    met: bool,
) -> FileRepair | _Ready:
    """Repair one file in memory; several run at once, and no file is written."""
    refusal = dependencies.may_begin(path)
    if refusal is not None:
        return FileRepair(path, "any", None, trouble=refusal)
    looked = dependencies.workspace.files.look(path)
    match looked:
        case FileMissing():
            return _unfit(path, f"{path}: there is no such file.", met=met)
        case FileUnfit(_, message):
            return _unfit(path, message, met=met)
        case FileFound() if decode(looked.data).binary:
            return _unfit(
                path, f"{path}: this is a binary file; only text can be repaired.", met=met
            )
        case FileFound(at) if met and looked.linked:
            return _unfit(
                path,
                f"{path}: this is a link to {at}, which is repaired under its own name.",
                met=met,
            )
        case FileFound():
            return _repair_found(path, looked, dependencies, policy, slow_tools)


def _unfit(path: str, why: str, *, met: bool) -> FileRepair:
    if met:
        return FileRepair(path, "any", None, skipped=why)
    return FileRepair(path, "any", None, trouble=why)


def _repair_found(
    path: str,
    found: FileFound,
    dependencies: RepairDependencies,
    policy: RepairPolicy,
    slow_tools: SlowTools,
) -> FileRepair | _Ready:
    check = dependencies.check_for(path)
    if check is None:
        trouble = f"{path}: no check is known for this; name one with --target."
        return FileRepair(path, "any", None, trouble=trouble)
    lost = slow_tools.lost_with(check.target)
    if lost is not None:
        return FileRepair(path, check.target, None, trouble=f"{path}: {lost}")
    unit = RepairUnit(path, found.data, check.target)
    try:
        world = dependencies.world_for(check)
        ledger = RememberingLedger(world.ledger)
        outcome = repair(unit, replace(world, ledger=ledger), policy)
    except (ToolchainMissing, CheckCrashed, BadManifest, BadRule) as error:
        problem = str(error).removeprefix(f"{path}: ")
        return FileRepair(path, check.target, None, trouble=f"{path}: {problem}")
    except OSError as error:
        trouble = f"{path}: {_disk_refused(error)}"
        return FileRepair(path, check.target, None, trouble=trouble)
    if isinstance(outcome, TimedOut):
        slow_tools.lose(check.target, outcome.oracle)
    return _Ready(unit, outcome, ledger)


def _disk_refused(error: OSError) -> str:
    if error.filename:
        return f"the disk refused: {error.filename}: {error.strerror}."
    return f"the disk refused: {error.strerror}."


def _settle(ready: FileRepair | _Ready, dependencies: RepairDependencies) -> FileRepair:
    """Write the file of a repair that succeeded, and return the result."""
    if isinstance(ready, FileRepair):
        return ready
    unit, outcome = ready.unit, ready.outcome
    code = outcome.accepted_code()
    if code is None or isinstance(outcome, FirstTrySuccess):
        return FileRepair(unit.path, unit.target, outcome)
    repaired = FileRepair(unit.path, unit.target, outcome, _diff(unit, code))
    if dependencies.dry_run:
        return repaired
    return _settle_code(repaired, ready, code, dependencies)


def _settle_code(
    repaired: FileRepair, ready: _Ready, code: str, dependencies: RepairDependencies
) -> FileRepair:
    """Write the code of a repair if that is allowed, and return the result."""
    unit = ready.unit
    refusal = dependencies.may_write(unit.path, repaired.diff)
    if refusal is not None:
        _withdraw(ready, code, dependencies, refusal)
        return replace(repaired, diff="", trouble=refusal)
    written = _write(repaired, unit, code, dependencies)
    match written:
        case AppliedReply():
            return replace(
                repaired,
                note=_confirm(ready),
                change_id=written.change_id or "",
                landed=written.files[0],
                events=written.events,
                seq=written.seq,
            )
        case AlreadyThere():
            return replace(repaired, note=_join_notes(_SAME_TEXT, _confirm(ready)))
        case NothingDone():
            why = " ".join(each.refused.message for each in written.refusals)
            # The next command may finish what is begun: the code counts as written until it is
            # known that it is not.
            if not written.unsettled:
                _withdraw(ready, code, dependencies, why)
            return replace(repaired, diff="", trouble=why, seq=written.seq)


def _join_notes(*notes: str) -> str:
    return " ".join(filter(None, notes))


def _publish(repaired: FileRepair, dependencies: RepairDependencies) -> FileRepair:
    """Publish the end of a repair outside of a turn that wrote no file.

    The end of a repair that wrote a file was published with its change.
    """
    log = dependencies.events
    if log is None or dependencies.dry_run:
        return repaired
    written = repaired.change_id is not None
    if written or not _was_tried(repaired.outcome):
        return repaired
    try:
        seq = log.publish(_end_events(repaired, dependencies))
    except EventsUnavailable as error:
        note = f"this is not in the event log: {error}"
        return replace(repaired, note=_join_notes(repaired.note, note))
    return replace(repaired, seq=seq)


def _was_tried(outcome: RepairOutcome | None) -> bool:
    """Return whether the file failed its check, so that a repair was tried."""
    if outcome is None:
        return False
    return not isinstance(outcome, FirstTrySuccess)


def _end_events(repaired: FileRepair, dependencies: RepairDependencies) -> list[OwnedEvent]:
    """Return the event of a repair outside of a turn.

    None in a turn, which records it in its transcript.
    """
    if dependencies.events is None:
        return []
    return [OwnedEvent(redact(repair_ended(repaired), dependencies.workspace.secrets))]


def _write(
    repaired: FileRepair, unit: RepairUnit, code: str, dependencies: RepairDependencies
) -> AppliedReply | AlreadyThere | NothingDone:
    """Write the code; refuse if the state directory or the database cannot be used."""

    def announce(change_id: str) -> list[OwnedEvent]:
        return _end_events(replace(repaired, change_id=change_id), dependencies)

    try:
        return write_repaired(unit, code, dependencies.workspace, dependencies.owner, announce)
    except (JournalDamaged, LogUnavailable) as error:
        problem = str(error)
    except OSError as error:
        problem = _disk_refused(error)
    refused = Refused("conflict", f"{unit.path}: nothing was written: {problem}")
    return NothingDone((FileRefused(unit.path, refused),))


def _confirm(ready: _Ready) -> str:
    """Record that the code is written; return why that failed, or ""."""
    try:
        ready.ledger.confirm()
    except BadManifest as error:
        return _not_on_record(str(error))
    except OSError as error:
        return _not_on_record(f"{error.filename}: {error.strerror}.")
    return ""


def _not_on_record(problem: str) -> str:
    return f"the file is repaired, but that is not on record: {problem}"


def _withdraw(ready: _Ready, code: str, dependencies: RepairDependencies, why: str) -> None:
    """Record that the code is not written, unless another process has written it.

    Under the lock: a process that writes the same text a moment later confirms it afterwards. If
    the lock cannot be had, no process writes.
    """
    with ExitStack() as stack:
        with suppress(JournalDamaged, LogUnavailable, OSError):
            stack.enter_context(locked(dependencies.workspace))
        if not _has_code(ready.unit, code, dependencies.workspace):
            for decision in ready.ledger.accepted:
                dependencies.withdraw(decision.module, decision.id, why)


@dataclass(frozen=True, slots=True)
class AlreadyThere:
    """The file has the code that was verified: another process has repaired it the same way."""


def write_repaired(
    unit: RepairUnit,
    code: str,
    workspace: Workspace,
    owner: ChangeOwner = NO_OWNER,
    announce: Callable[[str], Sequence[OwnedEvent]] = lambda _change_id: (),
) -> AppliedReply | AlreadyThere | NothingDone:
    """Swap the file for the code that was verified, and record that as a change.

    `announce` returns further events to publish when the change with this id is applied.

    Only if the file still has the bytes that were checked: else another edit would be lost, and
    the code is not what was verified.
    """
    request = FileRequest(unit.path, "create", WriteFile(code))
    with locked(workspace) as root:
        if root.refused:
            return root.refused
        if _has_code(unit, code, workspace):
            return AlreadyThere()
        landed = land_reply(RequestedEdits((request,), overwrite=True), workspace.files)
        if not isinstance(landed, PlannedReply):
            return NothingDone(landed, root.recovered)
        swap = landed.plan.swaps[0]
        if swap.before is None or swap.before.data != unit.data:
            message = (
                f"{unit.path}: this changed while it was repaired, and was left as it is; run "
                "this again."
            )
            refused = FileRefused(unit.path, Refused("conflict", message))
            return NothingDone((refused,), root.recovered)
        change = landed.as_change(workspace.new_id(), AT_ONCE, owner)
        return apply_at_once(change, root, announce(change.id))


def _has_code(unit: RepairUnit, code: str, workspace: Workspace) -> bool:
    """Return whether the file has the bytes of this code."""
    looked = workspace.files.look(unit.path)
    if not isinstance(looked, FileFound):
        return False
    return looked.data == encode(code, decode(unit.data).encoding)


def _diff(unit: RepairUnit, code: str) -> str:
    landed = land(decode(unit.data).text, WriteFile(code), unit.path)
    if isinstance(landed, Landed):
        return landed.diff
    return ""
