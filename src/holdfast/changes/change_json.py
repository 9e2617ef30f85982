"""A change as JSON and back, without loss: any text a request can hold, any bytes a file can."""

from __future__ import annotations

import base64
import zlib
from dataclasses import asdict
from typing import Any, assert_never

from holdfast.changes.change import RequestedEdits, hash_of
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

_KINDS: dict[type[Request], str] = {
    Replace: "replace",
    Patch: "patch",
    LineEdits: "line_edits",
    WriteFile: "write_file",
    OneOf: "one_of",
}


def asked_to_json(asked: RequestedEdits) -> dict[str, Any]:
    """Write down what was asked."""
    requests = [_file_request_to_json(each) for each in asked.requests]
    return {"overwrite": asked.overwrite, "requests": requests, "part_of": asked.part_of}


def asked_from_json(read: dict[str, Any]) -> RequestedEdits:
    """Read what `asked_to_json` wrote."""
    requests = tuple(_file_request_from_json(each) for each in read["requests"])
    return RequestedEdits(requests, read["overwrite"], read.get("part_of"))


def plan_to_json(plan: ChangePlan) -> dict[str, Any]:
    """Write down what lands, with the bytes and the hashes of both sides."""
    return {
        "landed": [asdict(file) for file in plan.files],
        "swaps": [
            {
                "path": swap.path,
                "modes": swap.modes,
                "before": _content_to_json(swap.before),
                "after": _content_to_json(swap.after),
            }
            for swap in plan.swaps
        ],
        "makes": list(plan.makes),
    }


def plan_from_json(read: dict[str, Any]) -> ChangePlan:
    """Read what `plan_to_json` wrote."""
    landed = (
        FileLanded(**each | {"warnings": tuple(each["warnings"]), "real": tuple(each["real"])})
        for each in read["landed"]
    )
    swaps = (
        Swap(
            each["path"],
            _content_from_json(each["before"]),
            _content_from_json(each["after"]),
            each["modes"],
        )
        for each in read["swaps"]
    )
    return ChangePlan(tuple(landed), tuple(swaps), tuple(read["makes"]))


def _file_request_to_json(each: FileRequest) -> dict[str, Any]:
    request = None if each.request is None else _request_to_json(each.request)
    return {"path": each.path, "action": each.action, "to": each.to, "request": request}


def _file_request_from_json(read: dict[str, Any]) -> FileRequest:
    request = None if read["request"] is None else _request_from_json(read["request"])
    return FileRequest(read["path"], read["action"], request, read["to"])


def _request_to_json(request: Request) -> dict[str, Any]:
    return {"kind": _KINDS[type(request)], **asdict(request)}


def _request_from_json(read: dict[str, Any]) -> Request:
    fields = {name: value for name, value in read.items() if name != "kind"}
    match read["kind"]:
        case "replace":
            return Replace(**fields)
        case "patch":
            return Patch(**fields)
        case "line_edits":
            return LineEdits(tuple(LineEdit(**each) for each in fields["edits"]), fields["shown"])
        case "write_file":
            return WriteFile(**fields)
        case "one_of":
            return OneOf(tuple(Replace(**each) for each in fields["readings"]))
        case strange:
            assert_never(strange)


def _content_to_json(content: Content | None) -> dict[str, Any] | None:
    if content is None:
        return None
    packed = base64.b64encode(zlib.compress(content.data)).decode("ascii")
    return {"sha256": hash_of(content), "mode": content.mode, "zlib": packed}


def _content_from_json(read: dict[str, Any] | None) -> Content | None:
    return (
        None
        if read is None
        else Content(zlib.decompress(base64.b64decode(read["zlib"])), read["mode"])
    )
