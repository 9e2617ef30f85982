"""A model server that streams a reply of many pieces, one after a pause."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class PacedModel:
    """Streams `pieces` pieces, each after `pause` seconds, when `gate` is set."""

    def __init__(self, pieces: int, pause: float) -> None:
        self.pieces, self.pause = pieces, pause
        self.gate = threading.Event()
        self.waiting = 0
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._json(
                    {
                        "object": "list",
                        "data": [{"id": "paced", "owned_by": "vllm", "max_model_len": 100_000}],
                    }
                )

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("content-length", 0)))
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("connection", "close")
                self.end_headers()
                model.waiting += 1
                model.gate.wait()
                for number in range(model.pieces):
                    self._piece({"content": f"piece {number} "})
                    time.sleep(model.pause)
                self._piece({}, "stop")
                self.wfile.write(b"data: [DONE]\n\n")
                self.close_connection = True

            def _piece(self, delta: dict[str, Any], finish: str | None = None) -> None:
                choice = {"index": 0, "delta": delta, "finish_reason": finish}
                body = {
                    "id": "x",
                    "object": "chat.completion.chunk",
                    "model": "paced",
                    "choices": [choice],
                }
                self.wfile.write(b"data: " + json.dumps(body).encode() + b"\n\n")
                self.wfile.flush()

            def _json(self, body: Any) -> None:
                data = json.dumps(body).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        self._server.shutdown()
