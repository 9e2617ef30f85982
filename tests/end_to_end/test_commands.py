"""The commands as processes: on a terminal, side by side, on disks that refuse."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.fifty_files import snapshot

pytestmark = pytest.mark.e2e

COMMAND = [sys.executable, "-m", "holdfast.cli.main"]
EDIT = '{"path": "a.py", "old": "x = 1", "new": "x = 2"}'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    place = tmp_path / "root"
    place.mkdir()
    (place / "a.py").write_text("x = 1\n")
    return place


def environment(root: Path, **more: str) -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}
    }
    return (
        kept | {"HOLDFAST_STATE_DIR": str(root.parent / "state"), "TERM": "xterm-256color"} | more
    )


def run(
    root: Path, *words: str, reply: str = EDIT, **more: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *words, "--root", str(root)],
        input=reply.encode(),
        env=environment(root, **more),
        capture_output=True,
        check=False,
    )


def run_on_terminal(root: Path, *words: str, **more: str) -> bytes:
    """Run a command whose output is a terminal, and give what is written there."""
    reply = root.parent / "reply"
    reply.write_text(EDIT)
    ours, theirs = pty.openpty()
    command = [*COMMAND, *words, str(reply), "--root", str(root)]
    with subprocess.Popen(
        command, stdout=theirs, stderr=theirs, env=environment(root, **more)
    ) as process:
        os.close(theirs)
        seen = b""
        # Linux says EIO when the other end is closed, others give nothing.
        while chunk := _read(ours):
            seen += chunk
    os.close(ours)
    assert process.returncode == 0, seen
    return seen


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 65536)
    except OSError:
        return b""


def test_a_diff_is_coloured_on_a_terminal_and_nowhere_else(root: Path) -> None:
    assert b"\x1b[32m+x = 2" in run_on_terminal(root, "apply", "--check")
    assert b"\x1b" not in run_on_terminal(root, "apply", "--check", NO_COLOR="1")
    assert b"\x1b" not in run(root, "apply").stdout


def test_json_on_a_terminal_is_still_json(root: Path) -> None:
    assert json.loads(run_on_terminal(root, "apply", "--json"))["outcome"] == "landed"


def test_exit_codes_are_those_of_the_contract(root: Path) -> None:
    assert run(root, "apply").returncode == 0
    assert run(root, "apply").returncode == 1
    assert run(root, "apply", reply="").returncode == 2
    assert run(root, "undo").returncode == 0
    assert run(root, "undo").returncode == 1
    assert run(root, "nonsense").returncode == 2


def test_a_closed_standard_input_is_wrong_usage(root: Path) -> None:
    command = ["sh", "-c", 'exec "$@" <&-', "sh", *COMMAND, "apply", "--root", str(root)]
    ran = subprocess.run(command, env=environment(root), capture_output=True, check=False)
    assert (ran.returncode, b"standard input is closed" in ran.stderr) == (2, True)


def test_what_the_locale_cannot_print_does_not_stop_a_command(root: Path) -> None:
    (root / "a.py").write_bytes("x = 1 # →\n".encode() + b"\xe9")
    ran = run(root, "apply", PYTHONIOENCODING="latin-1")
    assert ran.returncode == 0, ran.stderr
    assert b"\n-x = 1 # \\u2192\n+x = 2 # \\u2192\n \\xe9\n" in ran.stdout


def test_commands_at_the_same_time_wait_for_each_other(root: Path) -> None:
    (root / "a.py").write_text("".join(f"line_{n} = 0\n" for n in range(6)))
    waiting = [
        subprocess.Popen(
            [*COMMAND, "apply", "--root", str(root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env=environment(root),
        )
        for _ in range(6)
    ]
    for number, process in enumerate(waiting):
        assert process.stdin
        process.stdin.write(
            json.dumps(
                {"path": "a.py", "old": f"line_{number} = 0", "new": f"line_{number} = 1"}
            ).encode()
        )
        process.stdin.close()
    assert [process.wait() for process in waiting] == [0] * 6
    assert (root / "a.py").read_text() == "".join(f"line_{n} = 1\n" for n in range(6))
    for _ in range(6):
        assert run(root, "undo").returncode == 0
    assert "= 1" not in (root / "a.py").read_text()


def test_the_demo_holds_what_it_claims(root: Path) -> None:
    ran = subprocess.run(
        [*COMMAND, "demo"], capture_output=True, check=False, env=environment(root)
    )
    assert ran.returncode == 0, ran.stdout.decode()
    shown, _, ending = ran.stdout.decode().partition("\nAll ")
    claims = shown.count("\n   ok: ")
    assert ending.startswith(f"19 steps behaved as described ({claims} claims checked).\nNext, ")
    assert not (root.parent / "state").exists()


def mount(place: Path, options: str) -> None:
    """Mount a small disk in memory, or skip the test."""
    place.mkdir(exist_ok=True)
    try:
        tried = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "none", str(place)],
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        pytest.skip("there is no mount(8) here to make a small disk with")
    if tried.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {tried.stderr.decode().strip()}")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    mount(place, "size=64k")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_full_disk_is_said_and_changes_nothing(small_disk: Path) -> None:
    (small_disk / "a.py").write_text("x = 1\n")
    before = snapshot(small_disk)
    large = json.dumps([json.loads(EDIT), {"path": "new/large.py", "content": "y = 1\n" * 20_000}])
    ran = run(small_disk, "apply", "--json", reply=large)
    answer = json.loads(ran.stdout)
    assert (ran.returncode, answer["outcome"], answer["files"]) == (1, "refused", [])
    assert "No space left on device" in answer["refusals"][0]["message"]
    assert snapshot(small_disk) == before
    left = {path.name for path in (small_disk.parent / "state").rglob("*") if path.is_file()}
    assert {name for name in left if "sqlite3" not in name} == {"lock", "place.json"}
    assert run(small_disk, "apply").returncode == 0


def test_a_full_state_directory_is_said_and_changes_nothing(root: Path, small_disk: Path) -> None:
    (small_disk / "filler").write_bytes(b"x" * 60_000)
    large = json.dumps([json.loads(EDIT), {"path": "new/large.py", "content": "y = 1\n" * 20_000}])
    ran = run(root, "apply", reply=large, HOLDFAST_STATE_DIR=str(small_disk))
    assert ran.returncode == 1
    assert (
        b"holdfast.sqlite3: the disk is full, nothing was recorded; free some space" in ran.stdout
    )
    assert {path: entry[1] for path, entry in snapshot(root).items()} == {"a.py": b"x = 1\n"}


@pytest.mark.parametrize("request_there", [{"old": "y = 1", "new": "y = 2"}, {"delete": True}])
def test_a_read_only_directory_is_said_and_changes_nothing(
    root: Path, request_there: dict[str, object]
) -> None:
    closed = root / "closed"
    mounted = os.geteuid() == 0
    if mounted:
        mount(closed, "size=64k")
    else:
        closed.mkdir()
    try:
        (closed / "b.py").write_text("y = 1\n")
        if mounted:
            subprocess.run(["mount", "-o", "remount,ro", str(closed)], check=True)
        else:
            closed.chmod(0o555)
        before = snapshot(root)
        asked = [
            json.loads(EDIT),
            {"path": "closed/b.py", **request_there},
            {"path": "new/c.py", "content": "z\n"},
        ]
        ran = run(root, "apply", reply=json.dumps(asked))
        assert ran.returncode == 1
        assert b"Refused (conflict): the disk refused: " in ran.stdout
        assert ran.stdout.endswith(b"No file was changed.\n")
        assert snapshot(root) == before
    finally:
        if mounted:
            subprocess.run(["umount", str(closed)], check=True)
        else:
            closed.chmod(0o755)
