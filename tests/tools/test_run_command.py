"""run_command: a command is judged, run and stopped, and its output is returned."""

from __future__ import annotations

from pathlib import Path

from holdfast.guards.commands import CommandRules
from holdfast.tools.ports import Denied, NoApprover
from holdfast.vocab.events import CommandRan
from tests.tools.world import Somebody, World, open_world
from tests.waiting import FOREVER, limit_to_begin, set_when


def test_output_and_exit_code_are_returned_and_a_failing_command_is_no_failure(
    world: World,
) -> None:
    outcome = world.call("run_command", command="echo no >&2; exit 3")
    assert outcome.text == "Exit code 3.\nno"
    assert outcome.failure is None
    assert outcome.events == (CommandRan("echo no >&2; exit 3", 3, "no"),)
    assert world.told("run_command", command="true") == "Exit code 0.\n(no output)"


def test_a_command_runs_in_the_root(world: World) -> None:
    assert world.told("run_command", command="pwd -P") == f"Exit code 0.\n{world.root.resolve()}"


def test_a_command_without_operators_needs_no_shell(world: World) -> None:
    assert world.told("run_command", command="printf %s '$HOME;ls'") == "Exit code 0.\n$HOME;ls"
    assert world.told("run_command", command="no-such-program-here -x") == (
        "Exit code 127.\nno-such-program-here: no such program."
    )


def test_a_command_with_operators_has_a_shell(world: World) -> None:
    assert world.told("run_command", command="echo a | tr a b && echo c") == "Exit code 0.\nb\nc"


def test_a_command_that_hangs_is_a_failure_and_says_what_to_do(world: World) -> None:
    command = f"echo begun; {FOREVER}"
    limit, outcome = limit_to_begin(
        lambda limit: world.call("run_command", command=command, timeout=round(limit)),
        lambda outcome: "begun" in outcome.text,
    )
    assert outcome.failure == "exec_error"
    assert (
        outcome.text
        == f"Ended by the time limit of {limit:.0f} s; set a longer timeout, or do less at once.\nbegun"
    )
    assert outcome.events == (CommandRan(command, None, "begun"),)


def test_a_cancel_is_no_failure(world: World) -> None:
    begun = world.root / "begun"
    canceller = set_when(world.cancel, begun.exists)
    outcome = world.call("run_command", command=f"touch begun; {FOREVER}")
    canceller.join()
    assert (outcome.failure, outcome.text) == (
        None,
        "Cancelled by the user before it had ended.\nIt changed begun.\n(no output)",
    )


def test_a_signal_is_reported(world: World) -> None:
    assert world.told("run_command", command="kill -ABRT $$").startswith("Ended by SIGABRT.\n")


def test_a_process_left_in_the_background_is_reported(world: World) -> None:
    assert world.told("run_command", command=f"{FOREVER} & echo begun") == (
        "Exit code 0.\nProcesses it had left in the background were ended.\nbegun"
    )


def test_output_that_is_no_text_is_returned_as_text(world: World) -> None:
    output = world.told("run_command", command=r"printf '\000\377\033[31mred'")
    assert output == "Exit code 0.\n��red"


def test_a_flood_is_bounded(world: World) -> None:
    assert len(world.told("run_command", command="yes | head -c 5000000")) < 17_000


def test_a_search_that_comes_upon_secrets_unasked_does_not_show_them(world: World) -> None:
    (world.root / ".env").write_text("API_KEY=abc123\n")
    (world.root / "load.py").write_text("read('API_KEY')\n")
    outcome = world.call("run_command", command="grep -rn API_KEY .")
    assert "load.py:1:read('API_KEY')" in outcome.text
    assert "Lines of .env are left out" in outcome.text
    assert "abc123" not in repr(outcome)


def test_no_command_is_no_call(world: World) -> None:
    assert "empty" in world.refused("run_command", "schema_reject", command="  ")
    assert "NUL" in world.refused("run_command", "schema_reject", command="ls \0")


def test_a_command_that_is_on_no_list_is_asked_about(tmp_path: Path) -> None:
    gate = Somebody(Denied("touch x: no."))
    with open_world(tmp_path, gate=gate, rules=CommandRules(allow=("echo *",))) as world:
        assert world.told("run_command", command="echo yes") == "Exit code 0.\nyes"
        assert gate.asked == []
        assert (
            world.refused("run_command", "permission_denied", command="touch x") == "touch x: no."
        )
        assert gate.asked == [("command", "touch x")]


def test_a_command_that_nobody_can_allow_ends_the_turn(tmp_path: Path) -> None:
    with open_world(tmp_path, gate=Somebody(NoApprover())) as world:
        outcome = world.call("run_command", command="touch x")
        assert (outcome.failure, outcome.unanswered) == ("permission_denied", True)
        assert world.files() == {}


def test_a_command_that_is_denied_by_a_rule_is_never_asked_about(tmp_path: Path) -> None:
    with open_world(tmp_path, rules=CommandRules(deny=("touch",))) as world:
        world.refused("run_command", "permission_denied", command="touch x")
        assert world.gate.asked == []


def test_an_argument_it_does_not_know_is_not_ignored(world: World) -> None:
    output = world.refused("run_command", "schema_reject", command="touch x", cwd="/tmp")
    assert (
        output
        == "run_command: cwd is not an argument of it. It takes {command: string, timeout?: integer}."
    )
    assert world.told("run_command", command="true", description="says nothing").startswith(
        "Exit code 0."
    )


def test_the_description_says_which_commands_run_unasked(world: World) -> None:
    spec = next(spec for spec in world.toolbox.specs if spec.name == "run_command")
    assert (
        "\nA single command that only reads, without pipes, redirections or patterns, runs unasked; prefer that."
        in spec.description
    )
