"""Paths that clients send: none leads out of the folder of the session, in whatever parameter it comes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from holdfast.server.app import make_app
from holdfast.server.document import describe
from holdfast.testing import call, say
from tests.server.harness import RunningServer

pytestmark = pytest.mark.integration

SECRET = "outside-secret"
NAMES = {"path", "paths", "keep", "root", "file", "files", "folder"}
OUTSIDE = ["../secret.txt", "a/../../secret.txt", "..", "/etc/passwd", "//x", "a.py\0", "\0", ""]
LINKS = ["link/secret.txt", "link.txt"]

Send = Callable[[RunningServer, str, str], httpx.Response]


def in_address(path: str) -> str:
    """Return a path for an address, with dots that no client takes out of it."""
    return quote(path, safe="").replace(".", "%2e")


def file_now(server: RunningServer, session: str, path: str) -> httpx.Response:
    return server.client.get(f"/api/sessions/{session}/files/{in_address(path)}")


def file_then(server: RunningServer, session: str, path: str) -> httpx.Response:
    address = f"/api/sessions/{session}/files/{in_address(path)}"
    return server.client.get(address, params={"at": "base"})


def diff_of_file(server: RunningServer, session: str, path: str) -> httpx.Response:
    return server.client.get(f"/api/sessions/{session}/diff", params={"path": path})


def attachment(server: RunningServer, session: str, path: str) -> httpx.Response:
    message = {"text": "x", "client_id": path[:20] or "-", "attachments": [{"path": path}]}
    return server.client.post(f"/api/sessions/{session}/messages", json=message)


def edited_attachment(server: RunningServer, session: str, path: str) -> httpx.Response:
    edit = {"text": "x", "attachments": [{"path": path}]}
    return server.client.patch(f"/api/sessions/{session}/queue/none", json=edit)


def kept_file(server: RunningServer, session: str, path: str) -> httpx.Response:
    *_, checkpoint = server.get(f"/sessions/{session}/checkpoints")["checkpoints"]
    address = f"/api/sessions/{session}/checkpoints/{checkpoint['id']}/restore"
    return server.client.post(address, json={"scope": "files", "keep": [path]})


def project_root(server: RunningServer, _session: str, path: str) -> httpx.Response:
    return server.client.post("/api/projects", json={"path": path})


IN_SESSION: dict[str, Send] = {
    "getFile path": file_now,
    "getFile path, at a moment": file_then,
    "getDiff path": diff_of_file,
    "Attachment path": attachment,
    "Attachment path, edited": edited_attachment,
    "RestoreRequest keep": kept_file,
}


@pytest.fixture
def script() -> Any:
    return [call("edit_file", path="a.py", old="x = 1", new="x = 2"), say("Done.")]


@pytest.fixture
def session(server: RunningServer, root: Path) -> str:
    """Return a session with a checkpoint, beside links to a file outside."""
    (root.parent / "secret.txt").write_text(SECRET)
    (root / "link").symlink_to(root.parent)
    (root / "link.txt").symlink_to(root.parent / "secret.txt")
    session = server.new_session()
    server.turn(session, "go")
    return session


def test_every_parameter_that_takes_a_path_is_tried_here() -> None:
    tried = {name.partition(",")[0] for name in IN_SESSION} | {"NewProject path"}
    assert set(_path_parameters(describe(make_app()))) == tried


def test_no_path_of_a_session_leads_outside(
    server: RunningServer, root: Path, session: str
) -> None:
    for name, send in IN_SESSION.items():
        for path in OUTSIDE:
            answer = send(server, session, path)
            # Without a path, the address is that of nothing.
            wanted = {"invalid", "not_found"} if path == "" else {"invalid"}
            assert answer.json()["code"] in wanted, (name, path, answer.text)
            assert answer.status_code in {400, 404, 422}
        for path in LINKS:
            answer = send(server, session, path)
            assert answer.status_code < 500, (name, path, answer.text)
            assert SECRET not in answer.text, (name, path)
    for path in LINKS:
        assert file_now(server, session, path).status_code == 422
        assert attachment(server, session, path).status_code == 422
    assert (root.parent / "secret.txt").read_text() == SECRET
    assert server.get(f"/sessions/{session}")["queued"] == 0


@pytest.mark.parametrize(
    "path", ["../x", "relative", "/tmp/../etc", "\0", "/a\0b", "", "/etc/passwd", "/no/such/folder"]
)
def test_no_path_of_a_project_is_taken_from_the_page_alone(
    server: RunningServer, path: str
) -> None:
    assert project_root(server, "", path).status_code == 422


def _path_parameters(document: dict[str, Any]) -> Iterator[str]:
    """Yield the names of parameters and fields of bodies that take a path, with their owner."""
    schemas = document["components"]["schemas"]
    wanted: set[str] = set()
    for operations in document["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                if parameter["name"] in NAMES:
                    yield f"{operation['operationId']} {parameter['name']}"
            wanted.update(_references(operation.get("requestBody", {})))

    seen: set[str] = set()
    while wanted:
        name = wanted.pop()
        seen.add(name)
        wanted |= set(_references(schemas[name])) - seen
        for field in schemas[name].get("properties", {}):
            if field in NAMES:
                yield f"{name} {field}"


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"].rpartition("/")[2]
        for each in value.values():
            yield from _references(each)
    if isinstance(value, list):
        for each in value:
            yield from _references(each)
