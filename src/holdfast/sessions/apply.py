"""Land a model's reply on the files below a root, all or nothing."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.changes.apply import FileLanded, FileRefused, Plan, plan
from holdfast.changes.batch import Batch
from holdfast.changes.transaction import Done, Journal, Recovered, Stopped, carry_out, recover
from holdfast.landing.notations.parse import Format, parse
from holdfast.sessions.workspace import NothingDone, Workspace, nothing_done
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model wrote. `unwrap` takes a diff out of one clean fence or a little prose."""

    text: str
    format: Format = "auto"
    unwrap: bool = False


@dataclass(frozen=True, slots=True)
class Applied:
    """Every request landed; the files are written, unless it was only a check."""

    files: tuple[FileLanded, ...]
    recovered: Recovered | None = None


def apply_reply(reply: Reply, workspace: Workspace, *, check: bool = False) -> Applied | NothingDone:
    """Finish what a dead process left, land every request in memory, then swap the files.

    A check writes no file; where nothing was ever written it does not even take the lock.
    """
    held: AbstractContextManager[Journal | None] = nullcontext()
    if not check or workspace.has_journal():
        held = workspace.hold()
    with held as journal:
        recovered = recover(workspace.tree, journal) if journal else None
        if isinstance(recovered, Stopped):
            return nothing_done(recovered.carried, recovered)
        planned = _plan(reply, workspace)
        if not isinstance(planned, Plan):
            return NothingDone(planned, recovered)
        if planned.swaps and journal and not check:
            batch = Batch(workspace.new_id(), planned.swaps, planned.makes)
            carried = carry_out(batch, workspace.tree, journal)
            if not isinstance(carried, Done):
                return nothing_done(carried, recovered)
        return Applied(planned.files, recovered)


def _plan(reply: Reply, workspace: Workspace) -> Plan | tuple[FileRefused, ...]:
    requests = parse(reply.text, reply.format, reply.unwrap)
    if isinstance(requests, Refused):
        return (FileRefused("", requests),)
    creates = any(request.action == "create" for request in requests)
    return plan(requests, workspace.files, overwrite=creates and _is_json(reply))


def _is_json(reply: Reply) -> bool:
    """Only JSON has a whole-file write; the other notations say `create`, and mean a file that is not there."""
    return reply.format in {"auto", "json"} and not isinstance(parse(reply.text, "json", reply.unwrap), Refused)
