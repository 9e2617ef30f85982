"""Repair files of a project: find them, check and mend many at once, and swap each by the one writer there is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from holdfast.changes.change import AT_ONCE, NOBODY, Asked, Owner
from holdfast.changes.files import Found, Missing, Unfit
from holdfast.changes.plan import FileLanded, FileRefused
from holdfast.changes.transaction import Stopped
from holdfast.landing.encoding import decode, encode
from holdfast.landing.land import land
from holdfast.repair.decisions.ids import module_of, sha_of
from holdfast.repair.decisions.manifest import BadManifest
from holdfast.repair.outcomes import FirstTrySuccess, Outcome
from holdfast.repair.pipeline import repair
from holdfast.repair.ports import Check, CheckCrashed, ToolchainMissing
from holdfast.repair.rules.rule_json import BadRule
from holdfast.repair.strictness import Policy
from holdfast.repair.unit import Unit, World
from holdfast.sessions.apply import Applied, Landing, apply_at_once, land_reply
from holdfast.sessions.held import held
from holdfast.sessions.workspace import NothingDone, Workspace, nothing_done
from holdfast.vocab.outcomes import Landed, Refused
from holdfast.vocab.requests import FileRequest, WriteFile

_TICK = 0.1


@dataclass(frozen=True, slots=True)
class RepairCrew:
    """Whoever takes part. `check_for` gives the check of a path, None for one that nobody can check.

    `stop` makes whoever is asked hang up. `withdraw` is told the module and the hash of what could not be written.
    `may_begin` is asked before each file, `may_write` with its path and diff before it is written; each gives None for
    yes, or why not.
    """

    workspace: Workspace
    check_for: Callable[[str], Check | None]
    world_for: Callable[[Check], World]
    workers: int = 2
    dry_run: bool = False
    owner: Owner = NOBODY
    stop: Callable[[], None] = lambda: None
    withdraw: Callable[[str, str, str], None] = lambda _module, _sha, _why: None
    may_begin: Callable[[str], str | None] = lambda _path: None
    may_write: Callable[[str, str], str | None] = lambda _path, _diff: None


@dataclass(frozen=True, slots=True)
class Mended:
    """How one file ended: its outcome, or (`trouble`) why there is none. `diff` is what changed, or would.

    `change_id` names the change on record, `landed` is what it did; None where no file was written.
    """

    path: str
    target: str
    outcome: Outcome | None
    diff: str = ""
    change_id: str | None = None
    trouble: str | None = None
    landed: FileLanded | None = None

    @property
    def success(self) -> bool:
        """Whether the file passes now."""
        return self.outcome is not None and self.outcome.is_success() and self.trouble is None


def repair_files(
    paths: Sequence[str], crew: RepairCrew, policy: Policy, show: Callable[[Mended], None] = lambda _: None
) -> tuple[Mended, ...]:
    """Repair these files, several at once, and give what became of each, in their order.

    Only compilers and models run at once. Files are written here, one after the other; `show` is called as each ends.
    """
    done: dict[str, Mended] = {}
    pool = ThreadPoolExecutor(crew.workers, thread_name_prefix="repair")
    try:
        begun = {pool.submit(_mend, path, crew, policy): path for path in dict.fromkeys(paths)}
        for future in _as_they_end(begun):
            mended = _settle(future, crew)
            done[begun[future]] = mended
            show(mended)
    except BaseException:
        crew.stop()
        raise
    finally:
        # After Ctrl-C too: nothing new begins, and what runs is waited for, so that no compiler is left behind.
        pool.shutdown(wait=True, cancel_futures=True)
    return tuple(done[path] for path in dict.fromkeys(paths))


def _as_they_end(begun: Iterable[Future[Mended | _Ready]]) -> Iterator[Future[Mended | _Ready]]:
    """Give each as it ends. Not in one long wait: Ctrl-C may reach another thread, and is seen when this one wakes."""
    waiting = set(begun)
    while waiting:
        ended, waiting = wait(waiting, _TICK, FIRST_COMPLETED)
        yield from ended


@dataclass(frozen=True, slots=True)
class _Ready:
    """A repair that ended, with the bytes that it was about."""

    unit: Unit
    outcome: Outcome


def _mend(path: str, crew: RepairCrew, policy: Policy) -> Mended | _Ready:
    """Repair one file in memory; runs beside others, and writes none."""
    barred = crew.may_begin(path)
    if barred is not None:
        return Mended(path, "any", None, trouble=barred)
    looked = crew.workspace.files.look(path)
    match looked:
        case Missing():
            return Mended(path, "any", None, trouble=f"{path}: there is no such file.")
        case Unfit(_, message):
            return Mended(path, "any", None, trouble=message)
        case Found():
            return _mend_found(path, looked, crew, policy)


def _mend_found(path: str, found: Found, crew: RepairCrew, policy: Policy) -> Mended | _Ready:
    check = crew.check_for(path)
    if check is None:
        return Mended(path, "any", None, trouble=f"{path}: no check is known for this; name one with --target.")
    unit = Unit(path, found.data, check.target)
    if decode(found.data).binary:
        return Mended(path, check.target, None, trouble=f"{path}: this is a binary file; only text can be repaired.")
    try:
        return _Ready(unit, repair(unit, crew.world_for(check), policy))
    except (ToolchainMissing, CheckCrashed, BadManifest, BadRule) as error:
        return Mended(path, check.target, None, trouble=f"{path}: {error}")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return Mended(path, check.target, None, trouble=f"{path}: the disk refused: {where}{error.strerror}.")


def _settle(future: Future[Mended | _Ready], crew: RepairCrew) -> Mended:
    ready = future.result()
    if isinstance(ready, Mended):
        return ready
    unit, outcome = ready.unit, ready.outcome
    code = outcome.accepted_code()
    if code is None or isinstance(outcome, FirstTrySuccess):
        return Mended(unit.path, unit.target, outcome)
    if crew.dry_run:
        return Mended(unit.path, unit.target, outcome, _diff(unit, code))
    diff = _diff(unit, code)
    barred = crew.may_write(unit.path, diff)
    written = write_repaired(unit, code, crew.workspace, crew.owner) if barred is None else None
    if isinstance(written, Applied):
        return Mended(unit.path, unit.target, outcome, diff, written.change_id or "", landed=written.files[0])
    told = " ".join(each.refused.message for each in written.refusals) if written is not None else barred or ""
    crew.withdraw(module_of(unit.path), sha_of(encode(code, decode(unit.data).encoding)), told)
    return Mended(unit.path, unit.target, outcome, trouble=told)


def write_repaired(unit: Unit, code: str, workspace: Workspace, owner: Owner = NOBODY) -> Applied | NothingDone:
    """Swap the file for the code that was verified, and record that as a change.

    Only if the file still has the bytes that were checked: else somebody's edit would be lost, and the code is not
    what was verified.
    """
    request = FileRequest(unit.path, "create", WriteFile(code))
    with held(workspace) as root:
        if isinstance(root.recovered, Stopped):
            return nothing_done(root.recovered.carried, root.recovered)
        landed = land_reply(Asked((request,), overwrite=True), workspace.files)
        if not isinstance(landed, Landing):
            return NothingDone(landed, root.recovered)
        swap = landed.plan.swaps[0]
        if swap.before is None or swap.before.data != unit.data:
            moved = f"{unit.path}: this changed while it was repaired, and was left as it is; run this again."
            return NothingDone((FileRefused(unit.path, Refused("conflict", moved)),), root.recovered)
        return apply_at_once(landed.as_change(workspace.new_id(), AT_ONCE, owner), root)


def _diff(unit: Unit, code: str) -> str:
    landed = land(decode(unit.data).text, WriteFile(code), unit.path)
    return landed.diff if isinstance(landed, Landed) else ""
