"""A scripted model server: real HTTP on loopback, four APIs, with faults on demand."""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qs, urlsplit

from holdfast.testing.request_log import RecordedRequest, RequestLog
from holdfast.testing.server_apis import native_answers
from holdfast.testing.wire_formats.wire_format import count_tokens, find_format, model_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

    from holdfast.adapters.models.servers import ServerKind
    from holdfast.testing.replies import Reply
    from holdfast.testing.wire_formats.wire_format import WireFormat

_NO_ANSWERS: Mapping[str, Any] = MappingProxyType({})


class ScriptedServer:
    """A server that answers each request with the next reply of the script; use it in a `with`.

    The script is a sequence, or a function of the request. `requests` are the requests so far,
    `port` is where the server listens; `base_url` is the URL for clients of OpenAI's APIs, `origin`
    the URL for clients of Anthropic's and Gemini's.
    After the last reply the answer is 410, or `otherwise`. `kind` is the program to imitate, with
    `context` tokens; `key` is the key that it requires; `extra` are more answers, by path.
    """

    def __init__(
        self,
        script: Sequence[Reply] | Callable[[RecordedRequest], Reply],
        *,
        otherwise: Reply | None = None,
        model: str = "scripted",
        models: Sequence[str] | None = None,
        kind: ServerKind = "other",
        context: int | None = None,
        key: str | None = None,
        extra: Mapping[str, Any] = _NO_ANSWERS,
        port: int = 0,
        on_request: Callable[[RecordedRequest], None] | None = None,
    ) -> None:
        names = tuple(models or (model,))
        answers = native_answers(kind, names, context)
        answers.update(extra)
        self._log = RequestLog(script, otherwise, key, answers, on_request)
        self.requests = self._log.requests
        self._server = _Listener(("127.0.0.1", port), _handler_for(self._log))
        self.port = self._server.server_port
        self.origin = f"http://127.0.0.1:{self.port}"
        self.base_url = f"{self.origin}/v1"
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), name="scripted-server"
        )
        self._thread.start()

    def wait_for_disconnect(self, timeout: float = 10.0) -> bool:
        """Wait until a client disconnects during its answer; return False if none does."""
        return self._log.left.acquire(timeout=timeout)

    def close(self) -> None:
        """Stop listening and end all answers. Raise the first exception of a handler."""
        self._log.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        if self._server.faults:
            raise self._server.faults[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()


class _Listener(ThreadingHTTPServer):
    # So that closing waits for them.
    daemon_threads = False
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self.faults: list[BaseException] = []

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - inherited
        error = sys.exception()
        if error is None or isinstance(error, ConnectionError | TimeoutError):
            return
        self.faults.append(error)


def _handler_for(request_log: RequestLog) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        log = request_log

    return Handler


class _Handler(BaseHTTPRequestHandler):
    log: RequestLog
    protocol_version = "HTTP/1.1"
    # For a client that connects and then sends nothing.
    timeout = 30

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - http.server's signature
        """Log nothing, because the requests are recorded."""

    def do_GET(self) -> None:
        self._answer_native()

    def do_HEAD(self) -> None:
        self._send(200, b"", "text/plain")

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("content-length", 0)))
        wire_format = find_format(self.path)
        if wire_format is None:
            self._answer_native(count_tokens(self.path, len(data)))
            return
        if not self._is_allowed():
            self._send_json(401, {"error": {"message": "Incorrect API key"}})
            return

        body = json.loads(data)
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = RecordedRequest(self.path, data, body, headers)
        number, reply = self.log.choose(request)
        if reply.drop or not self.log.wait(reply.hang, self.connection):
            self._break()
            return

        self._answer(wire_format, request, number, reply)

    def _answer(
        self, wire_format: WireFormat, request: RecordedRequest, number: int, reply: Reply
    ) -> None:
        model, prompt = model_of(request.path, request.body), len(request.raw) // 4
        if reply.status != 200:
            headers: list[tuple[str, str]] = []
            if reply.retry_after is not None:
                headers.append(("Retry-After", f"{reply.retry_after:g}"))
            self._send_json(reply.status, wire_format.error(reply), headers)
        elif reply.raw is not None:
            self._send_parts(reply, list(reply.raw), "text/event-stream")
        elif reply.whole or not wire_format.is_stream(request.path, request.body):
            self._send(200, wire_format.whole(reply, number, model, prompt), "application/json")
        else:
            parts = wire_format.events(reply, number, model, prompt)
            self._send_parts(reply, parts, "text/event-stream")

    def _answer_native(self, answer: Any = None) -> None:
        if self.path.startswith("/v1") and not self._is_allowed():
            self._send_json(401, {"error": {"message": "no key"}})
            return

        for path in (self.path, self.path.partition("?")[0]):
            answer = answer or self.log.answers.get(path)

        if answer is None:
            self._send_json(404, {"error": "not found"})
        else:
            self._send_json(200, answer)

    def _is_allowed(self) -> bool:
        """Return whether the request has the required key, where any of the APIs has it."""
        query = parse_qs(urlsplit(self.path).query)
        given = [
            str(self.headers.get("authorization", "")).removeprefix("Bearer "),
            self.headers.get("x-api-key"),
            self.headers.get("x-goog-api-key"),
            *query.get("key", ()),
        ]
        return self.log.key is None or self.log.key in given

    def _send_parts(self, reply: Reply, parts: list[bytes], kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")
        self.end_headers()
        for place, part in enumerate(parts):
            # The first event of a reply only has the role; the second is the first piece.
            if reply.cut_after is not None and place > reply.cut_after:
                self._break()
                return
            if place > 1 and not self.log.wait(reply.gate, self.connection):
                self._break()
                return
            if part:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))

        self.wfile.write(b"0\r\n\r\n")
        self.close_connection = True

    def _send_json(self, status: int, value: Any, headers: Sequence[tuple[str, str]] = ()) -> None:
        self._send(status, json.dumps(value).encode(), "application/json", headers)

    def _send(
        self, status: int, data: bytes, kind: str, headers: Sequence[tuple[str, str]] = ()
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Connection", "close")
        for name, value in headers:
            self.send_header(name, value)

        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def _break(self) -> None:
        self.close_connection = True
        self.connection.close()
