"""Signals at moments drawn by lot: nothing is lost or left, and the exit code is the documented one.

`make soak` draws a hundred for each command; `make test` a few, always the same.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.testing import Reply, ScriptedServer, call, say
from holdfast.testing.request_log import RecordedRequest
from tests.end_to_end.faults.shots import (
    Shot,
    changes_of,
    check_code,
    check_no_file,
    check_no_process,
    draw,
    fire,
    measure,
)
from tests.end_to_end.run.project import TEXT, Project

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

COUNT = int(os.environ.get("HOLDFAST_TEST_SIGNALS", "4"))
SEED = os.environ.get("HOLDFAST_TEST_SEED", "holdfast")
NEW = "x = 2\ny = 2\n"
BLOCK = "{path}\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"
BAD = "int f(void)\n{\n    return 1\n}\n"
GOOD = "int f(void)\n{\n    return 1;\n}\n"


def shots(command: str) -> list[Shot]:
    return draw(f"{SEED} {command}", COUNT)


def name_of(shot: Shot) -> str:
    return f"{shot.number.name}-{shot.moment:.3f}"


@pytest.fixture(scope="module")
def times(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], float]:
    """How long each command takes unharmed, measured once."""
    known: dict[str, float] = {}

    def take(command: str) -> float:
        if command not in known:
            project = Project(tmp_path_factory.mktemp(command))
            known[command] = PREPARE[command](project, None, 0.0)
        return known[command]

    return take


# ------------------------------------------------------------------------------------------- apply


def apply(project: Project, shot: Shot | None, seconds: float) -> float:
    names = ("a.py", "b.py", "sub/c.py")
    for name in names:
        project.write(name, TEXT)
    words = [*project.words("apply")]
    reply = "\n".join(BLOCK.format(path=name) for name in names).encode()
    if shot is None:
        return measure(project, words, given=reply)
    ran = fire(project, words, shot, seconds, given=reply)
    check_code(ran, shot)
    check_no_process(project)
    # The next command that writes finishes what was begun, or rolls it back.
    later = project.holdfast(
        "apply", given="new.py\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE\n"
    )
    assert later.code == 0, later
    check_no_file(project, {"new.py": ["new\n"], **dict.fromkeys(names, (TEXT, NEW))})
    after = {project.texts()[name] for name in names}
    assert len(after) == 1, "some of the files only"
    if ran.code == 0:
        assert after == {NEW}
    assert changes_of(project).count("applied") == 1 + (after == {NEW})
    if after == {NEW}:
        assert project.holdfast("undo").code == 0
        assert project.holdfast("undo").code == 0
        assert {project.texts()[name] for name in names} == {TEXT}
    assert list((project.place / "tmp").iterdir()) == []
    return 0.0


# ------------------------------------------------------------------------------------------ repair


def repair(project: Project, shot: Shot | None, seconds: float) -> float:
    project.write("a.c", BAD)
    words = [*project.words("repair", "a.c", "--no-model")]
    if shot is None:
        return measure(project, words)
    ran = fire(project, words, shot, seconds)
    check_code(ran, shot)
    check_no_process(project)
    if shot.number is not signal.SIGKILL:
        check_no_file(project, {"a.py": [TEXT], "a.c": [BAD, GOOD]})
    if ran.code == 0:
        assert project.texts()["a.c"] == GOOD
    again = project.holdfast("repair", "a.c", "--no-model", TMPDIR=str(project.place / "tmp"))
    assert again.code == 0, again
    check_no_file(project, {"a.py": [TEXT], "a.c": [GOOD]})
    assert list((project.place / "tmp").iterdir()) == []
    return 0.0


# --------------------------------------------------------------------------------------------- run

STEPS = (
    call("write_file", path="b.py", text="one\n"),
    call("run_command", command="echo made > made.txt; sleep 0.5; echo more >> made.txt"),
    call("edit_file", path="a.py", old="x = 1", new="x = 2"),
    say("Done."),
)


def _next_step(request: RecordedRequest) -> Reply:
    done = sum(message["role"] == "tool" for message in request.messages)
    return STEPS[min(done, len(STEPS) - 1)]


def run(project: Project, shot: Shot | None, seconds: float) -> float:
    with ScriptedServer(_next_step) as server:
        words = project.words("run", "Do it.", "--json", "--approve", "auto", server=server)
        if shot is None:
            return measure(project, words)
        ran = fire(project, words, shot, seconds)
    check_code(ran, shot)
    check_no_process(project)
    expected = {
        "a.py": (TEXT, NEW),
        "b.py": ("one\n",),
        "made.txt": ("made\n", "made\nmore\n", ""),
    }
    check_no_file(project, expected)
    ended_at_start = ran.code == 130 and not ran.out
    if ran.code in {0, 130} and not ended_at_start:
        assert ran.ended["exit_code"] == ran.code
    with ScriptedServer([say("Here.")]) as server:
        later = project.run("Are you there?", server=server)
    assert later.code == 0, later
    assert {status for status, _ in project.turns()} <= {"done", "stopped", "interrupted"}
    if ended_at_start:
        assert len(project.turns()) == 1, "a turn that said nothing"
    _check_restore(project)
    return 0.0


def _check_restore(project: Project) -> None:
    """The first checkpoint, if there is one, brings back what was there before."""
    taken = project.query("select id from checkpoints where kind = 'turn' order by created_at")
    if len(taken) < 2:
        return
    restored = project.holdfast("checkpoint", "restore", taken[0][0])
    assert restored.code == 0, restored
    assert project.texts() == {"a.py": TEXT}


PREPARE: dict[str, Callable[[Project, Shot | None, float], float]] = {
    "apply": apply,
    "repair": repair,
    "run": run,
}


@pytest.mark.parametrize(
    ("command", "shot"),
    [
        pytest.param(command, shot, id=f"{command}-{name_of(shot)}")
        for command in PREPARE
        for shot in shots(command)
    ],
)
def test_a_signal_at_any_moment(
    tmp_path: Path, times: Callable[[str], float], command: str, shot: Shot
) -> None:
    if command == "repair" and shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    PREPARE[command](Project(tmp_path), shot, times(command))
