"""Drafts: files in memory while requests land on them."""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING

from holdfast.changes.ports import FileFound, FileMissing, Files, FileUnfit
from holdfast.changes.similar_paths import similar_paths
from holdfast.changes.swaps import Content
from holdfast.landing.encoding import Encoding, decode, encode
from holdfast.landing.land import land
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Landed, Refused
from holdfast.vocab.requests import FileRequest, Request, WriteFile

if TYPE_CHECKING:
    from holdfast.vocab.requests import Action

_BOM = "\ufeff"


@dataclass(slots=True, eq=False)
class FileDraft:
    """One file in memory: its content on the disk (`before`), its bytes now (`data`), its landings.

    `parents` are the missing directories above the file. `linked`: the last request named the file
    by a symlink.
    """

    path: str
    at: str
    before: Content | None
    parents: tuple[str, ...] = ()
    linked: bool = False
    data: bytes | None = None
    mode: int | None = None
    action: Action = "edit"
    renamed_from: FileDraft | None = None
    landings: list[Landed] = field(default_factory=list)

    @property
    def source(self) -> FileDraft:
        """The draft that had the text at first: that of the old name, if the file was renamed."""
        return self.renamed_from or self

    @property
    def after(self) -> Content | None:
        """The content that the file is to have; None for no file."""
        if self.data is None:
            return None
        return Content(self.data, self.mode)

    @property
    def changed(self) -> bool:
        """Whether the file on the disk has to change."""
        if self.before is None:
            return self.data is not None
        return self.data != self.before.data

    def become(self, action: Action, data: bytes | None, landings: list[Landed]) -> None:
        """Replace the text and its history."""
        self.action = action
        self.data = data
        self.landings = landings
        self.renamed_from = None


class FileDrafts:
    """The drafts of all files that the requests name; two names of one file share one draft."""

    def __init__(self, files: Files, *, overwrite: bool) -> None:
        """Start without drafts; `overwrite` lets a create replace an existing file."""
        self.files = files
        self.overwrite = overwrite
        self.drafts: dict[str, FileDraft] = {}

    def land(self, request: FileRequest) -> Refused | None:
        """Land one request on its draft; return the refusal, or None if the request landed."""
        draft = self._draft(request.path)
        if isinstance(draft, FileUnfit):
            return Refused(draft.reason, draft.message)
        if request.action == "create":
            return self._create(draft, request)
        if draft.data is None:
            return self._refuse_missing(request)
        if request.action == "edit":
            return _edit(draft, request.request, request.path)

        return self._remove_or_rename(draft, request)

    def _draft(self, path: str) -> FileDraft | FileUnfit:
        looked = self.files.look(path)
        if isinstance(looked, FileUnfit):
            return looked

        draft = self.drafts.get(looked.at)
        if draft is None:
            draft = _new_draft(path, looked)
            self.drafts[looked.at] = draft

        draft.linked = isinstance(looked, FileFound) and looked.linked
        return draft

    def _refuse_missing(self, request: FileRequest) -> Refused:
        near = similar_paths(request.path, self.files.names(request.path))
        cure = "use the path of an existing file, or create it."
        if near:
            cure = f"did you mean {' or '.join(near)}?"
        message = f"{request.path}: there is no such file; {cure}"
        return Refused("not_found", message, "\n".join(near))

    def _create(self, draft: FileDraft, request: FileRequest) -> Refused | None:
        if draft.data is not None:
            return self._create_over(draft, draft.data, request)

        landed = _land_on_nothing(request.request, request.path)
        if isinstance(landed, Refused):
            return landed

        data = _encode(landed.text, "utf-8", request.path)
        if isinstance(data, Refused):
            return data

        action: Action = "edit"
        if draft.before is None:
            action = "create"

        # The diff of the landing starts from an empty text. The draft may start from a file on the
        # disk that an earlier request of the same reply deletes.
        draft.become(action, data, [replace(landed, diff="")])
        return None

    def _create_over(
        self, draft: FileDraft, existing: bytes, request: FileRequest
    ) -> Refused | None:
        if self.overwrite:
            return _edit(draft, request.request, request.path)

        landed = _land_on_nothing(request.request, request.path)
        if isinstance(landed, Landed) and decode(existing).text == landed.text:
            return Refused(
                "already_applied",
                f"{request.path}: the file exists already, with exactly this text.",
            )

        cure = "edit it, or delete it first"
        return Refused(
            "conflict",
            f"{request.path}: the file to create exists already, with other text; {cure}.",
        )

    def _remove_or_rename(self, draft: FileDraft, request: FileRequest) -> Refused | None:
        if draft.linked:
            cure = f"{request.action} the file it leads to"
            return Refused("conflict", f"{request.path}: this is a symlink to {draft.at}; {cure}.")
        if request.action == "delete":
            return _delete(draft, request)
        return self._rename(draft, request)

    def _rename(self, draft: FileDraft, request: FileRequest) -> Refused | None:
        target = self._draft(request.to or "")
        if isinstance(target, FileUnfit):
            return Refused(target.reason, target.message)
        if target is draft:
            return Refused(
                "no_change",
                f"{request.path}: the new name is the old one; use another name, or edit the file.",
            )
        if target.data is not None:
            cure = "use another name, or delete that file first"
            return Refused(
                "conflict",
                f"{request.path}: cannot become {request.to}, which exists already; {cure}.",
            )

        if request.request is not None:
            refused = _edit(draft, request.request, request.path)
            if refused is not None:
                return refused

        source = draft.source
        action: Action = "rename"
        if draft.action == "create":
            action = "create"

        target.become(action, draft.data, draft.landings)
        target.mode = draft.mode
        if target is source:
            target.action = "edit"
        elif source.before is not None:
            target.renamed_from = source

        draft.become("delete", None, [])
        return None


def _new_draft(path: str, looked: FileFound | FileMissing) -> FileDraft:
    if isinstance(looked, FileMissing):
        return FileDraft(path, looked.at, None, looked.parents)
    before = Content(looked.data, looked.mode)
    return FileDraft(path, looked.at, before, data=looked.data, mode=looked.mode)


def _edit(draft: FileDraft, request: Request | None, path: str) -> Refused | None:
    if request is None or draft.data is None:
        return Refused("malformed", f"{path}: the request does not say what to change.")

    decoded = decode(draft.data)
    if decoded.binary:
        return Refused(
            "conflict",
            f"{path}: this is a binary file (there is a NUL in it); only text can be edited.",
        )

    landed = land(decoded.text, request, path)
    if isinstance(landed, Refused):
        return landed

    text = landed.text
    if decoded.marked and not decoded.text.startswith(_BOM):
        # The encoding writes the file's BOM; a BOM at the start of the text would be a second one.
        text = text.removeprefix(_BOM)

    data = _encode(text, decoded.encoding, path)
    if isinstance(data, Refused):
        return data

    draft.data = data
    draft.landings.append(landed)
    return None


def _delete(draft: FileDraft, request: FileRequest) -> Refused | None:
    """Remove the file. A patch that deletes the file has to remove all of its text."""
    if request.request is not None and draft.data:
        decoded = decode(draft.data)
        landed = land(decoded.text, request.request, request.path)
        if isinstance(landed, Refused):
            return landed
        if landed.text:
            cure = "read it again and remove all of it"
            return Refused(
                "conflict",
                f"{request.path}: the file has more text than the patch removes; {cure}.",
            )

    if draft.renamed_from is not None:
        draft.renamed_from.become("delete", None, [])

    draft.become("delete", None, [])
    return None


def _land_on_nothing(request: Request | None, path: str) -> Landed | Refused:
    """Return a new file's text. An empty text is legal here; `land` would call it no change."""
    if request is None or request == WriteFile(""):
        return Landed("", "", "exact", 1.0, ())
    return land("", request, path)


def _encode(text: str, encoding: Encoding, path: str) -> bytes | Refused:
    try:
        return encode(text, encoding)
    except UnicodeEncodeError as error:
        code = f"U+{ord(text[error.start]):04X}"
        cure = "write the edit without it"
        return Refused(
            "conflict", f"{path}: the file is {encoding}, which cannot encode {code}; {cure}."
        )
