"""Land all edits of a model's reply on the texts of several files, all or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.landing.formats.parse import Format, parse
from holdfast.landing.land import land
from holdfast.landing.type_check import check_type
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Landed, Outcome, Refused

if TYPE_CHECKING:
    from holdfast.vocab.requests import FileRequest

Texts: TypeAlias = dict[str, str | None]


@dataclass(frozen=True, slots=True)
class ReplyLanded:
    """All edits of a reply landed.

    `files` has the new text of each file that changed, and None for a file to delete. `outcomes` are the landings with
    their paths, in the order of the reply.
    """

    files: Mapping[str, str | None]
    outcomes: tuple[tuple[str, Landed], ...]

    @property
    def landed(self) -> Literal[True]:
        """True: the edits landed."""
        return True


def land_reply(
    reply: str,
    files: Mapping[str, str],
    format: Format = "auto",  # noqa: A002 - the name of the option, as in `parse`
    unwrap: bool = False,  # noqa: FBT001, FBT002 - part of the library's face
) -> ReplyLanded | Refused:
    r"""Return the texts after all edits of the reply, or the refusal of the first edit that cannot land.

    `files` are the texts by path and stay as they are. Edits land in the order of the reply, each on the result of the
    ones before.

    >>> land_reply('{"path": "a.py", "old": "x = 1", "new": "x = 2"}', {"a.py": "x = 1\n"}).files
    {'a.py': 'x = 2\n'}
    """
    check_type("land_reply", "reply", reply, str)
    check_type("land_reply", "files", files, Mapping)
    requests = parse(reply, format, unwrap)
    if isinstance(requests, Refused):
        return requests

    texts: Texts = dict(files)
    outcomes: list[tuple[str, Landed]] = []
    for request in requests:
        outcome = _land_one(texts, request)
        if isinstance(outcome, Refused):
            return outcome
        if outcome is not None:
            outcomes.append((request.to or request.path, outcome))

    changed = {path: text for path, text in texts.items() if text != files.get(path)}
    if not changed:
        return Refused("no_change", "all edits together leave every file as it is; nothing to do.")

    return ReplyLanded(changed, tuple(outcomes))


def _land_one(texts: Texts, request: FileRequest) -> Outcome | None:
    """Carry out one request on the texts; return its landing, its refusal, or None where no text was edited."""
    before = texts.get(request.path)
    if request.action == "create":
        return _create(texts, request, before)
    if before is None:
        return _no_such_file(texts, request.path)
    target = request.to or request.path
    if request.to and texts.get(target) is not None:
        message = f"{request.path}: cannot become {target}, which exists already."
        return Refused("conflict", message)

    outcome = None
    after = before
    if request.request is not None:
        outcome = land(before, request.request, request.path)
        if isinstance(outcome, Refused):
            return outcome
        after = outcome.text

    texts[request.path] = None
    if request.action != "delete":
        texts[target] = after
    return outcome


def _no_such_file(texts: Texts, path: str) -> Refused:
    """Return the refusal of an edit of a file that is not among the texts, with the names of those that are."""
    known: list[str] = []
    for name, text in texts.items():
        if text is not None:
            known.append(name)
    names = ", ".join(sorted(known)) or "none"
    return Refused("not_found", f"{path}: there is no such file; the files are {names}.")


def _create(texts: Texts, request: FileRequest, before: str | None) -> Outcome | None:
    if before:
        message = f"{request.path}: the file to create exists already; edit it, or delete it first."
        return Refused("conflict", message)
    if request.request is None:
        texts[request.path] = ""
        return None

    outcome = land("", request.request, request.path)
    if isinstance(outcome, Landed):
        texts[request.path] = outcome.text

    return outcome
