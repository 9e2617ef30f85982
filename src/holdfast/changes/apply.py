"""The plan of an apply: every request landed in memory, before any file is touched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from holdfast.changes.batch import Content, Swap, in_order
from holdfast.changes.drafts import Desk, Draft
from holdfast.landing.encoding import decode
from holdfast.landing.splices import Splice, landed
from holdfast.vocab.outcomes import Landed, Refused, Rung

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from holdfast.changes.files import Files
    from holdfast.vocab.requests import Action, FileRequest

_RUNGS: tuple[Rung, ...] = get_args(Rung)


@dataclass(frozen=True, slots=True)
class FileLanded:
    """What lands on one file. `rung` and `similarity` are those of the loosest of its requests; `diff` is whole."""

    path: str
    action: Action
    rung: Rung
    similarity: float
    diff: str
    to: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileRefused:
    """A request that does not land, and the file that it is for ("" if it names none)."""

    path: str
    refused: Refused


@dataclass(frozen=True, slots=True)
class Plan:
    """Every request landed: what becomes of which file, and the directories that have to be made first."""

    files: tuple[FileLanded, ...]
    swaps: tuple[Swap, ...]
    makes: tuple[str, ...]


def plan(requests: Iterable[FileRequest], files: Files, *, overwrite: bool) -> Plan | tuple[FileRefused, ...]:
    """Land every request in memory, each on what the ones before it left; or give all that are refused.

    `overwrite` says that a create over a file that is there writes it anew; otherwise it is a conflict.
    """
    desk = Desk(files, overwrite=overwrite)
    refusals = [
        FileRefused(request.path, refused) for request in requests if (refused := desk.take(request)) is not None
    ]
    drafts = [draft for draft in desk.drafts.values() if draft.changed]
    made = dict.fromkeys(parent for draft in drafts if draft.now is not None for parent in draft.parents)
    refusals = refusals or [
        FileRefused(draft.path, Refused("conflict", f"{draft.path}: the reply makes this a file and a directory."))
        for draft in drafts
        if draft.now is not None and draft.at in made
    ]
    if not drafts and not refusals:
        unchanged = "all of this together leaves every file as it is; nothing to do."
        refusals = [FileRefused("", Refused("no_change", unchanged))]
    if refusals:
        return tuple(refusals)
    moved = [draft.source for draft in drafts if draft.source is not draft]
    return Plan(
        tuple(_report(draft) for draft in drafts if not any(draft is source for source in moved)),
        in_order(
            Swap(draft.at, draft.before, None if draft.now is None else Content(draft.now, draft.mode))
            for draft in drafts
        ),
        tuple(made),
    )


def _report(draft: Draft) -> FileLanded:
    rung = _RUNGS[max((_RUNGS.index(landed.rung) for landed in draft.landings), default=0)]
    similarity = min((landed.similarity for landed in draft.landings), default=1.0)
    warnings = tuple(landed.warning for landed in draft.landings if landed.warning)
    to = draft.path if draft.action == "rename" else None
    return FileLanded(draft.source.path, draft.action, rung, similarity, _diff(draft), to, warnings)


def _diff(draft: Draft) -> str:
    before = draft.source.before
    old = None if before is None else draft.source.path
    new = None if draft.now is None else draft.path
    hunks = _hunks(before.data if before else b"", draft.now or b"", draft.landings)
    names = f"--- {f'a/{old}' if old else '/dev/null'}\n+++ {f'b/{new}' if new else '/dev/null'}\n" if hunks else ""
    if old and new and old != new:
        names = f"diff --git a/{old} b/{new}\nrename from {old}\nrename to {new}\n" + names
    return names + hunks


def _hunks(before: bytes, after: bytes, landings: Sequence[Landed]) -> str:
    if len(landings) == 1 and landings[0].diff:
        return landings[0].diff
    if before == after:
        return ""
    old, new = decode(before), decode(after)
    if old.binary or new.binary:
        return "Binary files differ\n"
    return landed(old.text, [Splice(0, len(old.text), new.text)], "exact").diff
