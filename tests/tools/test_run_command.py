"""run_command: a command is judged, run and stopped, and its output is returned."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from holdfast.guards.commands import CommandRules
from holdfast.tools.commands.sandbox_gaps import sandbox_gaps
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


def test_a_process_left_in_the_background_is_reported(tmp_path: Path) -> None:
    # In a sandbox with processes of its own they end with the command.
    with open_world(tmp_path, sandbox="off") as world:
        assert world.told("run_command", command=f"{FOREVER} & echo begun") == (
            "Exit code 0.\nProcesses it had left in the background were ended.\nbegun"
        )


def test_output_that_is_no_text_is_returned_as_text(world: World) -> None:
    output = world.told("run_command", command=r"printf '\000\377\033[31mred'")
    assert output == "Exit code 0.\n��red"


def test_a_flood_is_bounded(world: World) -> None:
    assert len(world.told("run_command", command="yes | head -c 5000000")) < 17_000


def test_a_search_that_comes_upon_secrets_cannot_read_them(world: World) -> None:
    world.write(".env", "API_KEY=abc123\n")
    (world.root / "other").hardlink_to(world.root / ".env")
    world.write("load.py", "read('API_KEY')\n")
    for command in ("grep -rn API_KEY .", "grep -rhn API_KEY .", "cat load.py other"):
        outcome = world.call("run_command", command=command)
        assert "read('API_KEY')" in outcome.text
        assert "abc123" not in repr(outcome)
    assert world.gate.asked == []


def test_a_file_with_secrets_is_masked_from_an_approved_command_too_and_it_is_said(
    world: World,
) -> None:
    if sandbox_gaps(world.sandbox, "write"):
        pytest.skip("the sandbox of this machine cannot mask a file in a writable directory")
    world.write(".env", "API_KEY=abc123\n")
    output = world.told("run_command", command="cat .env")
    assert "abc123" not in output
    assert "[.env: this may hold secrets, so commands cannot read it." in output
    assert world.gate.asked == [("command", "cat .env")]


def test_tokens_in_the_output_are_removed(world: World) -> None:
    token = "ghp_" + "a1B2" * 9
    world.write("settings.py", f"TOKEN = '{token}'\n")
    outcome = world.call("run_command", command="cat settings.py")
    assert outcome.text == "Exit code 0.\nTOKEN = '[token removed]'"
    assert token not in repr(outcome)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("cat /etc/hostname", "/etc/hostname is outside the project"),
        ("cat ../x", "../x is outside the project"),
        ("cat link", "link is outside the project"),
        ("cat linked/hostname", "linked/hostname is outside the project"),
        ("ls linked", "linked is outside the project"),
        ("cat innocent", "innocent may hold secrets"),
        ("grep KEY .env", ".env may hold secrets"),
        ("git show HEAD:id_rsa", "HEAD:id_rsa may hold secrets"),
        ("mytool", "`mytool` needs your approval"),
    ],
)
def test_a_path_is_judged_by_where_it_leads(tmp_path: Path, command: str, why: str) -> None:
    with open_world(tmp_path) as world:
        world.write(".env", "KEY=1\n")
        (world.root / "link").symlink_to("/etc/hostname")
        (world.root / "linked").symlink_to("/etc")
        (world.root / "innocent").symlink_to(".env")
        world.call("run_command", command=command)
        [asked] = world.gate.whys
        assert asked.partition("; ")[0] == why


def test_an_absolute_path_below_the_root_is_inside(world: World) -> None:
    world.write("a.txt", "one\n")
    assert world.told("run_command", command=f"cat {world.root}/a.txt") == "Exit code 0.\none"
    assert world.gate.asked == []


def test_a_program_of_the_project_does_not_run_unasked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = world.write("bin/ls", "#!/bin/sh\necho pwned\n")
    own.chmod(0o755)
    monkeypatch.setenv("PATH", f"{world.root}/bin:{os.environ['PATH']}")
    assert world.told("run_command", command="ls") == "Exit code 0.\nbin"
    only = world.write("bin/rg", "#!/bin/sh\necho pwned\n")
    only.chmod(0o755)
    monkeypatch.setenv("PATH", f"{world.root}/bin")
    world.call("run_command", command="rg x")
    [why] = world.gate.whys
    assert why.startswith("rg is not installed, or only in the project")


def test_without_a_sandbox_nothing_runs_unasked_and_the_question_says_so(tmp_path: Path) -> None:
    with open_world(tmp_path, sandbox="off") as world:
        world.call("run_command", command="ls")
        [why] = world.gate.whys
        assert why.startswith(
            "no sandbox protects here: all files of the user can be read and changed"
        )


def test_where_secrets_cannot_be_masked_a_command_that_names_one_is_denied_unattended(
    tmp_path: Path,
) -> None:
    with open_world(tmp_path, sandbox="off", unattended=True) as world:
        world.write(".env", "API_KEY=abc123\n")
        assert world.refused("run_command", "permission_denied", command="cat .env") == (
            "cat .env: this may print secrets and nobody is there to allow it; do without it."
        )


def test_where_secrets_cannot_be_masked_their_values_are_removed_unattended(
    tmp_path: Path,
) -> None:
    with open_world(tmp_path, sandbox="off", unattended=True) as world:
        world.write(".env", "API_KEY='abc123'\n")
        assert world.told("run_command", command="cat .e*") == (
            "Exit code 0.\nAPI_KEY='[token removed]'"
        )


def test_a_value_with_a_token_in_it_is_removed_as_a_whole_unattended(tmp_path: Path) -> None:
    with open_world(tmp_path, sandbox="off", unattended=True) as world:
        world.write(".env", "URL=postgres://u:pw12345678@h/db?k=abc123\n")
        assert world.told("run_command", command="cat .e*") == "Exit code 0.\nURL=[token removed]"


def test_the_beginning_of_a_value_in_the_heading_of_a_hunk_is_removed_unattended(
    tmp_path: Path,
) -> None:
    """Git cuts such a heading, so that the whole value is not in it."""
    value = "abc123" * 20
    with open_world(tmp_path, sandbox="off", unattended=True) as world:
        identity = ("-c", "user.name=A", "-c", "user.email=a@b.c")
        for changed in ("one", "two"):
            world.write(".env", f"API_KEY={value}\n# 1\n# 2\n# 3\n# {changed}\n")
            for words in (["init", "-q"], ["add", "-f", ".env"], ["commit", "-qm", changed]):
                subprocess.run(["git", *identity, *words], cwd=world.root, check=True)
        told = world.told("run_command", command="git log -p -1")
    assert "@@ -2,4 +2,4 @@\n # 1\n" in told
    assert "abc123" not in told


# ---------------------------------------------------------------------------------------------------------------- access


def test_more_access_is_asked_for_each_time_with_what_it_means(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    with open_world(tmp_path, rules=CommandRules(allow=("touch *",))) as world:
        world.call("run_command", command=f"touch {outside}")
        assert not outside.exists()
        assert world.gate.asked == []
        world.call("run_command", command=f"touch {outside}", access="all")
        assert outside.exists()
        world.call("run_command", command="ls", access="network")
        assert world.gate.asked == [
            (
                "access",
                f"touch {outside} (outside the sandbox, with all that you may read and write)",
            ),
            ("access", "ls (with access to the network)"),
        ]


def test_with_nobody_there_more_access_is_denied_with_the_cure(tmp_path: Path) -> None:
    with open_world(tmp_path, unattended=True) as world:
        assert world.refused(
            "run_command", "permission_denied", command="touch x", access="all"
        ) == (
            "touch x: nobody is there to allow this outside the sandbox, with all that you may "
            "read and write; the user can, by --sandbox off."
        )
        assert world.refused(
            "run_command", "permission_denied", command="touch x", access="network"
        ) == (
            "touch x: nobody is there to allow this with access to the network; the user can, by "
            'network = "on" in your own settings.'
        )
        assert world.gate.asked == []


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
        == "run_command: cwd is not an argument of it. It takes {command: string, timeout?: integer, access?: string}."
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


@pytest.mark.parametrize(("files", "ending"), [(10, "."), (11, " and 1 more file.")])
def test_the_first_ten_files_that_a_command_changed_are_named(
    world: World, files: int, ending: str
) -> None:
    subprocess.run(["git", "init", "-q", str(world.root)], check=True)
    world.told("run_command", command="true")
    told = world.told("run_command", command=f"touch $(seq -f f%02g {files})")
    named = ", ".join(f"f{number:02}" for number in range(1, 11))
    assert f"It changed {named}{ending}\n" in told


def test_the_shortest_time_limit_is_a_second(world: World) -> None:
    outcome = world.call("run_command", command=FOREVER, timeout=-5)
    assert outcome.text.startswith("Ended by the time limit of 1 s;")


def test_a_command_that_may_do_all_or_names_no_secret_has_no_note_about_them(world: World) -> None:
    world.write(".env", "API_KEY=1\n")
    world.write("a.txt", "a\n")
    assert "may hold secrets" not in world.told("run_command", command="ls .env", access="all")
    assert "may hold secrets" not in world.told("run_command", command="touch a.txt")


def test_an_approved_command_prints_what_it_prints_also_the_value_of_a_secret(
    world: World,
) -> None:
    world.write(".env", "API_KEY=abc123xyz789\n")
    assert "abc123xyz789" in world.told(
        "run_command", command="python3 -c 'print(\"abc123xyz789\")'"
    )
