"""Generated answers of the API: sessions with any number of messages, diffs of any size, a stream of events.

Only the page is measured here, so nothing of the real server is behind it.
"""

from __future__ import annotations

import json
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

from bench.page import live_session
from bench.page.live_session import AT

PAGE = Path(__file__).parents[2] / "src" / "holdfast" / "server" / "page"
TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}
BEAT_SECONDS = 10
MARKDOWN = """Message {n}: **bold**, `code`, and a list:

- one
- two

```python
def f{n}(x):
    return x + {n}
```

| a | b |
|---|---|
| {n} | 2 |
"""


def session(name: str, messages: int) -> dict[str, Any]:
    return {
        "id": name,
        "project": "p",
        "title": name,
        "agent": "holdfast",
        "model": None,
        "chosen_model": None,
        "mode": "auto",
        "place": "in_place",
        "root": "/x",
        "branch": None,
        "state": "running" if name == "live" else "done",
        "archived": False,
        "turn_id": "t0" if name == "live" else None,
        "last_turn": None,
        "stop_reason": None,
        "can_continue": False,
        "approvals": 0,
        "queued": 0,
        "messages": messages,
        "turns": 1,
        "files_changed": 1,
        "proposed": 0,
        "last_words": "",
        "created_at": AT,
        "updated_at": AT,
    }


def message(number: int) -> dict[str, Any]:
    assistant = number % 2 == 1
    said = {"text": MARKDOWN.format(n=number), "reasoning": "", "calls": []}
    one = live_session.event(1, number, "said", **said)
    events = [{**one, "session": "many"}] if assistant else []
    return {
        "id": f"m{number}",
        "seq": number,
        "role": "assistant" if assistant else "user",
        "state": "done",
        "text": f"Prompt {number}",
        "turn_id": f"t{number}",
        "checkpoint_id": "c",
        "created_at": AT,
        "events": events,
    }


def huge_page() -> dict[str, Any]:
    """Return a transcript with one answer, of 4,000 items in one list: 200 KB."""
    text = "\n".join(f"- item {number}, with **some** words and `code`" for number in range(4_000))
    said = live_session.event(1, 1, "said", text=text, reasoning=text, calls=[])
    answer = {**message(1), "events": [{**said, "session": "huge"}]}
    prompt = {**message(0), "text": "a line that was pasted\n" * 40_000}
    return {"messages": [answer, prompt], "before": None, "queue": [], "seq": 1}


ENTRIES = 1_234


def timeline_page(before: int | None, limit: int) -> dict[str, Any]:
    """Return a page of a timeline with `ENTRIES` ends of turns, newest first."""
    end = ENTRIES if before is None else before - 1
    numbers = range(end, max(0, end - limit), -1)
    found = [{**live_session.event_at(live_session.TURN), "seq": number} for number in numbers]
    return {"events": found, "before": end - limit + 1 if end > limit else None}


def page_of(name: str, before: int | None, limit: int) -> dict[str, Any]:
    if name == live_session.SESSION:
        return live_session.newest_messages(Answers.sent, before, limit)
    if name == "huge":
        return huge_page()
    count = {"many": 5_000}.get(name, 0)
    end = count if before is None else before
    found = [message(number) for number in range(max(0, end - limit), end)][::-1]
    older = end - limit if end > limit else None
    return {"messages": found, "before": older, "queue": [], "seq": 1}


def hunks(count: int, first: int, many: int) -> list[dict[str, Any]]:
    found = []
    for number in range(first, min(count, first + many - 1) + 1):
        at = number * 40
        lines = "".join(f" value_{at + row} = {row}\n" for row in range(8))
        changed = (
            f"-old_{number} = 1\n-old_b_{number} = 2\n+new_{number} = 1\n+new_b_{number} = 2\n"
        )
        found.append(
            {
                "number": number,
                "path": "big.py",
                "diff": f"@@ -{at},18 +{at},18 @@\n{lines}{changed}{lines}",
            }
        )
    return found


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    last_event = 0
    """The number up to which the stream sends, at 100 a second, or as fast as it can with `rush`."""
    rush = False
    is_cut = False
    """Every stream ends, and none begins."""
    sent = 0
    """The number of the last event that was sent."""

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        parsed = urlparse(self.path)
        query = {name: values[0] for name, values in parse_qs(parsed.query).items()}
        path = parsed.path
        if path.endswith("/events"):
            self.stream()
            return
        if path.startswith("/api/"):
            self.send(
                json.dumps(self.answer(path.removeprefix("/api"), query)).encode(),
                "application/json",
            )
            return
        file = PAGE / (path.lstrip("/") or "index.html")
        self.send(file.read_bytes(), TYPES.get(file.suffix, "text/plain"))

    def answer(self, path: str, query: dict[str, str]) -> Any:
        words = path.strip("/").split("/")
        match words:
            case ["projects"]:
                project = {
                    "id": "p",
                    "name": "bench",
                    "root": "/x",
                    "git": True,
                    "sessions": 5,
                    "last_seq": Answers.sent,
                }
                return {"projects": [project]}
            case ["sessions"]:
                names = {"empty": 0, "many": 5_000, "live": 1, "small": 0, "large": 0}
                return {
                    "sessions": [session(name, count) for name, count in names.items()],
                    "total": 5,
                    "next_offset": None,
                }
            case ["sessions", name]:
                return session(name, 0)
            case ["sessions", name, "messages"]:
                before = int(query["before"]) if "before" in query else None
                return page_of(name, before, int(query["limit"]))
            case ["sessions", name, "diff"]:
                count = 1_000 if name == "large" else 10
                found = hunks(count, int(query["from"]), int(query["count"]))
                file = {
                    "path": "big.py",
                    "status": "modified",
                    "added": count * 2,
                    "removed": count * 2,
                }
                return {
                    "against": "base",
                    "files": [file],
                    "hunks": found,
                    "total": count,
                    "commits": [],
                }
            case ["sessions", _, "timeline"]:
                before = int(query["before"]) if "before" in query else None
                return timeline_page(before, int(query["limit"]))
            case ["sessions", _, noun]:
                return {noun: []}
            case ["settings"]:
                return {
                    "settings": {},
                    "user_file": "",
                    "key_withheld": None,
                    "sandbox": {"kind": "none", "why": ""},
                }
            case [noun]:
                return {noun: []}
        return {}

    def send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self) -> None:
        last = int(parse_qs(urlparse(self.path).query)["after"][0])
        if last > max(Answers.last_event, Answers.sent):
            # As the server does: this number is of another log.
            self.send_response(409)
            self.send_header("content-length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        self.wfile.write(b": beat\n\n")
        self.wfile.flush()
        # A stream that ends, or is silent, is a lost connection for the page.
        beat = time.monotonic()
        with suppress(ConnectionError):
            while not Answers.is_cut:
                if last < Answers.last_event:
                    last += 1
                    self.send_event(last)
                if last == Answers.last_event or not Answers.rush:
                    time.sleep(0.01)
                if time.monotonic() - beat > BEAT_SECONDS:
                    beat = time.monotonic()
                    self.wfile.write(b": beat\n\n")

    def send_event(self, number: int) -> None:
        one = live_session.event_at(number)
        frame = f"id: {number}\nevent: {one['kind']}\ndata: {json.dumps(one)}\n\n"
        self.wfile.write(frame.encode())
        Answers.sent = max(Answers.sent, number)


def start() -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
