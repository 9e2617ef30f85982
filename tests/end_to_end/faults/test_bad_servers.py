"""Servers that flood, trickle, hang, close or redirect: a reason, an exit code, and little memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from holdfast.testing import ScriptedServer, say
from tests.end_to_end.faults import bad_server
from tests.end_to_end.faults.bad_server import Behaviour, serving
from tests.end_to_end.run.project import TEXT, Project, finish, read_until

pytestmark = [pytest.mark.e2e, pytest.mark.slow]
MEGABYTE = 1 << 20


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def run_measured(project: Project, base_url: str) -> tuple[int, dict[str, Any], int]:
    """Run a turn; give its exit code, its last event and the most memory that the process had."""
    words = [*project.words("run", "Do it.", "--json"), "--base-url", base_url]
    out = project.place / "out.jsonl"
    with out.open("wb") as file:
        process = subprocess.Popen(
            [*words, "--model", "scripted"],
            env=project.environment(),
            stdin=subprocess.DEVNULL,
            stdout=file,
        )
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    ended: dict[str, Any] = json.loads(out.read_text().splitlines()[-1])
    assert ended["kind"] == "turn_ended"
    return process.returncode, ended, usage.ru_maxrss * 1024


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (bad_server.floods_a_line, "answers with a line of more than 4 MB"),
        (bad_server.floods_an_object, "answers with an object of more than 8 MB"),
        (bad_server.floods_events, "answers with a reply without end"),
        (bad_server.nests, "answers with an event that is not JSON"),
    ],
)
def test_a_flood_costs_little_memory_and_ends_with_a_reason(
    project: Project, behaviour: Behaviour, reason: str
) -> None:
    with ScriptedServer([say("Hello.")]) as server:
        code, _, usual = run_measured(project, server.base_url)
    assert code == 0
    with serving(behaviour) as server:
        code, ended, most = run_measured(project, server.base_url)
    assert (code, ended["stop_reason"]) == (10, "mistakes")
    assert reason in ended["message"]
    assert most - usual < 64 * MEGABYTE, f"{(most - usual) / MEGABYTE:.0f} MB"
    assert project.texts() == {"a.py": TEXT}


def test_a_server_that_trickles_is_read_to_its_end(project: Project) -> None:
    with serving(bad_server.trickles) as server:
        ran = project.run("Do it.", "--base-url", server.base_url, server=None)
    assert ran.code == 0
    (said,) = [event["text"] for event in ran.events if event["kind"] == "said"]
    assert said == "Slowly but surely."


def test_a_server_that_closes_is_asked_again_and_then_the_turn_ends(project: Project) -> None:
    with serving(bad_server.closes) as server:
        ran = project.run("Do it.", "--base-url", server.base_url, server=None)
    assert (ran.code, ran.ended["stop_reason"]) == (10, "mistakes")
    assert server.base_url in ran.ended["message"]


def test_a_redirect_is_not_followed(project: Project) -> None:
    with serving(bad_server.redirects) as server:
        ran = project.run("Do it.", "--base-url", server.base_url, server=None)
    assert (ran.code, ran.ended["message"]) == (
        1,
        f"{server.base_url} answers with a redirect (307); set the base URL to where it leads.",
    )


@pytest.mark.waits
def test_a_server_that_says_nothing_is_reported_and_ctrl_c_ends_it(project: Project) -> None:
    with serving(bad_server.hangs) as server:
        process = subprocess.Popen(
            [*project.words("run", "Do it.", "--json"), "--base-url", server.base_url],
            env=project.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        with process:
            waited = read_until(process.stdout, "waiting")[-1]
            process.send_signal(signal.SIGINT)
            ran = finish(process)
    assert waited["seconds"] == 20.0
    assert (ran.code, ran.ended["stop_reason"]) == (130, "cancelled")
    assert project.turns() == [("stopped", "cancelled")]
