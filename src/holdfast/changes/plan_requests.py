"""The plan of an apply: every request landed in memory, before any file is touched."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from holdfast.changes.diff import diff_of
from holdfast.changes.file_drafts import FileDraft, FileDrafts
from holdfast.changes.plan import ChangePlan, FileLanded, FileRefused
from holdfast.changes.swaps import Content, Swap, in_order
from holdfast.vocab.outcomes import Refused, Rung

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.changes.ports import Files
    from holdfast.vocab.requests import FileRequest

_RUNGS: tuple[Rung, ...] = get_args(Rung)


def plan(
    requests: Iterable[FileRequest], files: Files, *, overwrite: bool
) -> ChangePlan | tuple[FileRefused, ...]:
    """Land every request in memory, each on what the ones before it left; or give all that are refused.

    `overwrite` says that a create over a file that is there writes it anew; otherwise it is a conflict.
    """
    desk = FileDrafts(files, overwrite=overwrite)
    refusals = [
        FileRefused(request.path, refused)
        for request in requests
        if (refused := desk.take(request)) is not None
    ]
    drafts = [draft for draft in desk.drafts.values() if draft.changed]
    made = dict.fromkeys(
        parent for draft in drafts if draft.now is not None for parent in draft.parents
    )
    refusals = refusals or [
        FileRefused(
            draft.path,
            Refused("conflict", f"{draft.path}: the reply makes this a file and a directory."),
        )
        for draft in drafts
        if draft.now is not None and draft.at in made
    ]
    if not drafts and not refusals:
        unchanged = "all of this together leaves every file as it is; nothing to do."
        refusals = [FileRefused("", Refused("no_change", unchanged))]
    if refusals:
        return tuple(refusals)
    moved = [draft.source for draft in drafts if draft.source is not draft]
    return ChangePlan(
        tuple(_report(draft) for draft in drafts if not any(draft is source for source in moved)),
        in_order(
            Swap(
                draft.at,
                draft.before,
                None if draft.now is None else Content(draft.now, draft.mode),
            )
            for draft in drafts
        ),
        tuple(made),
    )


def _report(draft: FileDraft) -> FileLanded:
    rung = _RUNGS[max((_RUNGS.index(landed.rung) for landed in draft.landings), default=0)]
    similarity = min((landed.similarity for landed in draft.landings), default=1.0)
    warnings = tuple(landed.warning for landed in draft.landings if landed.warning)
    to = draft.path if draft.action == "rename" else None
    landed = FileLanded(
        draft.source.path, draft.action, rung, similarity, _diff(draft), to, warnings
    )
    real = tuple(dict.fromkeys((draft.source.at, draft.at)))
    return landed if landed.at == real else replace(landed, real=real)


def _diff(draft: FileDraft) -> str:
    after = None if draft.now is None else Content(draft.now)
    return diff_of(draft.source.path, draft.path, draft.source.before, after, draft.landings)
