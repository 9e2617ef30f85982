"""What is sent in a step is the beginning of what is sent in the next, so that a server's prompt cache holds."""

from __future__ import annotations

import subprocess
import threading
from itertools import pairwise
from pathlib import Path

import pytest

from holdfast.config.settings import Settings
from holdfast.testing import Reply, ScriptedServer, call, calls, say, text_call
from holdfast.usecases.turns.send_message import UserMessage
from holdfast.vocab.events import Event, SentinelRaised, TurnEnded
from holdfast.wiring.settings import settings_at
from holdfast.wiring.turns import run_turn_at

NUDGE = b"\\n\\n[Note from Holdfast, not from the user]"


def reply_for(step: int) -> Reply:
    """Give what the model does in a step: all kinds of calls, three mistakes in a row now and then."""
    if step % 20 in {11, 12, 13}:
        return [call("read_file", path="none.py"), call("read_file", "{}"), call("no_such_tool")][
            step % 20 - 11
        ]
    match step % 5:
        case 0:
            return call("read_file", path="a.py", start=step)
        case 1:
            return call(
                "edit_file", path="a.py", old=f"line_{step} = 0", new=f"line_{step} = 1  # é"
            )
        case 2:
            return calls(
                call("list_dir", path="."),
                call("search", pattern=f"line_{step} "),
                text="Both at once.",
            )
        case 3:
            return text_call(
                "edit_file", path="a.py", old=f"line_{step} = 0", new=f"line_{step} = 2"
            )
        case _:
            return call("run_command", command=f"git diff -U{step}")


@pytest.mark.slow
def test_each_payload_of_a_long_turn_is_the_beginning_of_the_next_apart_from_the_nudge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(tmp_path / "state"))
    root = tmp_path / "root"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "a.py").write_text("".join(f"line_{number} = 0\n" for number in range(80)))
    subprocess.run(["git", "-C", str(root), "add", "."], check=True)
    events: list[Event] = []

    with ScriptedServer([*map(reply_for, range(60)), say("Done.")]) as server:
        flags = {
            "base_url": server.base_url,
            "model": "scripted",
            "approve": "auto",
            "context": 1_000_000,
        }
        settings = settings_at(root, flags)
        assert isinstance(settings, Settings)
        ended = run_turn_at(
            root,
            settings,
            UserMessage("Go."),
            show=lambda event, _: events.append(event),
            say=print,
            asker=None,
            cancel=threading.Event(),
        )

    assert isinstance(ended, TurnEnded)
    assert (ended.stop_reason, ended.steps) == ("done", 61)
    bodies = [request.raw for request in server.requests]
    assert all(body.endswith(b"]}") for body in bodies)
    nudged = [NUDGE in body for body in bodies]
    # One after each three mistakes, in the next payload and in no other.
    assert [step for step, there in enumerate(nudged) if there] == [14, 34, 54]
    assert sum(isinstance(event, SentinelRaised) for event in events) == 3
    for before, after in pairwise(bodies):
        kept = before.partition(NUDGE)[0] if NUDGE in before else before.removesuffix(b"]}")
        assert after.startswith(kept)
