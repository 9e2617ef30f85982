"""Programs: whatever they do, they end, and nothing of them goes on."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from holdfast.adapters.processes.commands import HeadAndTail, OsCommands, readable
from holdfast.adapters.processes.environment import environment
from holdfast.tools.ports import CommandDone
from tests.waiting import FOREVER, LONGEST, has_text, limit_to_begin, set_when, wait_until_gone


def run(
    argv: Sequence[str], cwd: Path, timeout: float = LONGEST, cancel: threading.Event | None = None
) -> CommandDone:
    commands = OsCommands(str(cwd))
    ended = cancel or threading.Event()
    return commands.run(argv, "full", cwd=str(cwd), timeout=timeout, cancel=ended)


def shell(
    command: str, cwd: Path, timeout: float = LONGEST, cancel: threading.Event | None = None
) -> CommandDone:
    return run(["/bin/sh", "-c", command], cwd, timeout, cancel)


def ended_by_limit(command: str, cwd: Path) -> CommandDone:
    """Run what never ends, with a limit that lets it say something before."""
    _, done = limit_to_begin(
        lambda limit: shell(command, cwd, timeout=limit),
        lambda done: done.output != "",
        shortest=0.3,
    )
    return done


def test_a_program_gives_its_exit_code_and_both_streams(tmp_path: Path) -> None:
    assert shell("echo out; echo err >&2; exit 3", tmp_path) == CommandDone(3, "out\nerr\n")
    assert run(["true"], tmp_path) == CommandDone(0, "")


def test_it_runs_in_the_given_directory(tmp_path: Path) -> None:
    assert run(["pwd", "-P"], tmp_path).output == f"{tmp_path.resolve()}\n"


def test_a_program_that_is_none_has_the_exit_code_of_a_shell(tmp_path: Path) -> None:
    assert run(["no-such-program"], tmp_path) == CommandDone(
        127, "no-such-program: no such program."
    )
    (tmp_path / "data").write_text("x")
    assert run(["./data"], tmp_path).exit_code == 126
    assert run(["true"], tmp_path / "gone") == CommandDone(
        127, f"{tmp_path}/gone: no such directory."
    )


def test_a_signal_is_named(tmp_path: Path) -> None:
    assert shell("kill -SEGV $$", tmp_path) == CommandDone(None, "", signal="SIGSEGV")


def test_a_program_has_nobody_to_ask(tmp_path: Path) -> None:
    assert shell("read line || echo nothing", tmp_path).output == "nothing\n"
    assert (
        shell("(: </dev/tty) 2>/dev/null || echo no terminal", tmp_path).output == "no terminal\n"
    )


def test_a_program_that_hangs_is_ended_at_its_limit(tmp_path: Path) -> None:
    done = ended_by_limit(f"echo begun; {FOREVER}", tmp_path)
    assert done == CommandDone(None, "begun\n", timed_out=True, signal="SIGTERM")


@pytest.mark.slow
def test_a_program_that_will_not_end_is_made_to(tmp_path: Path) -> None:
    done = ended_by_limit("trap '' TERM; echo $$; while :; do sleep 0.1; done", tmp_path)
    assert (done.timed_out, done.signal) == (True, "SIGKILL")
    assert wait_until_gone(int(done.output))


def test_a_cancel_ends_it_with_all_its_children(tmp_path: Path) -> None:
    cancel, child = threading.Event(), tmp_path / "child"
    canceller = set_when(cancel, lambda: has_text(child))
    done = shell(f"{FOREVER} & echo $! > child; {FOREVER}", tmp_path, cancel=cancel)
    canceller.join()
    assert (done.exit_code, done.cancelled, done.timed_out) == (None, True, False)
    assert wait_until_gone(int(child.read_text()))


def test_what_is_left_in_the_background_is_ended_and_does_not_hold_us_up(tmp_path: Path) -> None:
    done = shell(f"{FOREVER} & echo $!", tmp_path)
    assert (done.exit_code, done.left, done.timed_out) == (0, True, False)
    assert wait_until_gone(int(done.output))


def test_what_is_left_with_its_output_closed_is_ended_too(tmp_path: Path) -> None:
    done = shell(f"{FOREVER} >/dev/null 2>&1 & echo $!", tmp_path)
    assert (done.exit_code, done.timed_out) == (0, False)
    assert wait_until_gone(int(done.output))


def test_one_that_leaves_the_group_does_not_hold_us_up(tmp_path: Path) -> None:
    """It cannot be ended by its group; but its hold on the output is let go."""
    pid = tmp_path / "pid"
    done = shell(
        f"setsid sh -c 'echo $$ > pid; exec {FOREVER}' & while [ ! -s pid ]; do :; done", tmp_path
    )
    os.kill(int(pid.read_text()), 9)
    assert (done.exit_code, done.timed_out) == (0, False)


def test_a_program_that_closes_its_output_is_waited_for(tmp_path: Path) -> None:
    assert shell("exec >&- 2>&-; sleep 0.2; exit 5", tmp_path) == CommandDone(5, "")


def test_a_flood_never_blocks_and_is_kept_at_both_ends(tmp_path: Path) -> None:
    done = shell("echo first; yes | head -c 30000000; echo last", tmp_path)
    assert done.exit_code == 0
    assert done.output.startswith("first\ny\n")
    assert done.output.endswith("y\nlast\n")
    assert "bytes left out" in done.output
    assert len(done.output) < 17_000


def test_an_endless_flood_ends_at_the_limit(tmp_path: Path) -> None:
    done = run(["yes"], tmp_path, timeout=0.3)
    assert (done.exit_code, done.timed_out) == (None, True)
    assert len(done.output) < 17_000


def test_a_command_has_the_variables_of_the_list_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOLDFAST_API_KEY", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "GIT_DIR"):
        monkeypatch.setenv(name, "k1")
    monkeypatch.setenv("HOLDFAST_STATE_DIR", "/state")
    monkeypatch.setenv("MY_SERVICE", "http://localhost")
    monkeypatch.setenv("LC_TIME", "C")
    monkeypatch.setenv("CARGO_HOME", "/cargo")
    commands = OsCommands(str(tmp_path), passed=["MY_SERVICE"])
    done = commands.run(
        ["env"], "full", cwd=str(tmp_path), timeout=LONGEST, cancel=threading.Event()
    )
    variables = dict(line.split("=", 1) for line in done.output.splitlines() if "=" in line)
    assert "k1" not in variables.values()
    assert variables["HOLDFAST_STATE_DIR"] == "/state"
    assert variables["MY_SERVICE"] == "http://localhost"
    assert (variables["LC_TIME"], variables["CARGO_HOME"]) == ("C", "/cargo")
    assert (variables["NO_COLOR"], variables["PAGER"]) == ("1", "cat")
    assert variables["GIT_TERMINAL_PROMPT"] == "0"
    assert variables["PATH"] == os.environ["PATH"]
    assert "MY_SERVICE" not in environment()


def test_output_is_readable(tmp_path: Path) -> None:
    assert readable("\x1b[1;31mred\x1b[0m \x1b]0;title\x07x") == "red x"
    assert run(["printf", "\\377ok"], tmp_path).output == "�ok"


@pytest.mark.parametrize("margin", [0, 5, 1000])
@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_both_ends_of_a_stream_are_kept_however_it_is_cut(size: int, margin: int) -> None:
    data = bytes(range(65, 91)) * 4
    kept = HeadAndTail(10, 10, margin)
    for at in range(0, len(data), size):
        kept.add(data[at : at + size])
    assert kept.text(str) == "ABCDEFGHIJ\n… (84 bytes left out) …\nQRSTUVWXYZ"


@pytest.mark.parametrize("margin", [10, 1000])
def test_a_stream_is_edited_before_it_is_cut(margin: int) -> None:
    kept = HeadAndTail(10, 10, margin)
    kept.add(b"ABCDEFGHsecret" + b"." * 60 + b"secretQRSTUVWX")
    shown = kept.text(lambda text: text.replace("secret", "#"))
    assert shown == "ABCDEFGH#.\n… (68 bytes left out) …\n.#QRSTUVWX"


@pytest.mark.parametrize("length", [0, 1, 10, 11, 20])
def test_a_stream_that_fits_is_kept_whole(length: int) -> None:
    data = (b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")[:length]
    kept = HeadAndTail(10, 10, 0)
    for at in range(0, length, 3):
        kept.add(data[at : at + 3])
    assert kept.text(str) == data.decode()
