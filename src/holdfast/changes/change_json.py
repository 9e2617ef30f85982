"""Conversion of a change to JSON and back, without loss for any text and any bytes.

The plan has a version. In version 1, which has no number, both texts of a swap are whole. Since
version 2 the new text of an edited file is a difference to the old one. A text is read by the name
of its field, so both versions are read in the same way.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import asdict
from typing import Any

from holdfast.changes.change import RequestedEdits, hash_of
from holdfast.changes.content_delta import (
    delta_from_bytes,
    delta_to_bytes,
    difference,
    patched,
)
from holdfast.changes.plan import ChangePlan, FileLanded
from holdfast.changes.swaps import Content, Swap
from holdfast.vocab.requests import (
    FileRequest,
    LineEdit,
    LineEdits,
    OneOf,
    Patch,
    Replace,
    Request,
    WriteFile,
)

_VERSION = 2

_KINDS: dict[type[Request], str] = {
    Replace: "replace",
    Patch: "patch",
    LineEdits: "line_edits",
    WriteFile: "write_file",
    OneOf: "one_of",
}
_REQUEST_TYPES = {kind: request_type for request_type, kind in _KINDS.items()}
# The fields that are tuples of another type.
_PARTS: dict[str, dict[str, type[LineEdit | Replace]]] = {
    "line_edits": {"edits": LineEdit},
    "one_of": {"readings": Replace},
}


class ContentDamaged(Exception):  # noqa: N818 - the word for it
    """A recorded text is not what its hash says; the message names the file."""


def requested_to_json(requested: RequestedEdits) -> dict[str, Any]:
    """Return the requested edits as JSON."""
    requests = [_file_request_to_json(request) for request in requested.requests]
    return {
        "overwrite": requested.overwrite,
        "requests": requests,
        "part_of": requested.part_of,
    }


def requested_from_json(read: dict[str, Any]) -> RequestedEdits:
    """Parse the result of `requested_to_json`."""
    requests = map(_file_request_from_json, read["requests"])
    return RequestedEdits(tuple(requests), read["overwrite"], read.get("part_of"))


def plan_to_json(plan: ChangePlan) -> dict[str, Any]:
    """Return a plan as JSON, with the bytes and the hashes of both sides of every swap."""
    return {
        "version": _VERSION,
        "landed": list(map(asdict, plan.files)),
        "swaps": list(map(_swap_to_json, plan.swaps)),
        "makes": list(plan.makes),
        "clears": list(plan.clears),
        "modes": dict(plan.modes),
    }


def plan_from_json(read: dict[str, Any]) -> ChangePlan:
    """Parse the result of `plan_to_json`; raise `ContentDamaged` if a text is not as recorded."""
    landed = map(_file_landed_from_json, read["landed"])
    swaps = map(_swap_from_json, read["swaps"])
    makes, clears = tuple(read["makes"]), tuple(read.get("clears", ()))
    modes = tuple(read.get("modes", {}).items())
    return ChangePlan(tuple(landed), tuple(swaps), makes, clears, modes)


def _file_landed_from_json(read: dict[str, Any]) -> FileLanded:
    tuples = {"warnings": tuple(read["warnings"]), "real": tuple(read["real"])}
    return FileLanded(**read | tuples)


def _swap_to_json(swap: Swap) -> dict[str, Any]:
    return {
        "path": swap.path,
        "modes": swap.modes,
        "before": _content_to_json(swap.before, None),
        "after": _content_to_json(swap.after, swap.before),
    }


def _swap_from_json(read: dict[str, Any]) -> Swap:
    path = read["path"]
    try:
        before = _content_from_json(read["before"], None)
        after = _content_from_json(read["after"], before)
    except (ValueError, zlib.error) as error:
        raise ContentDamaged(f"{path}: the text on record is damaged") from error

    return Swap(path, before, after, read["modes"])


def _file_request_to_json(file: FileRequest) -> dict[str, Any]:
    request = None
    if file.request is not None:
        kind = _KINDS[type(file.request)]
        request = {"kind": kind, **asdict(file.request)}
    return {"path": file.path, "action": file.action, "to": file.to, "request": request}


def _file_request_from_json(read: dict[str, Any]) -> FileRequest:
    request = None
    if read["request"] is not None:
        request = _request_from_json(read["request"])
    return FileRequest(read["path"], read["action"], request, read["to"])


def _request_from_json(read: dict[str, Any]) -> Request:
    fields = dict(read)
    kind = fields.pop("kind")
    for name, part_type in _PARTS.get(kind, {}).items():
        parts = [part_type(**part) for part in fields[name]]
        fields[name] = tuple(parts)
    return _REQUEST_TYPES[kind](**fields)


def _content_to_json(content: Content | None, base: Content | None) -> dict[str, Any] | None:
    """Return a content as JSON, as a difference to `base` if there is one."""
    if content is None:
        return None

    known = {"sha256": hash_of(content), "mode": content.mode}
    if base is None:
        return known | {"zlib": _pack(content.data)}

    delta = difference(base.data, content.data)
    return known | {"delta": _pack(delta_to_bytes(delta))}


def _content_from_json(read: dict[str, Any] | None, base: Content | None) -> Content | None:
    if read is None:
        return None

    if base is not None and "delta" in read:
        data = patched(base.data, delta_from_bytes(_unpack(read["delta"])))
    else:
        data = _unpack(read["zlib"])

    content = Content(data, read["mode"])
    if hash_of(content) != read["sha256"]:
        raise ValueError("the hash differs")

    return content


def _pack(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data)).decode("ascii")


def _unpack(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))
