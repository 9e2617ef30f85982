"""A small project, a scripted model over real HTTP, and a turn on it: in this process, or as the command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event as Flag
from typing import Any

from holdfast.adapters.models.openai_compatible import OpenAICompatible
from holdfast.config.settings import Settings
from holdfast.testing import FixedClock, RecordedRequest, Reply, ScriptedServer, say
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.usecases.turns.send_message import UserMessage
from holdfast.vocab.events import Event, SentinelRaised, TurnEnded
from holdfast.wiring.settings import settings_at
from holdfast.wiring.turns import run_turn_at

DONE = say("All of it is done, and the check is green.")
EXITS = {"done": 0, "mistakes": 10, "loop": 11, "cap": 12}
COMMAND = [sys.executable, "-m", "holdfast.cli.main"]
MODULES = 40

# The project's own test: each line of `expected` names a file and a text that it has to hold. The time it took differs
# from run to run, as in real life.
CHECK = """\
passed=0
while read -r file text; do
  if ! grep -q "$text" "src/$file"; then
    echo "FAILED src/$file: '$text' is not in it"
    echo "1 failed, $passed passed in 0.$$s"
    exit 1
  fi
  passed=$((passed + 1))
done < expected
echo "$passed passed in 0.$$s"
"""
# A build that goes on by itself; what it has done is kept where git does not look.
POLL = """\
mkdir -p build
count=$(cat build/count 2>/dev/null || echo 0)
count=$((count + 1))
echo $count > build/count
echo "[$(date +%H:%M:%S)] ${1:-built} $((count / ${2:-1})) of 99 targets"
"""
FLAKY = """\
mkdir -p build
count=$(cat build/flaky 2>/dev/null || echo 0)
count=$((count + 1))
echo $count > build/flaky
if [ $((count % 3)) = 0 ]; then echo "test_network FAILED: timed out after 0.$$s"; exit 1; fi
echo "41 passed in 0.$$s"
"""
COMPILE = """\
for module in core shapes main; do echo "cc -O2 -c -o build/$module.o $module.c"; done
echo "cc -o build/app build/core.o build/shapes.o build/main.o"
"""


def module(n: int) -> str:
    """The text of `src/m<n>.py` as it is at the beginning."""
    return (
        f'"""Module {n}."""\n\nRATE_{n} = {n}\n\n\ndef scale_{n}(value):\n    return value * RATE_{n}\n\n\n'
        f"def shift_{n}(value):\n    return value + RATE_{n}\n"
    )


def make_project(root: Path) -> Path:
    """Write the project, and commit it."""
    (root / "src").mkdir(parents=True)
    (root / "docs").mkdir()
    for n in range(MODULES):
        (root / "src" / f"m{n}.py").write_text(module(n))
    (root / "src/long.py").write_text("".join(f"LINE_{n} = {n}\n" for n in range(1, 1201)))
    (root / "docs/guide.md").write_text("# Guide\n\nHow to use it.\n")
    (root / "expected").write_text("".join(f"m{n}.py RATE_{n}\n" for n in range(4)))
    scripts = {"check.sh": CHECK, "poll.sh": POLL, "flaky.sh": FLAKY, "compile.sh": COMPILE}
    for name, text in scripts.items():
        (root / name).write_text(text)
    (root / "Makefile").write_text("all:\n\t@sh compile.sh\n")
    (root / ".gitignore").write_text("build/\n")
    git = ["git", "-C", str(root), "-c", "user.name=t", "-c", "user.email=t@example.org"]
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    for key, value in (("user.name", "t"), ("user.email", "t@example.org")):
        subprocess.run([*git, "config", key, value], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "start"], check=True)
    return root


@dataclass(frozen=True)
class Played:
    """How a turn went. `asked` are the questions that the server saw."""

    stop_reason: str
    asked: list[RecordedRequest] = field(repr=False)
    events: list[Event] = field(repr=False)

    @property
    def requests(self) -> int:
        """How many questions there were."""
        return len(self.asked)

    @property
    def has_open_matters(self) -> bool:
        """Whether the turn ended with something refused or failed; the model was asked about it."""
        (ended,) = [event for event in self.events if isinstance(event, TurnEnded)]
        return bool(ended.unresolved)

    @property
    def sentinels(self) -> list[str]:
        """What was said to people, in short."""
        return [
            f"{raised.sentinel.kind} {raised.sentinel.body.get('pattern', '')}{' stop' * bool(raised.sentinel.body.get('escalated'))}"
            for raised in self.events
            if isinstance(raised, SentinelRaised)
        ]


def endless(
    before: Sequence[Reply], then: Callable[[int], Reply]
) -> Callable[[RecordedRequest], Reply]:
    """A script: these replies, then the n-th of what goes on for ever."""
    count = iter(range(1_000_000))

    def answer(_: RecordedRequest) -> Reply:
        n = next(count)
        return before[n] if n < len(before) else then(n - len(before))

    return answer


def play(
    root: Path,
    script: Sequence[Reply] | Callable[[RecordedRequest], Reply],
    prompt: str = "Mend it.",
    *,
    waits: bool = True,
    max_steps: int | None = None,
    **server_options: Any,
) -> Played:
    """Run one turn in this process: all of `holdfast run` but the face. `HOLDFAST_STATE_DIR` must be set.

    Without `waits` the pauses between two tries are skipped. The other options are those of the server.
    """
    events: list[Event] = []
    with ScriptedServer(script, otherwise=DONE, **server_options) as server:
        flags = {
            "base_url": server.base_url,
            "model": "scripted",
            "approve": "auto",
            "max_steps": max_steps,
        }
        settings = settings_at(root, flags)
        assert isinstance(settings, Settings), settings
        ended = run_turn_at(
            root,
            settings,
            UserMessage(prompt),
            show=lambda event, _: events.append(event),
            say=_ignore,
            asker=None,
            cancel=Flag(),
            find=None if waits else _find_hasty,
        )
        assert not isinstance(ended, NotSent), ended
        return Played(ended.stop_reason, server.requests, events)


def _find_hasty(settings: Settings, _: Callable[[str], None]) -> OpenAICompatible:
    return OpenAICompatible(settings["base_url"], "scripted", sleep=FixedClock().sleep)


def play_command(
    root: Path, state: Path, script: Sequence[Reply] | Callable[[RecordedRequest], Reply]
) -> tuple[int, int, list[dict[str, object]]]:
    """Run the command; gives its exit code, the number of questions, and what it printed, line by line."""
    with ScriptedServer(script, otherwise=DONE) as server:
        words = [
            "run",
            "Mend it.",
            "--root",
            str(root),
            "--base-url",
            server.base_url,
            "--model",
            "scripted",
        ]
        done = subprocess.run(
            [*COMMAND, *words, "--approve", "auto", "--json"],
            env={**os.environ, "HOLDFAST_STATE_DIR": str(state)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return done.returncode, len(server.requests), lines


def _ignore(_: str) -> None:
    pass
