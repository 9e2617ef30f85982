"""Repair files of a project.

Find them, check and mend many at once, and swap each by the one writer there is.
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from holdfast.changes.change import AT_ONCE, NO_OWNER, ChangeOwner, RequestedEdits
from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.plan import FileRefused
from holdfast.changes.ports import FileFound, FileMissing, FileUnfit, JournalDamaged
from holdfast.changes.transaction import Stopped
from holdfast.landing.encoding import decode, encode
from holdfast.landing.land import land
from holdfast.repair.decisions.manifest import BadManifest
from holdfast.repair.ledgers import RememberingLedger
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
from holdfast.usecases.workspace import NothingDone, Workspace, nothing_done
from holdfast.vocab.events import OwnedEvent
from holdfast.vocab.outcomes import Landed, Refused
from holdfast.vocab.requests import FileRequest, WriteFile

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from holdfast.repair.strictness import RepairPolicy

_TICK = 0.1
_SAME_TEXT = "another process has written the very same text meanwhile."


@dataclass(frozen=True, slots=True)
class RepairDependencies:
    """Whoever takes part.

    `check_for` gives the check of a path, None for one that nobody can check. `events` is the log
    for repairs outside of a turn; a turn records its own. `stop` makes whoever is asked hang up.
    `withdraw` is problem the module and the id of a decision whose code could not be written, and
    why. `may_begin` is asked before each file, `may_write` with its path and diff before it is
    written; each gives None for yes, or why not.
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
    """Repair these files, several at once, and give what became of each, in their order.

    Only compilers and models run at once. Files are written here, one after the other; `show` is
    called as each ends. Those that were `met`, not named, are skipped if they are links, or no
    text.
    """
    done: dict[str, FileRepair] = {}
    patience = SlowTools()
    mend = partial(_mend, dependencies=dependencies, policy=policy, patience=patience)
    pool = ThreadPoolExecutor(dependencies.workers, thread_name_prefix="repair")
    try:
        begun = {pool.submit(mend, path, met=path in met): path for path in dict.fromkeys(paths)}
        for future in _as_they_end(begun):
            mended = _publish(_settle(future.result(), dependencies), dependencies)
            done[begun[future]] = mended
            show(mended)
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
    """Return each as it ends.

    Not in one long wait: Ctrl-C may reach another thread, and is seen when this one wakes.
    """
    waiting = set(begun)
    while waiting:
        ended, waiting = wait(waiting, _TICK, FIRST_COMPLETED)
        yield from ended


@dataclass(frozen=True, slots=True)
class _Ready:
    """A repair that ended, with the bytes that it was about, and what it has put on record."""

    unit: RepairUnit
    outcome: RepairOutcome
    noted: RememberingLedger


def _mend(
    path: str,
    dependencies: RepairDependencies,
    policy: RepairPolicy,
    patience: SlowTools,
    *,
    met: bool,
) -> FileRepair | _Ready:
    """Repair one file in memory; runs beside others, and writes none."""
    barred = dependencies.may_begin(path)
    if barred is not None:
        return FileRepair(path, "any", None, trouble=barred)
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
            return _mend_found(path, looked, dependencies, policy, patience)


def _unfit(path: str, why: str, *, met: bool) -> FileRepair:
    return (
        FileRepair(path, "any", None, skipped=why)
        if met
        else FileRepair(path, "any", None, trouble=why)
    )


def _mend_found(
    path: str,
    found: FileFound,
    dependencies: RepairDependencies,
    policy: RepairPolicy,
    patience: SlowTools,
) -> FileRepair | _Ready:
    check = dependencies.check_for(path)
    if check is None:
        return FileRepair(
            path,
            "any",
            None,
            trouble=f"{path}: no check is known for this; name one with --target.",
        )
    lost = patience.lost_with(check.target)
    if lost is not None:
        return FileRepair(path, check.target, None, trouble=f"{path}: {lost}")
    unit = RepairUnit(path, found.data, check.target)
    try:
        world = dependencies.world_for(check)
        noted = RememberingLedger(world.ledger)
        outcome = repair(unit, replace(world, ledger=noted), policy)
    except (ToolchainMissing, CheckCrashed, BadManifest, BadRule) as error:
        problem = str(error).removeprefix(f"{path}: ")
        return FileRepair(path, check.target, None, trouble=f"{path}: {problem}")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return FileRepair(
            path, check.target, None, trouble=f"{path}: the disk refused: {where}{error.strerror}."
        )
    if isinstance(outcome, TimedOut):
        patience.lose(check.target, outcome.oracle)
    return _Ready(unit, outcome, noted)


def _settle(ready: FileRepair | _Ready, dependencies: RepairDependencies) -> FileRepair:
    if isinstance(ready, FileRepair):
        return ready
    unit, outcome = ready.unit, ready.outcome
    code = outcome.accepted_code()
    if code is None or isinstance(outcome, FirstTrySuccess):
        return FileRepair(unit.path, unit.target, outcome)
    mended = FileRepair(unit.path, unit.target, outcome, _diff(unit, code))
    if dependencies.dry_run:
        return mended
    barred = dependencies.may_write(unit.path, mended.diff)
    written = _write(mended, unit, code, dependencies) if barred is None else None
    match written:
        case AppliedReply():
            return replace(
                mended,
                note=_confirm(ready),
                change_id=written.change_id or "",
                landed=written.files[0],
                events=written.events,
            )
        case AlreadyThere():
            note = " ".join(filter(None, (_SAME_TEXT, _confirm(ready))))
            return replace(mended, note=note)
        case NothingDone():
            why = " ".join(each.refused.message for each in written.refusals)
        case None:
            why = barred or ""
    # What is begun the next command may finish: the code counts as standing until it is known not
    # to.
    if written is None or not written.unsettled:
        _withdraw(ready, code, dependencies, why)
    return replace(mended, diff="", trouble=why)


def _publish(mended: FileRepair, dependencies: RepairDependencies) -> FileRepair:
    """Publish how a repair outside of a turn ended that wrote no file.

    With a file, that is published already.
    """
    log = dependencies.events
    tried = mended.outcome is not None and not isinstance(mended.outcome, FirstTrySuccess)
    if log is None or not tried or mended.change_id is not None or dependencies.dry_run:
        return mended
    try:
        log.publish(_announced(mended, dependencies))
    except EventsUnavailable as error:
        note = f"this is not in the event log: {error}"
        return replace(mended, note=" ".join(filter(None, (mended.note, note))))
    return mended


def _announced(mended: FileRepair, dependencies: RepairDependencies) -> list[OwnedEvent]:
    """Return the event of a repair outside of a turn.

    None in a turn, which records it in its transcript.
    """
    if dependencies.events is None:
        return []
    return [OwnedEvent(redact(repair_ended(mended), dependencies.workspace.secrets))]


def _write(
    mended: FileRepair, unit: RepairUnit, code: str, dependencies: RepairDependencies
) -> AppliedReply | AlreadyThere | NothingDone:
    """Write it; a state directory or a database that cannot be used is a refusal too."""

    def announce(change_id: str) -> list[OwnedEvent]:
        return _announced(replace(mended, change_id=change_id), dependencies)

    try:
        return write_repaired(unit, code, dependencies.workspace, dependencies.owner, announce)
    except (JournalDamaged, LogUnavailable) as error:
        problem = str(error)
    except OSError as error:
        problem = (
            f"the disk refused: {f'{error.filename}: ' if error.filename else ''}{error.strerror}."
        )
    refused = Refused("conflict", f"{unit.path}: nothing was written: {problem}")
    return NothingDone((FileRefused(unit.path, refused),))


def _confirm(ready: _Ready) -> str:
    """Have it on record that the code stands; give what went wrong with that, or nothing."""
    try:
        ready.noted.confirm()
    except BadManifest as error:
        return f"the file is mended, but that is not on record: {error}"
    except OSError as error:
        return f"the file is mended, but that is not on record: {error.filename}: {error.strerror}."
    return ""


def _withdraw(ready: _Ready, code: str, dependencies: RepairDependencies, why: str) -> None:
    """Have it on record that the code does not stand; unless it does, by somebody else's hand.

    Under the lock: whoever writes the same text a moment later confirms it afterwards. Where there
    is no lock to be had nobody writes.
    """
    with ExitStack() as stack:
        with suppress(JournalDamaged, LogUnavailable, OSError):
            stack.enter_context(locked(dependencies.workspace))
        if not _holds(ready.unit, code, dependencies.workspace):
            for decision in ready.noted.accepted:
                dependencies.withdraw(decision.module, decision.id, why)


@dataclass(frozen=True, slots=True)
class AlreadyThere:
    """The file holds the code that was verified: another process has mended it the same way."""


def write_repaired(
    unit: RepairUnit,
    code: str,
    workspace: Workspace,
    owner: ChangeOwner = NO_OWNER,
    announce: Callable[[str], Sequence[OwnedEvent]] = lambda _change_id: (),
) -> AppliedReply | AlreadyThere | NothingDone:
    """Swap the file for the code that was verified, and record that as a change.

    `announce` returns further events to publish when the change with this id is applied.

    Only if the file still has the bytes that were checked: else somebody's edit would be lost, and
    the code is not what was verified.
    """
    request = FileRequest(unit.path, "create", WriteFile(code))
    with locked(workspace) as root:
        if isinstance(root.recovered, Stopped):
            return nothing_done(root.recovered.outcome, root.recovered)
        if _holds(unit, code, workspace):
            return AlreadyThere()
        landed = land_reply(RequestedEdits((request,), overwrite=True), workspace.files)
        if not isinstance(landed, PlannedReply):
            return NothingDone(landed, root.recovered)
        swap = landed.plan.swaps[0]
        if swap.before is None or swap.before.data != unit.data:
            moved = (
                f"{unit.path}: this changed while it was repaired, and was left as it is; run "
                "this again."
            )
            return NothingDone(
                (FileRefused(unit.path, Refused("conflict", moved)),), root.recovered
            )
        change = landed.as_change(workspace.new_id(), AT_ONCE, owner)
        return apply_at_once(change, root, announce(change.id))


def _holds(unit: RepairUnit, code: str, workspace: Workspace) -> bool:
    """Whether the file has the bytes of this code."""
    looked = workspace.files.look(unit.path)
    return isinstance(looked, FileFound) and looked.data == encode(code, decode(unit.data).encoding)


def _diff(unit: RepairUnit, code: str) -> str:
    landed = land(decode(unit.data).text, WriteFile(code), unit.path)
    return landed.diff if isinstance(landed, Landed) else ""
