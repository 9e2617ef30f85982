"""What the repair after a turn needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.changes.change import ChangeOwner
    from holdfast.guards.commands import CommandVerdict
    from holdfast.loop.ports import Model
    from holdfast.repair.ports import Check
    from holdfast.repair.strictness import RepairPolicy
    from holdfast.tools.ports import ApprovalGate, EditGuard
    from holdfast.usecases.repair.repair_files import RepairDependencies
    from holdfast.usecases.trust.project_trust import ProjectTrust
    from holdfast.usecases.workspace import Workspace
    from holdfast.vocab.cancellation import Cancel
    from holdfast.vocab.trust import CodeItem


@dataclass(frozen=True, slots=True)
class ProjectCheck:
    """How a project checks a file.

    `command` has to be allowed first, if there is one. `code` is what of the project's own is run,
    and has to be trusted; `outside` is the same check with nothing of it, or None. `with_files`
    returns the same check of a project in which some files have other contents (None: do not
    exist). `scope` names what one run checks, if that is more than the file. A check with `last` is
    run when the others are done.
    """

    check: Check
    with_files: Callable[[Mapping[str, bytes | None]], Check]
    command: str | None = None
    scope: str | None = None
    last: bool = False
    code: tuple[CodeItem, ...] = ()
    outside: ProjectCheck | None = None


@dataclass(frozen=True, slots=True)
class TurnRepairs:
    """What the repair after a turn needs.

    `find` returns the checks that the project has for a file, and raises ValueError if its settings
    cannot be read. `judge` returns whether a command may run, `trust` what code of the project may.
    `dependencies` returns what the repair of files needs, with the tests if there are any; raises
    OSError. `is_secret` is that of `RepairDependencies`.
    """

    find: Callable[[str, Cancel], tuple[ProjectCheck, ...]]
    judge: Callable[[str], CommandVerdict]
    dependencies: Callable[[Model, Cancel, Check | None], RepairDependencies]
    is_secret: Callable[[str, str], bool]
    trust: ProjectTrust
    now: Callable[[], float]
    policy: RepairPolicy
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EditedTurn:
    """The turn whose edits are checked."""

    owner: ChangeOwner
    model: Model
    gate: ApprovalGate
    workspace: Workspace
    edits: EditGuard
    cancel: Cancel
