"""Changes, their hunks, and the diff of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Body, Query
from fastapi import Path as InPath

from holdfast.changes.change import ChangeOwner, hash_of
from holdfast.changes.hunks import hunks_of, judge_hunks
from holdfast.changes.plan import FileRefused
from holdfast.landing.encoding import decode
from holdfast.server.context import Context, Id, ServerContext
from holdfast.server.models.changes import (
    ChangedFile,
    ChangeJson,
    ChangeList,
    ChangeSettled,
    ChangeSummary,
    Commit,
    DiffFile,
    FileContent,
    HunkChoice,
    HunkJson,
    HunkPage,
    LandedFile,
    RejectionJson,
    RejectRequest,
    SessionDiff,
    SettledFile,
)
from holdfast.server.problems import not_found, refused
from holdfast.server.project_list import session_refused
from holdfast.server.rejections import folder_of, record_rejection, reject
from holdfast.server.session_files import checked_path, read_below
from holdfast.usecases.changes import list_changes as found_changes
from holdfast.usecases.changes import review
from holdfast.usecases.changes.rewind import Rewound
from holdfast.usecases.changes.rewind import rewind_change as rewind
from holdfast.usecases.sessions.session import SessionRefused
from holdfast.usecases.workspace import NothingDone
from holdfast.wiring.projects.session_commits import commits_of_session, compare_commit
from holdfast.wiring.projects.session_diffs import compare_session, session_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.changes.change import Change as RecordedChange
    from holdfast.changes.hunks import ChangeHunk
    from holdfast.changes.plan import FileLanded
    from holdfast.server.project_list import ServedProject
    from holdfast.usecases.changes.ports import Rejection

router = APIRouter(tags=["changes"])

_BEFORE = "^(base|(checkpoint|turn|commit):[A-Za-z0-9_-]{1,64})$"
_MOMENT = "^(now|base|(checkpoint|turn):[A-Za-z0-9_-]{1,64})$"
_LARGEST_FILE = 2_000_000
From = Annotated[int, Query(alias="from", ge=1, le=10_000_000)]
Count = Annotated[int, Query(ge=0, le=1_000)]


@router.get("/sessions/{id}/changes", operation_id="listChanges")
def list_changes(
    id: Id,
    context: Context,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 200,
) -> ChangeList:
    """List the changes of a session, newest first."""
    project = context.projects.of_session(id)
    with project.workspace_at(project.root) as workspace:
        found = found_changes.list_changes(workspace, owner=ChangeOwner(id, None), limit=limit)

    return ChangeList(
        changes=[_summary(each) for each in found],
        rejections=[_rejection(each) for each in project.rejections.unsettled(id)],
    )


@router.get("/changes/{id}", operation_id="getChange")
def get_change(
    id: Id,
    context: Context,
    hunks: Annotated[bool, Query(description="Whether the hunks are in the answer.")] = True,  # noqa: FBT002 - a query parameter
) -> ChangeJson:
    """Return one change."""
    _, change = _find(context, id)
    found = hunks_of(change)
    shown = [_hunk(each) for each in found]
    files = [_landed(file, change) for file in change.plan.files]
    body = _fields(change) | {"files": files, "hunks": shown if hunks else []}
    return ChangeJson(**body, total_hunks=len(found))


@router.get("/changes/{id}/hunks", operation_id="listHunks")
def list_hunks(id: Id, context: Context, first: From = 1, count: Count = 100) -> HunkPage:
    """Return some hunks of a change."""
    _, change = _find(context, id)
    found = hunks_of(change)
    shown = found[first - 1 : first - 1 + count]
    return HunkPage(
        hunks=[_hunk(each) for each in shown],
        total=len(found),
    )


@router.post("/changes/{id}/apply", operation_id="applyChange")
def apply_change(
    id: Id, chosen: Annotated[HunkChoice, Body(default_factory=HunkChoice)], context: Context
) -> ChangeSettled:
    """Write a proposed change, or some of its hunks."""
    project, change = _find(context, id)
    with project.workspace_at(folder_of(project, change)) as workspace:
        accepted = review.apply_change(id, workspace, hunks=chosen.hunks)

    if isinstance(accepted, NothingDone):
        raise refused(accepted)

    applied = accepted.applied
    files = [(file.path, file.action) for file in applied.files]
    rest = accepted.rest.id if accepted.rest else None
    return _settled("applied", applied.change_id or id, files, seq=applied.seq, rest=rest)


@router.post("/changes/{id}/reject", operation_id="rejectChange")
def reject_change(
    id: Id,
    rejected: Annotated[RejectRequest, Body(default_factory=RejectRequest)],
    context: Context,
) -> ChangeSettled:
    """Reject a change, or some of its hunks; what is in the files already is taken out.

    While a turn of its session runs, what is in the files is taken out after the end of the turn.
    """
    project, change = _find(context, id)
    _check_hunks(change, rejected.hunks)
    if change.session is None:
        return _rejected(reject(project, change, rejected.hunks), id)

    session = project.session(change.session)
    waits = change.state == "applied" and session.state in {"running", "waiting"}
    if waits:
        record_rejection(project, change, rejected.hunks, rejected.reason, waits=True)
        context.turns.settle_after_turn(project, session.id)
        message = "A turn runs; this is rejected when the turn has ended."
        return _settled("waits", id, message=message)

    settled = _rejected(reject(project, change, rejected.hunks), id)
    if rejected.reason:
        record_rejection(project, change, rejected.hunks, rejected.reason, waits=False)

    return settled


@router.post("/changes/{id}/rewind", operation_id="rewindChange")
def rewind_change(id: Id, context: Context) -> ChangeSettled:
    """Take an applied change out of the files. A turn of its session that runs is stopped first."""
    project, change = _find(context, id)
    if change.session is not None:
        context.turns.expect_end(change.session)

    with project.workspace_at(folder_of(project, change)) as workspace:
        rewound = rewind(id, workspace, workspace.running_turns)

    if isinstance(rewound, NothingDone):
        raise refused(rewound)

    files = [(file.path, file.action) for file in rewound.files]
    message = " ".join(rewound.notes)
    return _settled("rewound", rewound.change_id, files, seq=rewound.seq, message=message)


@router.get("/sessions/{id}/diff", operation_id="getDiff")
def get_diff(
    id: Id,
    context: Context,
    against: Annotated[str, Query(pattern=_BEFORE)] = "base",
    path: Annotated[str | None, Query(max_length=4096)] = None,
    first: From = 1,
    count: Count = 100,
) -> SessionDiff:
    """Return how the files of a session differ from its base, a checkpoint, a turn; or a commit."""
    project = context.projects.of_session(id)
    wanted = None if path is None else checked_path(path)
    kind, _, commit = against.partition(":")
    if kind == "commit":
        compared = compare_commit(project, id, commit)
    else:
        compared = compare_session(project, id, against)

    if isinstance(compared, SessionRefused):
        raise session_refused(compared)

    hunks = [each for each in compared.hunks if wanted in {None, each.path}]
    return SessionDiff(
        against=against,
        files=[
            DiffFile(path=each.path, status=each.status, added=each.added, removed=each.removed)
            for each in compared.files
        ],
        hunks=[_hunk(each) for each in hunks[first - 1 : first - 1 + count]],
        total=len(hunks),
        commits=[
            Commit(id=each.id, title=each.title, at=each.at)
            for each in commits_of_session(project, id)
        ],
    )


@router.get("/sessions/{id}/files/{path:path}", operation_id="getFile")
def get_file(
    id: Id,
    path: Annotated[str, InPath(max_length=4096)],
    context: Context,
    at: Annotated[str, Query(pattern=_MOMENT)] = "now",
) -> FileContent:
    """Return a file of the session as it is now, or was."""
    project = context.projects.of_session(id)
    name = checked_path(path)
    if at == "now":
        data: bytes | None = read_below(project, project.folder_of(id), name)
        size = len(data or b"")
    else:
        version = session_file(project, id, name, at)
        if isinstance(version, SessionRefused):
            raise session_refused(version)
        data, size = version.data, version.size

    if data is not None and len(data) > _LARGEST_FILE:
        data = None

    is_binary = data is not None and b"\0" in data
    text = None
    if data is not None and not is_binary:
        text = decode(data).text

    return FileContent(path=name, at=at, text=text, size=size, binary=is_binary)


def _check_hunks(change: RecordedChange, hunks: Sequence[int]) -> None:
    """Raise `ApiError` for hunks that a change does not have."""
    bad = judge_hunks(change, hunks)
    if bad is not None:
        raise refused(NothingDone((FileRefused("", bad),)))


def _rejected(
    done: review.Rejected | review.Accepted | Rewound | NothingDone, change_id: str
) -> ChangeSettled:
    if isinstance(done, NothingDone):
        raise refused(done)
    if isinstance(done, review.Rejected):
        return _settled("rejected", done.change.id, seq=done.seq)

    undone = done.applied if isinstance(done, review.Accepted) else done
    files = [(file.path, file.action) for file in undone.files]
    return _settled("rewound", change_id, files, seq=undone.seq)


def _settled(
    outcome: Literal["applied", "rejected", "rewound", "waits"],
    change: str,
    files: Sequence[tuple[str, str]] = (),
    *,
    seq: int | None = None,
    rest: str | None = None,
    message: str = "",
) -> ChangeSettled:
    return ChangeSettled(
        outcome=outcome,
        id=change,
        files=[SettledFile(path=path, action=action) for path, action in files],
        rest=rest,
        seq=seq,
        waits=outcome == "waits",
        message=message,
    )


def _find(context: ServerContext, change_id: str) -> tuple[ServedProject, RecordedChange]:
    """Return a change by its whole id. Raise `ApiError` if there is none."""
    for project in context.projects.all():
        with project.workspace_at(project.root) as workspace:
            if not workspace.has_journal():
                continue
            found = workspace.log.get(change_id)
        if found is not None:
            return project, found

    raise not_found(f"{change_id}: there is no such change.")


def _hunk(hunk: ChangeHunk) -> HunkJson:
    return HunkJson(number=hunk.number, path=hunk.path, diff=hunk.diff)


def _fields(change: RecordedChange) -> dict[str, Any]:
    return {
        "id": change.id,
        "seq": change.seq,
        "state": change.state,
        "origin": change.origin,
        "created_at": change.created_at,
        "settled_at": change.settled_at,
        "session": change.session,
        "turn": change.turn,
        "part_of": change.requested.part_of,
        "worktree": change.worktree or None,
    }


def _summary(change: RecordedChange) -> ChangeSummary:
    files = [
        ChangedFile(path=file.path, action=file.action, to=file.to) for file in change.plan.files
    ]
    return ChangeSummary(**_fields(change), files=files)


def _rejection(rejection: Rejection) -> RejectionJson:
    asked = rejection.asked
    return RejectionJson(
        change_id=asked.change_id,
        hunks=list(asked.hunks),
        reason=asked.reason,
        state=rejection.state,
        why=rejection.why,
    )


def _landed(file: FileLanded, change: RecordedChange) -> LandedFile:
    base = None
    for swap in change.plan.swaps:
        if swap.path == file.at[0]:
            base = hash_of(swap.before)

    return LandedFile(
        path=file.path,
        action=file.action,
        rung=file.rung,
        similarity=file.similarity,
        diff=file.diff,
        to=file.to,
        base=base,
    )
