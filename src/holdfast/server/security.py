"""Who may call: Host, Origin, token, kind and size of a body; and the headers of every answer.

Plain ASGI around the application: nothing of it is reached by a request that is refused here.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import RedirectResponse, Response

from holdfast.server.problems import ApiError, problem_response
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from holdfast.server.token import AccessToken

LARGEST_BODY = 2_000_000
_MOST_DISCARDED = 16_000_000
_DISCARD_SECONDS = 2.0
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
_CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True, slots=True)
class Access:
    """Who may call. `hosts` are names besides those of this machine's loopback interface.

    `cookie` is the name of the cookie: a browser sends it to every port of the host, so that two
    servers need two names.
    """

    token: AccessToken
    cookie: str = "holdfast"
    hosts: frozenset[str] = frozenset()
    body_seconds: float = 20.0

    def allows_host(self, host: str) -> bool:
        """Return whether the Host header names this machine, whatever the port."""
        name, _, port = host.rpartition(":")
        if not name or host.endswith("]"):
            name, port = host, ""
        if port and not port.isdecimal():
            return False
        return name.lower() in _LOOPBACK or name.lower() in self.hosts


class Guard:
    """The outermost application: it refuses, or calls the one inside."""

    def __init__(self, inner: ASGIApp, access: Access) -> None:
        """Protect an application."""
        self._inner = inner
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
            return
        if scope["type"] != "http":
            # No WebSocket here: it has no same-origin rule.
            return

        is_api = scope["path"] == "/api" or scope["path"].startswith("/api/")
        send = _with_headers(send, is_api=is_api)
        headers = Headers(scope=scope)
        try:
            entered = self._judge(scope, headers, is_api=is_api)
            if entered is not None:
                await entered(scope, receive, send)
                return
            receive = await self._receive_body(scope, headers, receive)
        except ApiError as error:
            if error.problem.status == 413:
                await _discard(receive)
            await _refusal(error)(scope, receive, send)
            return

        await self._inner(scope, receive, send)

    def _judge(self, scope: Scope, headers: Headers, *, is_api: bool) -> Response | None:
        """Return the answer that sets the cookie, or None to go on. Raise `ApiError`."""
        host = headers.get("host", "")
        if not self._access.allows_host(host):
            raise ApiError(
                403,
                "forbidden_host",
                "The Host header names another machine.",
                "Use the address that `holdfast serve` printed, or --allow-host.",
            )
        if b"%00" in scope.get("raw_path", b"") + scope["query_string"]:
            raise ApiError(400, "invalid", "The address has a NUL in it.")

        method = scope["method"]
        given = [value for name, value in _query(scope) if name == "token"]
        if given and not is_api and method in _SAFE:
            return self._enter(scope, given[0])
        if not is_api:
            if method not in _SAFE:
                raise ApiError(405, "method_not_allowed", "Only the API takes this method.")
            return None

        by_cookie = self._authenticate(headers)
        self._judge_origin(headers, host, method, by_cookie=by_cookie)
        return None

    def _enter(self, scope: Scope, given: str) -> Response:
        """Return the answer that sets the cookie and leads to the address without the token."""
        if not self._access.token.matches(given):
            raise _unauthorized("The token of this address is wrong or of an earlier run.")

        rest = [(name, value) for name, value in _query(scope) if name != "token"]
        # One slash: `//host` would lead to another machine.
        target = "/" + quote(scope["path"].lstrip("/"))
        if rest:
            target += "?" + urlencode(rest)

        response = RedirectResponse(target, 303)
        response.set_cookie(
            self._access.cookie,
            self._access.token.value,
            path="/",
            httponly=True,
            samesite="Strict",  # type: ignore[arg-type]  # as RFC 6265bis writes it
        )
        response.headers["cache-control"] = "no-store"
        return response

    def _authenticate(self, headers: Headers) -> bool:
        """Return whether the token is in the cookie, not in the header. Raise `ApiError`."""
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme:
            if scheme.lower() == "bearer" and self._access.token.matches(bearer.strip()):
                return False
            raise _unauthorized("The Authorization header has no valid token.")

        for value in _cookies(headers, self._access.cookie):
            if self._access.token.matches(value):
                return True

        raise _unauthorized("A token is needed.")

    def _judge_origin(self, headers: Headers, host: str, method: str, *, by_cookie: bool) -> None:
        origin = headers.get("origin")
        if origin is None:
            if by_cookie and method not in _SAFE:
                raise ApiError(
                    403, "forbidden_origin", "A request that changes something needs an Origin."
                )
            return
        if origin.lower() not in {f"http://{host}".lower(), f"https://{host}".lower()}:
            raise ApiError(403, "forbidden_origin", "The request comes from another page.")

    async def _receive_body(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        """Read the body of a request that changes something; return what hands it over."""
        if scope["method"] in _SAFE:
            return receive

        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > LARGEST_BODY:
            raise _too_large()

        try:
            async with asyncio.timeout(self._access.body_seconds):
                body = await _read(receive)
        except TimeoutError:
            raise ApiError(408, "too_slow", "The body of the request did not arrive.") from None

        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if body and kind != "application/json":
            raise ApiError(415, "not_json", "The body must be application/json.")

        return _replay(body, receive)


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _cookies(headers: Headers, name: str) -> list[str]:
    """Return the values of a cookie; another site's broken cookie is no obstacle."""
    found = []
    for line in headers.getlist("cookie"):
        for pair in line.split(";"):
            try:
                parsed = SimpleCookie(pair.strip())
            except CookieError:
                continue
            if name in parsed:
                found.append(parsed[name].value)

    return found


async def _read(receive: Receive) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ApiError(400, "invalid", "The connection ended within the body.")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > LARGEST_BODY:
            raise _too_large()
        if not message.get("more_body", False):
            return b"".join(parts)


async def _discard(receive: Receive) -> None:
    """Read on for a while: a client that still sends would see a reset and not the answer."""
    size = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(_DISCARD_SECONDS):
            while size < _MOST_DISCARDED:
                message = await receive()
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a function that hands over the body once, then waits for the end of the connection."""
    waiting = [body]

    async def replayed() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return replayed


def _with_headers(send: Send, *, is_api: bool) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            if is_api:
                headers["cache-control"] = "no-store"

        await send(message)

    return sent


def _refusal(error: ApiError) -> Response:
    headers: dict[str, Any] = {}
    if error.problem.status == 401:
        headers["www-authenticate"] = "Bearer"

    if error.problem.status in {408, 413}:
        # The rest of the body is not read.
        headers["connection"] = "close"

    return problem_response(error, headers)


def _unauthorized(detail: str) -> ApiError:
    hint = "Open the address that `holdfast serve` printed, or send `Authorization: Bearer TOKEN`."
    return ApiError(401, "unauthorized", detail, hint)


def _too_large() -> ApiError:
    most = LARGEST_BODY // 1_000_000
    return ApiError(413, "too_large", f"The body has more than {most} MB.")
