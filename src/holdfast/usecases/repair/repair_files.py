"""Repair files of a project.

Check and repair several at once, and write them one after the other.
"""

from __future__ import annotations

import math
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from contextvars import copy_context
from dataclasses import field, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from holdfast.changes.change import NO_OWNER, ChangeOwner
from holdfast.changes.change_log import LogUnavailable
from holdfast.changes.plan import FileRefused
from holdfast.changes.ports import FileFound, FileMissing, FileUnfit, JournalDamaged
from holdfast.landing.encoding import decode
from holdfast.repair.decisions.decision import REPLAY
from holdfast.repair.decisions.manifest import BadManifest
from holdfast.repair.ledger_wrappers import RememberingLedger
from holdfast.repair.outcomes import FirstTrySuccess, RepairOutcome, TimedOut
from holdfast.repair.ports import (
    Check,
    CheckCrashed,
    Checked,
    CheckTimedOut,
    PipelinePorts,
    RepairUnit,
    ToolchainMissing,
)
from holdfast.repair.worker_slots import WorkerSlots
from holdfast.usecases.events.ports import EventLog, EventsUnavailable
from holdfast.usecases.locked_workspace import locked
from holdfast.usecases.redaction import redact
from holdfast.usecases.repair.descriptions import repair_ended
from holdfast.usecases.repair.file_repair import AlreadyThere, FileRepair, NotRepaired
from holdfast.usecases.repair.noting_check import NotingCheck
from holdfast.usecases.repair.slow_tools import SlowTools
from holdfast.usecases.workspace import NothingDone, Workspace
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.owned_event import OwnedEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from holdfast.repair.strictness import RepairPolicy
    from holdfast.usecases.changes.apply import AppliedReply
    from holdfast.vocab.diagnostics import Diagnostic

CheckedUnit: TypeAlias = tuple[Check, RepairUnit]
"""A file and its check."""

_TICK = 0.1
_HEAD_START = 0.015
"""Seconds that it takes to start the first tools."""
_LARGEST_CHUNK = 50
_MOST_WAITING = 16
"""How many files may wait for a model, or for another file, beside those that are worked on."""
_SAME_TEXT = "another process has written the very same text meanwhile."


@dataclass(frozen=True, slots=True)
class RepairDependencies:
    """What a repair of files needs.

    `check_for` returns the check of a path, or None if there is no check for it. Files for which
    `can_batch` returns True are checked with `check_together`, in one run of a tool; the result may
    lack some of them, which are then checked alone. `events` is the log for repairs outside of a
    turn; a turn records its own. `stop` cancels the requests that are still running. `withdraw` is
    called with the module and the id of a decision whose code could not be written, and the reason.
    `may_begin` is called before each file, `may_write` with its path and diff before it is written;
    each returns None for yes, or the reason for no. `is_secret` returns whether a file has secrets,
    for its path and its real path: such a file is not repaired, for a model sees the whole of it,
    and decisions and rules have its lines.
    """

    workspace: Workspace
    check_for: Callable[[str], Check | None]
    world_for: Callable[[Check], PipelinePorts]
    is_secret: Callable[[str, str], bool]
    can_batch: Callable[[str], bool] = lambda _path: False
    check_together: Callable[[Sequence[CheckedUnit]], Mapping[str, Checked | CheckTimedOut]] = (
        lambda _files: {}
    )
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
    *,
    tick: Callable[[], None] = lambda: None,
) -> tuple[FileRepair, ...]:
    """Repair these files, several at once, and return the result of each, in their order.

    Only compilers and models run at once. Files are written here, one after the other; `show` is
    called as each ends, and `tick` several times a second. Files in `met` were found in a
    directory, not named: they are skipped if they are links, or not text.
    """
    done: dict[str, FileRepair] = {}
    slots = WorkerSlots(dependencies.workers)
    run = _Run(dependencies, policy, SlowTools(), frozenset(met), slots)
    threads = dependencies.workers + _MOST_WAITING
    pool = ThreadPoolExecutor(threads, thread_name_prefix="repair")
    try:
        waiting: set[Future[list[_Result]]] = set()
        for chunk in _chunks(paths, dependencies):
            run.tasks.append(partial(_begin, chunk, run))
            waiting.add(_submit(pool, run))

        # The first tools start before that: an import would hold them up.
        wait(waiting, _HEAD_START, FIRST_COMPLETED)
        _import_rest()
        while waiting:
            # Not in one long wait: Ctrl-C is raised by `tick`.
            ended, waiting = wait(waiting, _TICK, FIRST_COMPLETED)
            tick()
            for each in chain.from_iterable(future.result() for future in ended):
                if isinstance(each, _Begun):
                    waiting.add(_submit(pool, run))
                    continue
                repaired = _publish(_settle(each, dependencies), dependencies)
                done[repaired.path] = repaired
                show(repaired)
    except BaseException:
        dependencies.stop()
        raise
    finally:
        # After Ctrl-C too: nothing new begins, and what runs is waited for, so that no compiler is
        # left behind.
        pool.shutdown(wait=True, cancel_futures=True)

    return tuple(done[path] for path in dict.fromkeys(paths))


def _import_rest() -> None:
    """Import what a file that fails its check needs, while the first checks run.

    That takes as long as two runs of ruff.
    """
    from holdfast.usecases.repair import repaired_code, unit_repair  # noqa: F401, PLC0415 - see above


@dataclass(frozen=True, slots=True)
class _Run:
    """What the repairs of a run have in common."""

    dependencies: RepairDependencies
    policy: RepairPolicy
    slow_tools: SlowTools
    met: Collection[str]
    slots: WorkerSlots
    tasks: deque[_Task] = field(default_factory=deque)


@dataclass(frozen=True, slots=True)
class _Begun:
    """A file that is to be repaired; `first` is the result of its check, if it is known."""

    unit: RepairUnit
    check: Check
    first: Checked | CheckTimedOut | None = None


def _chunks(paths: Sequence[str], dependencies: RepairDependencies) -> list[list[str]]:
    """Divide the files among the workers: files that are checked together, and single ones."""
    together: list[str] = []
    chunks: list[list[str]] = []
    for path in dict.fromkeys(paths):
        if dependencies.can_batch(path):
            together.append(path)
        else:
            chunks.append([path])

    share = math.ceil(len(together) / dependencies.workers)
    size = max(1, min(_LARGEST_CHUNK, share))
    for begin in range(0, len(together), size):
        end = begin + size
        chunks.append(together[begin:end])

    return chunks


def _submit(pool: ThreadPoolExecutor, run: _Run) -> Future[list[_Result]]:
    # In our context: a turn marks the processes that are started for it.
    return pool.submit(copy_context().run, _run_next, run)


def _run_next(run: _Run) -> list[_Result]:
    """Run the next task. It is taken with a slot, so that tasks begin in their order."""
    with run.slots:
        return run.tasks.popleft()()


def _begin(paths: Sequence[str], run: _Run) -> list[_Result]:
    """Check these files, together where that is possible; those that fail are repaired next."""
    results: list[_Result] = []
    begun: list[_Begun] = []
    for path in paths:
        looked = _look(path, run)
        if isinstance(looked, _Begun):
            begun.append(looked)
        else:
            results.append(looked)

    if len(begun) == 1:
        return results + _repair_begun(begun[0], run)

    known = run.dependencies.check_together([(each.check, each.unit) for each in begun])
    failing: list[_Begun] = []
    for each in begun:
        first = known.get(each.unit.path)
        checked = replace(each, first=first)
        if isinstance(first, Checked) and first.ok:
            results += _repair_begun(checked, run)
        else:
            failing.append(checked)

    # Before further files are checked: others wait for the rule that the first of them learns.
    run.tasks.extendleft(partial(_repair_begun, each, run) for each in reversed(failing))
    results += failing
    return results


@dataclass(frozen=True, slots=True)
class _Ready:
    """A repair that ended, with the bytes that were checked and the ledger of its decisions."""

    unit: RepairUnit
    outcome: RepairOutcome
    ledger: RememberingLedger
    diagnostics: tuple[Diagnostic, ...] = ()


_Result: TypeAlias = FileRepair | _Ready | _Begun
_Task: TypeAlias = "Callable[[], list[_Result]]"


def _look(path: str, run: _Run) -> FileRepair | _Begun:
    """Read a file and find its check; return the result if it cannot be checked."""
    dependencies = run.dependencies
    refusal = dependencies.may_begin(path)
    if refusal is not None:
        return FileRepair(path, "any", None, trouble=refusal)

    looked = dependencies.workspace.files.look(path)
    match looked:
        case FileMissing():
            why = f"{path}: there is no such file."
        case FileUnfit(_, message):
            why = message
        case FileFound():
            why = _why_unfit(path, looked, run)
            if not why:
                return _with_check(path, looked.data, dependencies)

    return _unfit(path, why, met=path in run.met)


def _why_unfit(path: str, found: FileFound, run: _Run) -> str:
    """Return why a file cannot be repaired, or ""."""
    if decode(found.data).binary:
        return f"{path}: this is a binary file; only text can be repaired."
    if run.dependencies.is_secret(path, found.at):
        return f"{path}: this is a file with passwords or keys, by one of its names; not repaired."
    if path in run.met and found.linked:
        return f"{path}: this is a link to {found.at}, which is repaired under its own name."
    return ""


def _with_check(path: str, data: bytes, dependencies: RepairDependencies) -> FileRepair | _Begun:
    check = dependencies.check_for(path)
    if check is None:
        trouble = f"{path}: no check is known for this; name one with --target."
        return FileRepair(path, "any", None, trouble=trouble)
    return _Begun(RepairUnit(path, data, check.target), check)


def _unfit(path: str, why: str, *, met: bool) -> FileRepair:
    if met:
        return FileRepair(path, "any", None, skipped=why)
    return FileRepair(path, "any", None, trouble=why)


def _repair_begun(begun: _Begun, run: _Run) -> list[_Result]:
    """Repair one file in memory; several run at once, and no file is written."""
    unit, check = begun.unit, begun.check
    lost = run.slow_tools.lost_with(check.target)
    if lost is not None and begun.first is None:
        return [FileRepair(unit.path, check.target, None, trouble=f"{unit.path}: {lost}")]

    world = run.dependencies.world_for(check)
    ledger = RememberingLedger(world.ledger)
    noting = NotingCheck(world.check, begun.first)
    try:
        noting.run_first(unit)
        ports = replace(world, ledger=ledger, check=noting, waiting=run.slots.lent)
        outcome = _repair_unit(unit, ports, run.policy)
    except (ToolchainMissing, CheckCrashed) as error:
        return [_failed(unit, noting, str(error))]
    except OSError as error:
        return [_failed(unit, noting, _disk_refused(error))]

    if isinstance(outcome, NotRepaired):
        return [_failed(unit, noting, outcome.problem)]

    if isinstance(outcome, TimedOut):
        run.slow_tools.lose(check.target, outcome.oracle)

    return [_Ready(unit, outcome, ledger, noting.first)]


def _repair_unit(
    unit: RepairUnit, ports: PipelinePorts, policy: RepairPolicy
) -> RepairOutcome | NotRepaired:
    # After the first check, during which `_import_rest` imports the same.
    from holdfast.usecases.repair.unit_repair import repair_unit  # noqa: PLC0415 - see above

    return repair_unit(unit, ports, policy)


def _failed(unit: RepairUnit, noting: NotingCheck, problem: str) -> FileRepair:
    trouble = f"{unit.path}: {problem.removeprefix(f'{unit.path}: ')}"
    return FileRepair(unit.path, unit.target, None, trouble=trouble, diagnostics=noting.first)


def _disk_refused(error: OSError) -> str:
    if error.filename:
        return f"the disk refused: {error.filename}: {error.strerror}."
    return f"the disk refused: {error.strerror}."


def _settle(ready: FileRepair | _Ready, dependencies: RepairDependencies) -> FileRepair:
    """Write the file of a repair that succeeded, and return the result."""
    if isinstance(ready, FileRepair):
        return ready
    settled = _settle_ready(ready, dependencies)
    note = _join_notes(settled.note, *_refused_pins(ready.ledger))
    return replace(settled, note=note, diagnostics=ready.diagnostics)


def _refused_pins(ledger: RememberingLedger) -> list[str]:
    """Return a sentence for each pinned decision that was tried and did not help."""
    notes = []
    for decision in ledger.refused:
        if decision.choice.startswith(REPLAY):
            pinned = decision.choice.removeprefix(REPLAY)
            reason = decision.detail.partition("\n")[0]
            notes.append(f"the pinned decision {pinned} was tried and refused: {reason}")

    return notes


def _settle_ready(ready: _Ready, dependencies: RepairDependencies) -> FileRepair:
    unit, outcome = ready.unit, ready.outcome
    code = outcome.accepted_code()
    if code is None or isinstance(outcome, FirstTrySuccess):
        return FileRepair(unit.path, unit.target, outcome)

    from holdfast.usecases.repair.repaired_code import diff_of  # noqa: PLC0415 - see `_import_rest`

    repaired = FileRepair(unit.path, unit.target, outcome, diff_of(unit, code))
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
        case AlreadyThere():
            return replace(repaired, note=_join_notes(_SAME_TEXT, _confirm(ready)))
        case NothingDone():
            why = " ".join(each.refused.message for each in written.refusals)
            # The next command may finish what is begun: the code counts as written until it is
            # known that it is not.
            if not written.unsettled:
                _withdraw(ready, code, dependencies, why)
            return replace(repaired, diff="", trouble=why, seq=written.seq)
        case _:
            return replace(
                repaired,
                note=_confirm(ready),
                change_id=written.change_id or "",
                landed=written.files[0],
                events=written.events,
                seq=written.seq,
            )


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
    from holdfast.usecases.repair.repaired_code import write_repaired  # noqa: PLC0415 - see `_import_rest`

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
    from holdfast.usecases.repair.repaired_code import has_code  # noqa: PLC0415 - see `_import_rest`

    with ExitStack() as stack:
        with suppress(JournalDamaged, LogUnavailable, OSError):
            stack.enter_context(locked(dependencies.workspace))
        if not has_code(ready.unit, code, dependencies.workspace):
            for decision in ready.ledger.accepted:
                dependencies.withdraw(decision.module, decision.id, why)
