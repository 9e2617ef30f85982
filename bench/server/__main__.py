"""`make bench-server`: delivery to 500 followers, what they cost a turn, and a restore of a long chat."""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

import httpx

from bench.server.followers import Followers
from bench.server.paced_model import PacedModel

GIT = ["git", "-c", "user.name=B", "-c", "user.email=b@example.invalid"]
HOLDFAST = [sys.executable, "-m", "holdfast.cli.main"]


class Scene:
    """A project, a model and a server in a process of its own."""

    def __init__(self, place: Path, model: PacedModel) -> None:
        self.root = place / "project"
        self.root.mkdir()
        (self.root / "a.py").write_text("x = 1\n")
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "one"]):
            subprocess.run([*GIT, *words], cwd=self.root, check=True)
        self.environment = os.environ | {
            "HOLDFAST_STATE_DIR": str(place / "state"),
            "HOLDFAST_CONFIG_FILE": str(place / "config.toml"),
            "HOLDFAST_BASE_URL": model.base_url,
            "HOLDFAST_MODEL": "paced",
            "HOLDFAST_CONTEXT": "100000",
        }
        self.environment.pop("HOLDFAST_DATABASE_URL", None)
        self.process = subprocess.Popen(
            [*HOLDFAST, "serve", "--no-open", "--root", str(self.root)],
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        address = self.process.stdout.readline()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=(\S+)\n", address)
        assert found, address
        self.port, self.token = int(found[1]), found[2]
        self.client = httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}/api",
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=300,
            trust_env=False,
        )
        (project,) = self.get("/projects")["projects"]
        self.project = project["id"]

    def get(self, path: str, **params: Any) -> Any:
        return self.client.get(path, params=params).raise_for_status().json()

    def post(self, path: str, body: Any) -> Any:
        return self.client.post(path, json=body).raise_for_status().json()

    def cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(60)
        self.client.close()


def measure_delivery(scene: Scene, model: PacedModel, args: argparse.Namespace) -> dict[str, Any]:
    sessions = [
        scene.post("/sessions", {"title": f"s{number}", "mode": "auto"})["id"]
        for number in range(args.sessions)
    ]
    last = scene.get(f"/projects/{scene.project}")["last_seq"]
    each = [sessions[number % len(sessions)] for number in range(args.followers)]
    followers = Followers(scene.port, scene.token, scene.project, each, last)
    _until(lambda: scene.get("/health")["followers"] == args.followers)
    for session in sessions[: args.turns]:
        scene.post(f"/sessions/{session}/messages", {"text": "go", "client_id": uuid.uuid4().hex})
    _until(lambda: model.waiting == args.turns)
    before, began = scene.cpu(), time.monotonic()
    events_before = scene.get(f"/projects/{scene.project}")["last_seq"]
    # What came before the gate is no measure: checkpoints of twenty turns at once.
    followers.delays.clear()
    model.gate.set()
    _until(lambda: scene.get("/health")["turns"] == 0)
    end = scene.get(f"/projects/{scene.project}")["last_seq"]
    expected = _expected(scene, sessions, last)
    _until(
        lambda: all(
            seen[-1:] == expected[session][-1:]
            for seen, session in zip(followers.seen, each, strict=True)
        ),
        60,
    )
    cpu, seconds = scene.cpu() - before, time.monotonic() - began
    lost = repeated = 0
    for seen, session in zip(followers.seen, each, strict=True):
        lost += len(set(expected[session]) - set(seen))
        repeated += len(seen) - len(set(seen))
    delays = sorted(followers.delays)
    delivered = len(delays)
    followers.close()
    return {
        "events": end - events_before,
        "delivered": delivered,
        "lost": lost,
        "repeated": repeated,
        "p50_ms": 1000 * delays[len(delays) // 2],
        "p95_ms": 1000 * delays[int(len(delays) * 0.95)],
        "cpu_us_per_delivered": 1e6 * cpu / max(1, delivered),
        "cpu_ms_per_event": 1e3 * cpu / max(1, end - events_before),
        "seconds": seconds,
    }


def _expected(scene: Scene, sessions: list[str], after: int) -> dict[str, list[int]]:
    """Return the numbers of the events of each session, as the command prints them."""
    command = [*HOLDFAST, "events", "--json", "--after", str(after), "--root", str(scene.root)]
    told = subprocess.run(
        command, env=scene.environment, check=True, capture_output=True, text=True
    )
    found: dict[str, list[int]] = {session: [] for session in sessions}
    for line in told.stdout.splitlines():
        event = json.loads(line)
        if event["session"] in found:
            found[event["session"]].append(event["seq"])
    return found


def measure_turns(scene: Scene, model: PacedModel, args: argparse.Namespace) -> dict[str, Any]:
    """Return the CPU of a turn in a process of its own, with no and with many followers of the project."""
    model.gate.set()
    alone, followed = [], []
    for _ in range(args.repeats):
        alone.append(_turn_cpu(scene))
        last = scene.get(f"/projects/{scene.project}")["last_seq"]
        # They follow all sessions: that of the turn is not known before it begins.
        followers = Followers(scene.port, scene.token, scene.project, [""] * args.followers, last)
        _until(lambda: scene.get("/health")["followers"] == args.followers)
        followed.append(_turn_cpu(scene))
        followers.close()
        _until(lambda: scene.get("/health")["followers"] == 0)
    return {"alone": min(alone), "followed": min(followed), "ratio": min(followed) / min(alone)}


def _turn_cpu(scene: Scene) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [*HOLDFAST, "run", "go", "--approve", "auto", "--quiet", "--root", str(scene.root)]
    subprocess.run(command, env=scene.environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def measure_restore(scene: Scene, model: PacedModel, args: argparse.Namespace) -> dict[str, Any]:
    """Return the seconds of a restore of a long chat, by the route and by the command."""
    model.gate.set()
    session = scene.post("/sessions", {"mode": "auto"})["id"]
    scene.post(f"/sessions/{session}/messages", {"text": "go", "client_id": "a"})
    _until(lambda: scene.get(f"/sessions/{session}")["turns"] == 1)
    _until(lambda: scene.get(f"/sessions/{session}")["state"] == "done")
    checkpoint = scene.get(f"/sessions/{session}/messages")["messages"][0]["checkpoint_id"]
    _lengthen(scene, session, args.messages)
    by_route, by_command, deleted = [], [], 0
    command = [*HOLDFAST, "checkpoint"]
    at = ["--json", "--root", str(scene.root)]
    for _ in range(args.repeats):
        began = time.monotonic()
        done = scene.post(f"/sessions/{session}/checkpoints/{checkpoint}/restore", {})
        by_route.append(time.monotonic() - began)
        deleted = done["messages_deleted"]
        scene.post(f"/sessions/{session}/undo", {})
        began = time.monotonic()
        subprocess.run(
            [*command, "restore", checkpoint, *at],
            env=scene.environment,
            check=True,
            capture_output=True,
        )
        by_command.append(time.monotonic() - began)
        subprocess.run(
            [*command, "undo", *at], env=scene.environment, check=True, capture_output=True
        )
    route, told = statistics.median(by_route), statistics.median(by_command)
    return {"messages_deleted": deleted, "route_s": route, "command_s": told, "ratio": route / told}


def _lengthen(scene: Scene, session: str, messages: int) -> None:
    """Add messages to a session's chat, as turns would have."""
    from sqlalchemy import select

    from holdfast.adapters.store.queries.messages import append_message, append_parts
    from holdfast.adapters.store.store import open_store
    from holdfast.adapters.store.tables import chats

    with (
        open_store(str(next((scene.root.parent / "state").glob("*.sqlite*")))) as store,
        store.write() as connection,
    ):
        chat = connection.execute(
            select(chats.c.id).where(chats.c.session_id == session)
        ).scalar_one()
        for number in range(messages - 2):
            role = "user" if number % 2 == 0 else "assistant"
            message = append_message(connection, chat, role=role).id
            append_parts(connection, message, [("text", {"text": f"message {number} " * 20})])


def _until(condition: Any, seconds: float = 600) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.05)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--followers", type=int, default=500)
    parser.add_argument("--sessions", type=int, default=50)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--pieces", type=int, default=100)
    parser.add_argument("--messages", type=int, default=2_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--part", choices=["delivery", "turns", "restore"])
    args = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores")
    failed = False
    with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as place:
        model = PacedModel(args.pieces, 0.05)
        scene = Scene(Path(place), model)
        try:
            parts: tuple[tuple[str, Any, Any], ...] = (
                (
                    "delivery",
                    measure_delivery,
                    lambda found: found["lost"] + found["repeated"] == 0,
                ),
                ("turns", measure_turns, lambda found: found["ratio"] <= 1.2),
                ("restore", measure_restore, lambda found: found["ratio"] <= 1.5),
            )
            for name, measure, limit in parts:
                if args.part in {None, name}:
                    found = measure(scene, model, args)
                    kept = limit(found)
                    failed = failed or not kept
                    figures = ", ".join(f"{key} {value:.4g}" for key, value in found.items())
                    print(f"{name}: {figures}{'' if kept else '  BROKEN'}", flush=True)
        finally:
            scene.close()
            model.close()
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
