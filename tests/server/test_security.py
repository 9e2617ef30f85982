"""Who may call the server, and with what: every refusal has its reason."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from holdfast.server.security import LARGEST_BODY, Access
from holdfast.server.token import AccessToken, BadTokenFile, read_token
from tests.server.harness import TOKEN, RunningServer
from tests.waiting import LONGEST

pytestmark = pytest.mark.integration

BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def server(shared_server: RunningServer) -> RunningServer:
    return shared_server


@pytest.fixture
def root(server: RunningServer) -> Path:
    return server.projects.all()[0].root


@pytest.fixture
def plain(server: RunningServer) -> Any:
    """Return a client without a token."""
    with httpx.Client(base_url=server.url, trust_env=False, timeout=LONGEST) as client:
        yield client


@pytest.fixture
def entered(server: RunningServer) -> Any:
    """Return a client that came by the address with the token."""
    with httpx.Client(base_url=server.url, trust_env=False, timeout=LONGEST) as client:
        client.get("/", params={"token": TOKEN})
        yield client


def code(answer: httpx.Response) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["status"] == answer.status_code
    assert set(problem) >= {"title", "status", "detail", "hint", "code"}
    assert TOKEN not in answer.text
    return answer.status_code, problem["code"]


def test_the_address_with_the_token_sets_a_cookie_and_leads_to_the_address_without_it(
    plain: httpx.Client, server: RunningServer
) -> None:
    answer = plain.get("/sessions/abc", params={"token": TOKEN, "tab": "a b"})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/sessions/abc?tab=a+b"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"holdfast-{server.port}={TOKEN};")
    assert "httponly" in cookie.lower()
    assert "samesite=strict" in cookie.lower()
    assert answer.headers["cache-control"] == "no-store"


def test_the_cookie_opens_the_api(entered: httpx.Client) -> None:
    assert entered.get("/api/health").json()["status"] == "ok"


def test_a_double_slash_before_the_token_does_not_lead_to_another_machine(
    plain: httpx.Client, server: RunningServer
) -> None:
    answer = plain.get(f"{server.url}//evil.example/?token={TOKEN}")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/evil.example/"


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Cookie": f"holdfast={TOKEN}"},
        {"Cookie": "holdfast-1=x; ;=;"},
    ],
)
@pytest.mark.parametrize("path", ["/api/health", "/api/projects", "/api/openapi.json", "/api/none"])
def test_without_the_token_the_api_answers_401(
    plain: httpx.Client, headers: dict[str, str], path: str
) -> None:
    answer = plain.get(path, headers=headers)
    assert code(answer) == (401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_wrong_token_in_the_address_sets_no_cookie(plain: httpx.Client) -> None:
    answer = plain.get("/", params={"token": "wrong"})
    assert code(answer) == (401, "unauthorized")
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1.evil.example:{port}",
        "localhost.evil.example",
        "localhost.:{port}",
        "127.0.0.1:{port}@evil.example",
        "evil.example:{port}:{port}",
        "[::1].evil.example",
        "0.0.0.0:{port}",
        "127.0.0.2:{port}",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/api/health", "/", "/?token=" + TOKEN])
def test_a_foreign_host_is_refused_also_with_the_token(
    plain: httpx.Client, server: RunningServer, host: str, path: str
) -> None:
    answer = plain.get(path, headers=BEARER | {"Host": host.format(port=server.port)})
    assert code(answer) == (403, "forbidden_host")


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST", "[::1]:1"])
def test_a_loopback_host_is_ours(plain: httpx.Client, server: RunningServer, host: str) -> None:
    answer = plain.get("/api/health", headers=BEARER | {"Host": host.format(port=server.port)})
    assert answer.status_code == 200


def test_a_named_host_is_ours_too() -> None:
    access = Access(AccessToken(TOKEN), hosts=frozenset({"box.lan"}))
    assert access.allows_host("Box.lan:8080")
    assert not access.allows_host("box.lan.evil.example")


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "", "x"])
@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE", "PUT", "GET"])
def test_a_foreign_origin_is_refused_on_every_method(
    server: RunningServer, origin: str, method: str
) -> None:
    answer = server.client.request(method, "/api/sessions", headers={"Origin": origin})
    assert code(answer) == (403, "forbidden_origin")


def test_a_cookie_without_an_origin_changes_nothing(
    entered: httpx.Client, server: RunningServer
) -> None:
    body = {"title": "x from the page"}
    assert code(entered.post("/api/sessions", json=body)) == (403, "forbidden_origin")
    answer = entered.post("/api/sessions", json=body, headers={"Origin": server.url})
    assert answer.status_code == 201
    titles = [each["title"] for each in server.get("/sessions")["sessions"]]
    assert titles.count("x from the page") == 1


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_a_body_that_is_not_json_is_refused(server: RunningServer, kind: str) -> None:
    answer = server.client.post(
        "/api/sessions", content=b'{"title": "x"}', headers={"Content-Type": kind}
    )
    assert code(answer) == (415, "not_json")


def test_a_body_of_more_than_two_megabytes_is_refused(server: RunningServer) -> None:
    body = json.dumps({"text": "x" * LARGEST_BODY, "client_id": "a"}).encode()
    kind = {"Content-Type": "application/json"}
    answer = server.client.post("/api/sessions/abc/messages", content=body, headers=kind)
    assert code(answer) == (413, "too_large")


def raw(server: RunningServer, *pieces: bytes) -> bytes:
    """Send bytes as they are, and return the answer until the connection ends."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=LONGEST) as connection:
        try:
            for piece in pieces:
                connection.sendall(piece)
        except (BrokenPipeError, ConnectionResetError):
            pass
        answer = b""
        try:
            while piece := connection.recv(65536):
                answer += piece
        except ConnectionResetError:
            pass
        return answer


def head(server: RunningServer, *lines: str) -> bytes:
    first = ["POST /api/sessions HTTP/1.1", f"Host: 127.0.0.1:{server.port}"]
    told = [*first, f"Authorization: Bearer {TOKEN}", "Content-Type: application/json", *lines]
    return "\r\n".join([*told, "", ""]).encode()


def test_a_chunked_body_without_a_length_is_cut_at_two_megabytes(server: RunningServer) -> None:
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    answer = raw(server, head(server, "Transfer-Encoding: chunked"), *([chunk] * 40))
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b'"code":"too_large"' in answer


def test_a_body_that_does_not_come_is_given_up(start: Callable[..., RunningServer]) -> None:
    server = start(body_seconds=0.3)
    answer = raw(server, head(server, "Content-Length: 100"), b'{"ti')
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"code":"too_slow"' in answer


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "status", "code"),
    [
        ("GET", "/api/health", {"Authorization": "Bearer wrong"}, None, 401, "unauthorized"),
        ("GET", "/api/health", {"Host": "example.com"}, None, 403, "forbidden_host"),
        ("POST", "/api/sessions", {"Origin": "http://a.example"}, {}, 403, "forbidden_origin"),
        ("GET", "/api/nothing", {}, None, 404, "not_found"),
        ("GET", "/api/changes/none", {}, None, 404, "not_found"),
        ("POST", "/api/turns/none/cancel", {}, None, 404, "not_found"),
        ("POST", "/api/approvals/none", {}, {"answer": "once"}, 404, "not_found"),
        ("PUT", "/api/sessions", {}, {}, 405, "method_not_allowed"),
        ("POST", "/api/sessions", {}, {"title": "a" * 2_000_000}, 413, "too_large"),
        ("POST", "/api/sessions", {}, {"unknown": 1}, 422, "invalid"),
        ("GET", "/api/sessions?state=bad", {}, None, 422, "invalid"),
        ("POST", "/api/projects", {}, {"path": "/"}, 403, "not_added"),
    ],
)
def test_every_refusal_is_a_problem_that_says_what_to_do(
    shared_server: RunningServer,
    method: str,
    path: str,
    headers: dict[str, str],
    body: Any,
    status: int,
    code: str,
) -> None:
    answer = shared_server.client.request(method, path, headers=headers, json=body)
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert (answer.status_code, problem["status"], problem["code"]) == (status, status, code)
    assert all(problem[field] for field in ("title", "detail", "hint"))


def test_every_answer_has_the_headers_of_a_careful_server(server: RunningServer) -> None:
    for path, status in (("/", 200), ("/api/health", 200), ("/api/none", 404)):
        answer = server.client.get(path)
        assert answer.status_code == status
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "server" not in answer.headers
    assert server.client.get("/api/health").headers["cache-control"] == "no-store"


OUTSIDE = [
    "../secret.txt",
    "..%2fsecret.txt",
    "%2e%2e/secret.txt",
    "a/../../secret.txt",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "link/secret.txt",
    "link.txt",
    ".git/config",
    "a.py%00.txt",
    "%00",
]


@pytest.fixture
def outside(root: Path) -> str:
    """Put a secret beside the project, and links to it in the project; return the secret."""
    (root.parent / "secret.txt").write_text("outside-secret")
    for name, target in (("link", root.parent), ("link.txt", root.parent / "secret.txt")):
        if not (root / name).is_symlink():
            (root / name).symlink_to(target)
    return "outside-secret"


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_in_an_address_leads_out_of_the_project(
    outside: str, server: RunningServer, path: str
) -> None:
    session = server.new_session()
    url = f"{server.url}/api/sessions/{session}/files/{path}"
    answer = server.client.send(server.client.build_request("GET", httpx.URL(url)))
    assert answer.status_code in {400, 404, 422}
    assert outside not in answer.text
    assert code(answer)[1] in {"invalid", "not_found"}


def test_a_folder_is_added_only_when_somebody_at_the_terminal_allows_it(
    server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = server.client.post("/api/projects", json={"path": str(tmp_path)})
    assert code(answer) == (403, "not_added")
    monkeypatch.setattr(server.projects, "_ask", lambda _: True)
    (tmp_path / "other").mkdir()
    added = server.post("/projects", {"path": str(tmp_path / "other")}, 201)
    assert [each["root"] for each in server.get("/projects")["projects"]][1] == added["root"]
    server.delete(f"/projects/{added['id']}")
    assert len(server.get("/projects")["projects"]) == 1


@pytest.mark.parametrize(
    "path", ["/..%2f..%2fapp.py", "/%2e%2e/app.py", "/assets/..%2f..%2fapp.py"]
)
def test_no_file_beside_the_page_is_served(server: RunningServer, path: str) -> None:
    answer = server.client.send(server.client.build_request("GET", httpx.URL(server.url + path)))
    assert answer.status_code == 404
    assert b"make_app" not in answer.content


def test_a_token_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("x" * 40)
    file.chmod(0o644)
    with pytest.raises(BadTokenFile, match="others can read it"):
        read_token(file)
    file.chmod(0o600)
    assert read_token(file).matches("x" * 40)
    file.write_text("short")
    with pytest.raises(BadTokenFile, match="at least 20 characters"):
        read_token(file)


def test_a_token_does_not_print_itself() -> None:
    assert TOKEN not in repr(AccessToken(TOKEN))
    assert TOKEN not in str(Access(AccessToken(TOKEN)))
