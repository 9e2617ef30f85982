"""`holdfast repair` that is stopped or killed while a compiler runs: the exact bytes, and nobody left behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.repair.workshop import CASES, COMMAND, Workshop, need
from tests.waiting import FOREVER, LONGEST, wait_until_gone

pytestmark = [pytest.mark.slow, pytest.mark.e2e]

NAME, BAD, GOOD, _ = CASES["gcc"]


class Stuck:
    """A command that waits for a compiler that hangs, deaf to friendly words, with a child that is, too."""

    def __init__(self, workshop: Workshop, place: Path) -> None:
        self._pids = place / "pids"
        self._reached = place / "reached"
        self.temporary = place / "tmp"
        self.temporary.mkdir()
        os.mkfifo(self._reached)
        deaf = "trap '' TERM INT HUP"
        hang = f"while :; do {FOREVER}; done"
        workshop.compiler(
            "gcc",
            f"{deaf}\n({deaf}; {hang}) & echo $! $$ >> {self._pids}\necho here > {self._reached}\n{hang}",
        )
        words = [*COMMAND, "repair", "src", "--root", str(workshop.root), "--no-model"]
        self.command = subprocess.Popen(
            words,
            env=workshop.environment(
                TMPDIR=str(self.temporary),
                HOLDFAST_COMMAND_TIMEOUT=f"{LONGEST:.0f}",
                HOLDFAST_SANDBOX="off",
            ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._wait()

    def _wait(self) -> None:
        """Open for both, so that opening it waits for nobody: the command may have failed before."""
        reached = os.open(self._reached, os.O_RDWR)
        try:
            ready, _, _ = select.select([reached], [], [], LONGEST)
        finally:
            os.close(reached)
        if not ready:
            self.command.kill()
            pytest.fail(f"the compiler was not started: {self.command.communicate()}")

    def end(self, number: signal.Signals) -> tuple[int, str, str]:
        self.command.send_signal(number)
        out, err = self.command.communicate(timeout=LONGEST)
        return self.command.returncode, out, err

    def is_gone(self) -> bool:
        return all(wait_until_gone(int(pid)) for pid in self._pids.read_text().split())


@pytest.fixture
def stuck(workshop: Workshop, tmp_path: Path) -> Stuck:
    need("gcc")
    for name in ("a.c", "b.c", "c.c"):
        workshop.write(f"src/{name}", BAD)
    return Stuck(workshop, tmp_path)


def test_ctrl_c_ends_the_compilers_at_once_and_says_how_far_it_was(
    workshop: Workshop, stuck: Stuck
) -> None:
    code, out, err = stuck.end(signal.SIGINT)
    assert (code, out) == (130, "")
    assert (
        err
        == "holdfast: stopped after 0 of 3 files. The compilers are stopped, and no file was changed.\n"
    )
    assert stuck.is_gone()
    assert {file.read_text() for file in (workshop.root / "src").iterdir()} == {BAD}
    assert list(stuck.temporary.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_whoever_kills_the_command_kills_the_compiler_and_its_children(
    workshop: Workshop, stuck: Stuck, number: signal.Signals
) -> None:
    assert stuck.end(number)[0] == -number
    assert stuck.is_gone()
    assert {file.read_text() for file in (workshop.root / "src").iterdir()} == {BAD}
    assert sorted(path.name for path in workshop.root.rglob("*") if path.is_file()) == [
        "a.c",
        "b.c",
        "c.c",
    ]


def test_what_a_killed_command_left_in_the_temporary_folder_the_next_one_removes(
    workshop: Workshop, stuck: Stuck
) -> None:
    stuck.end(signal.SIGKILL)
    assert stuck.is_gone()
    (workshop.bin / "gcc").unlink()
    assert [
        path.name for path in stuck.temporary.iterdir() if path.name.startswith("holdfast-")
    ] != []
    workshop.write("src/a.c", GOOD)
    ran = subprocess.run(
        [*COMMAND, "repair", "src/a.c", "--root", str(workshop.root), "--no-model"],
        env=workshop.environment(TMPDIR=str(stuck.temporary)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0, ran
    assert list(stuck.temporary.iterdir()) == []
