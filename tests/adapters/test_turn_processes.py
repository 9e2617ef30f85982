"""The processes of a turn are found and ended, wherever they went."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from holdfast.adapters.processes.commands import OsCommands
from holdfast.adapters.processes.process_identity import is_alive, start_of, this_process
from holdfast.adapters.processes.turn_processes import TurnProcesses
from holdfast.tools.ports import CommandDone
from holdfast.usecases.sessions.ports import TurnOwner
from tests.waiting import FOREVER, LONGEST, has_text, wait_until, wait_until_gone

AWAY = (
    f"setsid sh -c 'trap \"\" TERM HUP; (echo $$ > pid; exec {FOREVER}) & wait' >/dev/null 2>&1 & "
    "while [ ! -s pid ]; do sleep 0.01; done"
)


def run(words: list[str], root: Path) -> CommandDone:
    commands = OsCommands(str(root))
    return commands.run(words, "full", cwd=str(root), timeout=LONGEST, cancel=threading.Event())


def start_away(tmp_path: Path, turn: str) -> int:
    """Have a command of a turn leave a process in another session; return its number."""
    with TurnProcesses(tmp_path).marking(turn):
        run(["sh", "-c", AWAY], tmp_path)
    assert wait_until(lambda: has_text(tmp_path / "pid"))
    return int((tmp_path / "pid").read_text())


def test_a_process_that_left_its_group_is_found_by_its_mark_and_ended(tmp_path: Path) -> None:
    pid = start_away(tmp_path, "turn-1")
    processes = TurnProcesses(tmp_path)
    assert pid in {each.pid for each in processes.found() if each.turn == "turn-1"}
    assert processes.end({"turn-2"}) == ()
    assert is_alive(TurnOwner(this_process().host, pid, start_of(pid) or ""))
    assert pid in processes.end({"turn-1"})
    assert wait_until_gone(pid)
    assert processes.end({"turn-1"}) == ()


def test_a_command_outside_of_a_turn_has_no_mark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOLDFAST_TURN", raising=False)
    done = run(["sh", "-c", "echo ${HOLDFAST_TURN-none}"], tmp_path)
    assert done.output == "none\n"


def test_a_command_of_holdfast_inside_of_a_turn_keeps_the_mark_of_that_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_TURN", "outer")
    words = ["sh", "-c", "echo $HOLDFAST_TURN"]
    done = run(words, tmp_path)
    assert done.output == "outer\n"
    with TurnProcesses(tmp_path).marking("inner"):
        done = run(words, tmp_path)
    assert done.output == "inner\n"


def test_turns_in_threads_mark_their_own_commands(tmp_path: Path) -> None:
    seen: dict[str, str] = {}

    def run_in(turn: str) -> None:
        with TurnProcesses(tmp_path).marking(turn):
            words = ["sh", "-c", "echo $HOLDFAST_TURN"]
            seen[turn] = run(words, tmp_path).output

    threads = [threading.Thread(target=run_in, args=(f"turn-{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {f"turn-{number}": f"turn-{number}\n" for number in range(4)}


def test_a_number_that_another_process_has_got_names_no_living_owner() -> None:
    us = this_process()
    assert (us.pid, is_alive(us)) == (os.getpid(), True)
    assert not is_alive(TurnOwner(us.host, us.pid, "0"))
    assert not is_alive(TurnOwner(f"not-{us.host}", us.pid, us.started))


def test_a_process_that_has_ended_has_no_start() -> None:
    ended = subprocess.Popen(["true"])
    try:
        # Not reaped yet: its number is still taken.
        assert wait_until(lambda: start_of(ended.pid) is None)
    finally:
        ended.wait()
    assert start_of(ended.pid) is None
