"""`holdfast run` in this process, against a scripted model behind real HTTP; as a process: tests/end_to_end/run."""

from __future__ import annotations

import json
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest

from holdfast.testing import call, calls, say
from holdfast.vocab.events import Event
from tests.cli.project import Project
from tests.cli.talk import ended, events, of_kind, talk, user_file

pytestmark = pytest.mark.slow  # seconds together: `make quick` does without

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(autouse=True)
def _own_settings(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    home = project.root.parent / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("HOLDFAST_CONFIG_FILE", str(user_file(project)))
    for name in (
        "HOLDFAST_API_KEY",
        "HOLDFAST_BASE_URL",
        "HOLDFAST_MODEL",
        "HOLDFAST_APPROVE",
        "XDG_CONFIG_HOME",
    ):
        monkeypatch.delenv(name, raising=False)
    project.write("a.py", b"x = 1\ny = 2\n")


# ---------------------------------------------------------------------------------------------------------- usage


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["Do it.", "--nope"], "No such option: --nope"),
        (["Do it.", "--root", "no/such/directory"], "no/such/directory: this is not a directory."),
        (["Do it.", "--max-steps", "0"], "--max-steps"),
        (["Do it.", "--json", "-q"], "use --json or --quiet, not both."),
        (["Do it.", "--approve", "perhaps"], "--approve"),
        (["Do", "it."], "unexpected extra argument"),
        ([" "], "the prompt is empty"),
        ([], "standard input is empty"),
    ],
)
def test_wrong_usage_is_2_and_prints_nothing_on_standard_output(
    project: Project, words: list[str], message: str
) -> None:
    ran = project.run("run", *words, "--json")
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err


def test_where_nothing_listens_the_last_line_says_so_and_has_no_session(project: Project) -> None:
    ran = project.run(
        "run",
        "Do it.",
        "--root",
        str(project.root),
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--json",
    )
    assert ran.code == 13
    assert ended(ran) == {
        "v": 1,
        "seq": None,
        "stop_reason": "unreachable",
        "message": "nothing answers at http://127.0.0.1:9/v1; start the server there, or name another with --base-url.",
        "steps": 0,
        "prompt_tokens": 0,
        "completion_tokens": 0,
        "files": [],
        "observed": [],
        "unresolved": [],
        "ended_by": "turn",
        "kind": "turn_ended",
        "exit_code": 13,
        "session": None,
        "checkpoint_id": None,
        "continue": None,
    }


# --------------------------------------------------------------------------------------------- prompt and continue


@pytest.mark.parametrize(
    ("words", "given", "sent"),
    [
        (["Mend it."], "", "Mend it."),
        (["-"], "Mend it.\n", "Mend it."),
        ([], "Mend it.\n", "Mend it."),
        (["Explain this."], "x = 1\n", "Explain this.\n\nx = 1"),
    ],
)
def test_the_prompt_is_an_argument_and_standard_input(
    project: Project, words: list[str], given: str, sent: str
) -> None:
    with talk(project, [say("Done.")]) as run:
        assert run(*words, given=given).code == 0
        assert run.payloads[0][-1] == {"role": "user", "content": sent}


def test_a_session_goes_on_from_what_was_sent_before_byte_for_byte(project: Project) -> None:
    steps = [call("read_file", path="a.py"), say("There."), say("Also this."), say("And more.")]
    with talk(project, steps) as run:
        first = run("Look at it.")
        session = ended(first)["session"]
        project.write("AGENTS.md", b"This was written later.\n")
        second = run("And then?", "--continue", session[:6])
        third = run("--continue", session)
        sent = [json.dumps(request.body["messages"])[:-1] for request in run.server.requests]
    assert [ran.code for ran in (first, second, third)] == [0, 0, 0]
    assert {ended(ran)["session"] for ran in (first, second, third)} == {session}
    assert of_kind(second, "turn_started")[0]["continued"]
    assert [later.startswith(earlier) for earlier, later in pairwise(sent)] == [True, True, True]
    assert run.payloads[2][-1] == {"role": "user", "content": "And then?"}
    assert run.payloads[3][-1]["role"] == "user"


def test_a_stopped_turn_goes_on_without_a_word_where_a_tool_had_the_last(project: Project) -> None:
    with talk(project, [call("read_file", path="a.py"), say("Tired."), say("Done.")]) as run:
        stopped = run("Look.", "--max-steps", "1", as_json=False)
        session = stopped.err.rpartition("holdfast run --continue ")[2].strip()
        assert stopped.code == 12
        assert run("--continue", session).code == 0
        assert (
            run.payloads[-1][:-1] == run.payloads[0] + run.payloads[-1][len(run.payloads[0]) : -1]
        )


def test_a_session_that_is_not_there_or_not_of_this_project_is_refused(
    project: Project, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with talk(project, [say("Hello.")]) as run:
        session = ended(run("Hello."))["session"]
        place = ["--base-url", run.server.base_url, "--model", "scripted", "--json"]
        elsewhere = project.run("run", "--continue", session, "--root", str(other), *place)
        unknown = run("--continue", "zzz")
    for ran in (elsewhere, unknown):
        assert (ran.code, ended(ran)["stop_reason"], ended(ran)["session"]) == (1, "failed", None)
        assert "there is no such session in this project" in ran.err


# ------------------------------------------------------------------------------------------------------- output


EDITS = [
    calls(
        call("read_file", path="a.py"),
        call("edit_file", path="a.py", old="x = 1", new="x = 10"),
        text="I look.",
    ),
    call("edit_file", path="a.py", old="not there", new="z"),
    say("Done, I think."),
    say("One edit was refused."),
]


def test_json_is_one_object_a_line_and_the_last_one_sums_it_up(project: Project) -> None:
    with talk(project, EDITS) as run:
        ran = run("Do it.")
    assert (ran.code, ran.err) == (0, "")
    assert {event["v"] for event in events(ran)} == {1}
    (checkpoint,) = of_kind(ran, "checkpoint_taken")
    (landed,) = of_kind(ran, "edit_landed")
    assert (landed["path"], landed["rung"], landed["proposed"]) == ("a.py", "exact", False)
    assert [event["reason"] for event in of_kind(ran, "edit_refused")] == ["not_found"]
    last = ended(ran)
    assert (last["files"], last["exit_code"], last["continue"]) == (["a.py"], 0, None)
    (left,) = last["unresolved"]
    assert (left["what"], left["subject"], left["tries"]) == ("edit", "a.py", 1)
    assert last["checkpoint_id"] == checkpoint["checkpoint_id"]
    assert last["prompt_tokens"] == sum(event["prompt"] for event in of_kind(ran, "usage"))


def test_every_kind_of_line_is_documented() -> None:
    document = (DOCS / "events.md").read_text(encoding="utf-8")
    kinds = {kind.__dataclass_fields__["kind"].default for kind in get_args(Event)}
    assert {kind for kind in kinds if f"| `{kind}` |" not in document} == set()


def test_a_person_reads_words_calls_diffs_with_their_match_and_the_way_back(
    project: Project,
) -> None:
    with talk(project, EDITS) as run:
        ran = run("Do it.", as_json=False)
    assert ran.out == "One edit was refused.\n"
    lines = ran.err.splitlines()
    checkpoint = lines[1].removeprefix("checkpoint ")
    assert lines[2:13] == [
        "I look.",
        "> read_file a.py",
        "  a.py: 2 lines.",
        "> edit_file a.py old=x = 1 new=x = 10",
        "edited a.py (exact match)",
        "--- a/a.py",
        "+++ b/a.py",
        "@@ -1,2 +1,2 @@",
        "-x = 1",
        "+x = 10",
        " y = 2",
    ]
    assert lines[14].startswith("  refused (not_found): ")
    assert lines[15] == "retrying: the turn would end, but 1 edit was refused and not retried"
    assert lines[16] == "Ended after 4 steps, not all done: 1 edit was refused and not retried."
    assert lines[17].startswith("  not done: a.py (a.py: the old text is not in the file.")
    assert lines[18].startswith("tokens: ")
    assert lines[-2:] == [
        "files: a.py (edited)",
        f"to go back: holdfast checkpoint restore {checkpoint}",
    ]


def test_quietly_the_answer_is_all_and_a_problem_is_on_standard_error(project: Project) -> None:
    with talk(project, [call("read_file", path="a.py"), say("It has two lines.")]) as run:
        ran = run("Look.", "-q", as_json=False)
    assert (ran.code, ran.out, ran.err) == (0, "It has two lines.\n", "")
    with talk(project, EDITS) as run:
        ran = run("Do it.", "--quiet", as_json=False)
    message = "Ended after 4 steps, not all done: 1 edit was refused and not retried."
    assert (ran.code, ran.out, ran.err) == (0, "One edit was refused.\n", f"holdfast: {message}\n")
    with talk(project, [call("read_file", path="a.py"), say("Tired.")]) as run:
        ran = run("Look.", "-q", "--max-steps", "1", as_json=False)
    assert (ran.code, ran.out) == (12, "Tired.\n")
    stopped, go_on = ran.err.splitlines()
    assert stopped == "holdfast: Stopped after 1 step, the most allowed."
    assert go_on.startswith("holdfast: to go on: holdfast run --continue ")


def test_a_person_sees_what_the_checkpoint_left_out(project: Project) -> None:
    git = ["git", "init", "-q"]
    subprocess.run([*git, str(project.root)], check=True)
    subprocess.run([*git, str(project.root / "inner")], check=True)
    (project.root / "inner" / "file").touch()
    (project.root / ".gitignore").write_text("*.bin\n")
    for number in range(12):
        (project.root / f"{number:02}.bin").write_bytes(bytes(2_000_000))
    with talk(project, [say("Done.")]) as run:
        ran = run("Do it.", as_json=False)
    named = ", ".join(f"{number:02}.bin" for number in range(10))
    assert ran.err.splitlines()[2:4] == [
        "left out: inner (nested repository)",
        f"ignored by git, and not in the checkpoint: {named} and 2 more",
    ]


def test_a_person_sees_sentinels_and_calls_that_were_not_run(project: Project) -> None:
    with talk(project, [call("frobnicate", a=number) for number in range(6)]) as run:
        ran = run("Do it.", as_json=False)
    assert ran.code == 10
    assert ran.err.count("> frobnicate\n  tool_not_found: There is no tool `frobnicate`") == 6
    assert "! Hit repeated different errors — recovery guidance injected, continuing.\n" in ran.err
    assert "! Repeated errors persisted — stopped the turn.\n" in ran.err
    assert "\nto go on: holdfast run --continue " in ran.err


# ------------------------------------------------------------------------------------------------------ modes


def test_in_review_mode_nothing_is_written_and_the_turn_sees_its_proposals(
    project: Project,
) -> None:
    script = [
        call("edit_file", path="a.py", old="x = 1", new="x = 2"),
        call("read_file", path="a.py"),
        call("edit_file", path="a.py", old="x = 2", new="x = 3"),
        call("write_file", path="new/b.py", content="b = 1\n"),
        call("search", pattern="b = 1"),
        say("Proposed."),
    ]
    with talk(project, script) as run:
        ran = run("Do it.", "--approve", "review", as_json=False)
        answers = [message["content"] for message in run.payloads[-1] if message["role"] == "tool"]
    assert ran.code == 0
    assert project.files() == {"a.py": b"x = 1\ny = 2\n"}
    assert "1| x = 2" in answers[1]
    assert "new/b.py:1: b = 1" in answers[4]
    assert ran.out == "Proposed.\n"
    assert ran.err.endswith(
        "3 changes proposed (a.py, new/b.py). Review: `holdfast changes list`. "
        "Apply: `holdfast changes apply ID`.\n"
    )
    listed = project.run("changes", "list", "--root", str(project.root), "--json").told["changes"]
    for change in reversed(listed):
        assert project.run("changes", "apply", change["id"], "--root", str(project.root)).code == 0
    assert project.files() == {"a.py": b"x = 3\ny = 2\n", "new/b.py": b"b = 1\n"}


def test_in_plan_mode_only_reading_is_offered_and_writing_is_denied(project: Project) -> None:
    script = [
        call("write_file", path="b.py", content="b"),
        call("run_command", command="ls"),
        say("So that is how."),
    ]
    with talk(project, script) as run:
        ran = run("Plan it.", "--plan")
        offered = {tool["function"]["name"] for tool in run.server.requests[0].body["tools"]}
    assert offered == {"read_file", "search", "find_files", "list_dir"}
    assert [event["failure"] for event in of_kind(ran, "call_ended")] == [
        "permission_denied",
        "permission_denied",
    ]
    assert project.files() == {"a.py": b"x = 1\ny = 2\n"}


def test_with_auto_a_command_runs_unasked_and_a_secret_is_still_not_read(project: Project) -> None:
    project.write(".env", b"PASSWORD=geheim")
    with talk(
        project, [call("run_command", command="touch z"), call("read_file", path=".env"), say("x")]
    ) as run:
        ran = run("Do it.", "--approve", "auto")
    assert ran.code == 0
    assert (project.root / "z").exists()
    assert [event["failure"] for event in of_kind(ran, "call_ended")] == [None, "permission_denied"]
    assert "geheim" not in ran.out


def test_a_command_on_the_users_list_runs_unasked(project: Project) -> None:
    user_file(project).write_text('allow_commands = ["touch *"]\n')
    with talk(project, [call("run_command", command="touch z"), say("Done.")]) as run:
        assert run("Do it.").code == 0
    assert (project.root / "z").exists()


# ------------------------------------------------------------------------------------------------- the way back


def test_a_restore_brings_back_files_and_transcript_and_its_undo_both_again(
    project: Project,
) -> None:
    at = ["--root", str(project.root)]
    with talk(project, [say("Hello."), *EDITS, say("Where were we?")]) as run:
        session = ended(run("Hello."))["session"]
        checkpoint = ended(run("Change it.", "--continue", session))["checkpoint_id"]
        changed = project.files()
        restored = project.run("checkpoint", "restore", checkpoint, *at, "--json")
        assert restored.code == 0, restored
        assert project.files() == {"a.py": b"x = 1\ny = 2\n"}
        assert project.run("checkpoint", "undo", *at).code == 0
        assert project.files() == changed
        assert project.run("checkpoint", "restore", checkpoint, *at).code == 0
        run("And now?", "--continue", session)
        said = [message["content"] for message in run.payloads[-1] if message["role"] != "system"]
    # The checkpoint precedes the assistant's message: the prompt stays on record.
    # The next prompt takes its place.
    assert said == ["Hello.", "Hello.", "And now?"]


def test_an_undone_restore_gives_the_transcript_back(project: Project) -> None:
    at = ["--root", str(project.root)]
    with talk(project, [*EDITS, say("Still here.")]) as run:
        first = ended(run("Change it."))
        project.run("checkpoint", "restore", first["checkpoint_id"], *at)
        project.run("checkpoint", "undo", *at)
        run("And now?", "--continue", first["session"])
        payloads = run.payloads
    # The one between them has the note about the edit that was refused.
    assert payloads[-1][: len(payloads[-3])] == payloads[-3]
    assert payloads[-1][-1] == {"role": "user", "content": "And now?"}


def test_without_a_checkpoint_the_turn_goes_on_and_says_so(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project.root))
    with talk(project, [*EDITS]) as run:
        ran = run("Do it.")
    assert (ran.code, ended(ran)["checkpoint_id"], ended(ran)["files"]) == (0, None, ["a.py"])
    assert len(of_kind(ran, "checkpoint_missed")) == 1


def test_with_a_broken_git_the_turn_goes_on_and_says_so(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", str(project.root)], check=True)
    broken = tmp_path / "bin" / "git"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho 'fatal: out of order' >&2\nexit 128\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{broken.parent}:/usr/bin:/bin")
    with talk(project, [*EDITS]) as run:
        ran = run("Do it.", as_json=False)
    assert ran.code == 0
    assert "warning: no checkpoint before this turn: " in ran.err
    assert "to go back" not in ran.err
    assert project.files()["a.py"] == b"x = 10\ny = 2\n"
