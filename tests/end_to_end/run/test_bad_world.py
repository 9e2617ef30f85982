"""A disk that is full, and servers where one expects them."""

from __future__ import annotations

import resource
import socket
import sys
import threading

import pytest

from holdfast.adapters.models.servers import PORTS
from holdfast.testing import ScriptedServer, call, say, slow
from tests.end_to_end.run.project import TEXT, Project, finish, read_until

pytestmark = pytest.mark.e2e


@pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")
def test_a_state_directory_that_is_full_in_mid_turn_ends_it_with_a_clear_error(
    project: Project,
) -> None:
    gate = threading.Event()
    edit = call("edit_file", path="a.py", old="x = 1", new="x = 2")
    with (
        ScriptedServer(
            [call("read_file", path="a.py"), slow(edit, gate), say("unreached")]
        ) as server,
        project.running("Do it.", server=server) as process,
    ):
        read_until(process.stdout, "call_ended")
        # From here on no file can grow, as on a full disk; what is printed goes into a pipe.
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, 0))
        gate.set()
        ran = finish(process)
    assert (ran.code, ran.ended["stop_reason"], ran.ended["exit_code"]) == (1, "failed", 1), ran
    assert "The turn could not be recorded any more, and was ended: " in ran.ended["message"]
    assert "Traceback" not in ran.err
    assert project.texts() == {"a.py": TEXT}
    with ScriptedServer([say("There is room again.")]) as server:
        after = project.run("--continue", ran.session, server=server)
    assert after.code == 0, after
    assert project.turns() == [("interrupted", "interrupted"), ("done", "done")]


def test_a_local_server_is_found_on_its_usual_port_and_without_one_it_is_13(
    project: Project,
) -> None:
    if any(_listens(port) for _, port in PORTS):
        pytest.skip("something listens where a model server would")
    nobody = project.run("Hello.", server=None)
    try:
        server = ScriptedServer([say("Here I am.")], kind="llama_cpp", model="found", port=8080)
    except OSError:
        pytest.skip("something else listens on port 8080 by now")
    with server:
        ran = project.run("Hello.", server=None)
    assert (nobody.code, nobody.ended["stop_reason"]) == (13, "unreachable")
    assert "no model server answers on this machine (tried Ollama 11434, " in nobody.err
    assert (ran.code, ran.events[0]["model"]) == (0, "found")


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
