"""Files in memory while requests land on them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from holdfast.changes.ports import FileMissing, Files, FileUnfit
from holdfast.changes.similar_paths import names_near
from holdfast.changes.swaps import Content
from holdfast.landing.encoding import Encoding, decode, encode
from holdfast.landing.land import land
from holdfast.vocab.outcomes import Landed, Refused
from holdfast.vocab.requests import FileRequest, Request, WriteFile

if TYPE_CHECKING:
    from holdfast.vocab.requests import Action

_MARK = "\ufeff"


@dataclass(slots=True, eq=False)
class FileDraft:
    """One file in memory: what it was, what it is by now, and how that came."""

    path: str
    at: str
    before: Content | None
    parents: tuple[str, ...] = ()
    linked: bool = False
    now: bytes | None = None
    mode: int | None = None
    action: Action = "edit"
    renamed_from: FileDraft | None = None
    landings: list[Landed] = field(default_factory=list)

    @property
    def source(self) -> FileDraft:
        """The draft whose text this was before: another one's, if it was renamed."""
        return self.renamed_from or self

    @property
    def changed(self) -> bool:
        """Whether the file on the disk has to change."""
        return self.now != (None if self.before is None else self.before.data)

    def become(self, action: Action, now: bytes | None, landings: list[Landed]) -> None:
        """Forget how the text came, and start from this one."""
        self.action, self.now, self.landings, self.renamed_from = action, now, landings, None


class FileDrafts:
    """The drafts of all files that the requests name; two names of one file are one draft."""

    def __init__(self, files: Files, *, overwrite: bool) -> None:
        """Start with nothing on the desk; `overwrite` lets a create write a file anew that is there."""
        self.files = files
        self.overwrite = overwrite
        self.drafts: dict[str, FileDraft] = {}

    def take(self, request: FileRequest) -> Refused | None:
        """Land one request on its draft; None if it landed."""
        draft = self._draft(request.path)
        if isinstance(draft, FileUnfit):
            return Refused(draft.reason, draft.message)
        if request.action == "create":
            return self._create(draft, request)
        if draft.now is None:
            return self._not_there(request)
        if request.action == "edit":
            return _edit(draft, request.request, request.path)
        if draft.linked:
            cure = f"{request.action} the file it leads to"
            return Refused("conflict", f"{request.path}: this is a symlink to {draft.at}; {cure}.")
        if request.action == "delete":
            return _delete(draft, request)
        return self._rename(draft, request)

    def _draft(self, path: str) -> FileDraft | FileUnfit:
        looked = self.files.look(path)
        if isinstance(looked, FileUnfit):
            return looked
        if looked.at not in self.drafts:
            if isinstance(looked, FileMissing):
                draft = FileDraft(path, looked.at, None, looked.parents)
            else:
                draft = FileDraft(
                    path,
                    looked.at,
                    Content(looked.data, looked.mode),
                    now=looked.data,
                    mode=looked.mode,
                )
            self.drafts[looked.at] = draft
        draft = self.drafts[looked.at]
        draft.linked = not isinstance(looked, FileMissing) and looked.linked
        return draft

    def _not_there(self, request: FileRequest) -> Refused:
        near = names_near(request.path, self.files.names(request.path))
        cure = (
            f"did you mean {' or '.join(near)}?"
            if near
            else "give the path of a file that is there, or create it."
        )
        return Refused(
            "not_found", f"{request.path}: there is no such file; {cure}", "\n".join(near)
        )

    def _create(self, draft: FileDraft, request: FileRequest) -> Refused | None:
        if draft.now is not None:
            return self._create_over(draft, draft.now, request)
        landed = _land_on_nothing(request.request, request.path)
        if isinstance(landed, Refused):
            return landed
        data = _encode(landed.text, "utf-8", request.path)
        if isinstance(data, Refused):
            return data
        # The landing's own diff starts from nothing, and the draft perhaps from a file that the reply deletes above.
        draft.become("create" if draft.before is None else "edit", data, [replace(landed, diff="")])
        return None

    def _create_over(self, draft: FileDraft, now: bytes, request: FileRequest) -> Refused | None:
        if self.overwrite:
            return _edit(draft, request.request, request.path)
        landed = _land_on_nothing(request.request, request.path)
        if isinstance(landed, Landed) and decode(now).text == landed.text:
            return Refused(
                "already_applied",
                f"{request.path}: the file is there already, with this very text.",
            )
        cure = "edit it, or delete it first"
        return Refused(
            "conflict",
            f"{request.path}: the file to create is there already, with other text; {cure}.",
        )

    def _rename(self, draft: FileDraft, request: FileRequest) -> Refused | None:
        target = self._draft(request.to or "")
        if isinstance(target, FileUnfit):
            return Refused(target.reason, target.message)
        if target is draft:
            return Refused(
                "no_change",
                f"{request.path}: the new name is the old one; give another, or edit the file.",
            )
        if target.now is not None:
            cure = "give another name, or delete that file first"
            return Refused(
                "conflict",
                f"{request.path}: cannot become {request.to}, which is there already; {cure}.",
            )
        if (
            request.request is not None
            and (refused := _edit(draft, request.request, request.path)) is not None
        ):
            return refused
        source = draft.source
        target.become("create" if draft.action == "create" else "rename", draft.now, draft.landings)
        target.mode = draft.mode
        if target is source:
            target.action = "edit"
        elif source.before is not None:
            target.renamed_from = source
        draft.become("delete", None, [])
        return None


def _edit(draft: FileDraft, request: Request | None, path: str) -> Refused | None:
    if request is None or draft.now is None:
        return Refused("malformed", f"{path}: the request does not say what to change.")
    decoded = decode(draft.now)
    if decoded.binary:
        return Refused(
            "conflict",
            f"{path}: this is a binary file (there is a NUL in it); only text can be edited.",
        )
    landed = land(decoded.text, request, path)
    if isinstance(landed, Refused):
        return landed
    text = landed.text
    if decoded.marked and not decoded.text.startswith(_MARK):
        # The file's mark is in its encoding; a copy of it in the new text would be a second one.
        text = text.removeprefix(_MARK)
    data = _encode(text, decoded.encoding, path)
    if isinstance(data, Refused):
        return data
    draft.now = data
    draft.landings.append(landed)
    return None


def _delete(draft: FileDraft, request: FileRequest) -> Refused | None:
    """Remove the file; a patch that removes it has to know all of it, as it would for any other edit."""
    if request.request is not None and draft.now:
        landed = land(decode(draft.now).text, request.request, request.path)
        if isinstance(landed, Refused):
            return landed
        if landed.text:
            cure = "read it again and say what is to go"
            return Refused(
                "conflict", f"{request.path}: the file holds more than the patch removes; {cure}."
            )
    if draft.renamed_from is not None:
        draft.renamed_from.become("delete", None, [])
    draft.become("delete", None, [])
    return None


def _land_on_nothing(request: Request | None, path: str) -> Landed | Refused:
    """Give a new file's text. It may be empty, which on an empty file would be no change."""
    if request is None or request == WriteFile(""):
        return Landed("", "", "exact", 1.0, ())
    return land("", request, path)


def _encode(text: str, encoding: Encoding, path: str) -> bytes | Refused:
    try:
        return encode(text, encoding)
    except UnicodeEncodeError as error:
        code = f"U+{ord(text[error.start]):04X}"
        return Refused(
            "conflict",
            f"{path}: the file is {encoding} and cannot hold {code}; write the edit without it.",
        )
