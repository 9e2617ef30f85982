"""Planning of requests: every request lands in memory before any file is written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.changes.diff import diff_of
from holdfast.changes.file_drafts import FileDraft, FileDrafts
from holdfast.changes.plan import ChangePlan, FileLanded, FileRefused
from holdfast.changes.swaps import Swap, in_order
from holdfast.vocab.outcomes import RUNGS, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from holdfast.changes.ports import Files
    from holdfast.vocab.requests import FileRequest


def plan_requests(
    requests: Iterable[FileRequest], files: Files, *, overwrite: bool
) -> ChangePlan | tuple[FileRefused, ...]:
    """Land every request in memory, each on the result of the ones before; or return all refusals.

    `overwrite` lets a create replace an existing file; otherwise that create is a conflict.
    """
    landing = FileDrafts(files, overwrite=overwrite)
    refusals: list[FileRefused] = []
    for request in requests:
        refused = landing.land(request)
        if refused is not None:
            refusals.append(FileRefused(request.path, refused))

    if refusals:
        return tuple(refusals)

    drafts = [draft for draft in landing.drafts.values() if draft.changed]
    makes = _missing_directories(drafts)
    refusals = _judge_whole(drafts, makes)
    if refusals:
        return tuple(refusals)

    swaps = in_order(Swap(draft.at, draft.before, draft.after) for draft in drafts)
    reports = tuple(_reports(drafts))
    return ChangePlan(reports, swaps, makes)


def _missing_directories(drafts: Sequence[FileDraft]) -> tuple[str, ...]:
    """Return the directories to make for the files that are to exist, outermost first."""
    makes: dict[str, None] = {}
    for draft in drafts:
        if draft.data is not None:
            makes.update(dict.fromkeys(draft.parents))
    return tuple(makes)


def _judge_whole(drafts: Sequence[FileDraft], makes: Sequence[str]) -> list[FileRefused]:
    """Return what is wrong with requests that landed one by one and make no sense together."""
    if not drafts:
        unchanged = "all edits together leave every file as it is; nothing to do."
        return [FileRefused("", Refused("no_change", unchanged))]

    refusals: list[FileRefused] = []
    for draft in drafts:
        if draft.data is None:
            continue
        if draft.at in makes:
            message = f"{draft.path}: the reply makes this a file and a directory."
            refusals.append(FileRefused(draft.path, Refused("conflict", message)))

    return refusals


def _reports(drafts: Sequence[FileDraft]) -> Iterator[FileLanded]:
    """Yield one report for each draft; a renamed file is reported by its new draft only."""
    renamed = {draft.renamed_from for draft in drafts}
    for draft in drafts:
        if draft not in renamed:
            yield _report(draft)


def _report(draft: FileDraft) -> FileLanded:
    rung = RUNGS[0]
    similarity = 1.0
    warnings: list[str] = []
    for landed in draft.landings:
        rung = max(rung, landed.rung, key=RUNGS.index)
        similarity = min(similarity, landed.similarity)
        if landed.warning:
            warnings.append(landed.warning)

    source = draft.source
    to = None
    if draft.action == "rename":
        to = draft.path

    diff = diff_of(source.path, draft.path, source.before, draft.after, draft.landings)
    report = FileLanded(source.path, draft.action, rung, similarity, diff, to, tuple(warnings))
    real = tuple(dict.fromkeys((source.at, draft.at)))
    if report.at == real:
        return report

    return replace(report, real=real)
