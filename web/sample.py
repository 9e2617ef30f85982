"""Serve the page on a sample project: `make run`.

The project is a temporary git repository. A few sessions are played in it by a scripted model and
a scripted agent. New messages go to the best model that is found; if there is none, to the
rehearsal model, whose answers are scripted too.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.config.settings import BadConfig
from holdfast.testing import Reply, ScriptedAgent, ScriptedServer, call, say, text_call
from holdfast.wiring.models import list_server_models
from holdfast.wiring.sessions import open_sessions
from holdfast.wiring.settings import settings_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.testing.request_log import RecordedRequest

REHEARSAL = "rehearsal-model"
AGENT = "rehearsal-agent"
FILES = {
    "README.md": "# Orchard\n\nCounts the apples of an orchard, row by row.\n",
    "orchard/__init__.py": '"""Count apples."""\n',
    "orchard/rows.py": '''"""The rows of an orchard."""

from __future__ import annotations


def total(rows: list[list[int]]) -> int:
    """Return the number of apples of all rows."""
    count = 0
    for row in rows:
        for apples in row[1:]:
            count += apples
    return count


def best(rows: list[list[int]]) -> int:
    """Return the place of the row with the most apples."""
    return max(range(len(rows)), key=lambda place: sum(rows[place]))
''',
    "orchard/report.py": '''"""A report for people."""

from orchard.rows import best, total


def report(rows: list[list[int]]) -> str:
    """Return the report of an orchard."""
    return "apples: " + str(total(rows)) + ", best row: " + str(best(rows))
''',
    "check.py": "from orchard.rows import total\n\nassert total([[1, 2], [3]]) == 6\nprint('ok')\n",
}
FIXED = """I read `total` and ran the check.

**The fault:** the inner loop skipped the first tree of every row.

| rows | before | now |
|---|---|---|
| `[[1, 2], [3]]` | 2 | 6 |
| `[]` | 0 | 0 |

```python
for row in rows:
    count += sum(row)
```

The check passes now.
"""
TOTALS: list[Reply] = [
    Reply(
        text="Let me look at the code first, and run the check.",
        reasoning="The totals are too small. Perhaps a slice skips the first tree of a row.",
        calls=(
            call("read_file", path="orchard/rows.py").calls[0],
            call("run_command", command="python3 check.py").calls[0],
        ),
    ),
    # It is not there: refused, with the cure.
    call("edit_file", path="orchard/rows.py", old="for tree in row[1:]:", new="for tree in row:"),
    call(
        "edit_file",
        path="orchard/rows.py",
        # The indentation is wrong by one: landed, and the page says on which rung.
        old="     for row in rows:\n         for apples in row[1:]:\n             count += apples",
        new="     for row in rows:\n         count += sum(row)",
    ),
    call("run_command", command="python3 check.py"),
    say(FIXED),
]
POLITE: list[Reply] = [
    call(
        "edit_file",
        path="orchard/report.py",
        old='    return "apples: " + str(total(rows)) + ", best row: " + str(best(rows))\n',
        new='    return f"{total(rows)} apples; row {best(rows) + 1} has the most."\n',
    ),
    say("The report is a sentence now, and counts rows from one. It waits for your review."),
]
REHEARSED = """This is the **rehearsal model**: no language model was found, so this answer is
scripted.

I have read `README.md` and written `REHEARSAL.md`, so that there is a change to look at in
*Changes*, and to take back with *Restore to here*. Start a local model server, such as Ollama or
llama.cpp, and `make run` uses it.
"""
STUCK: list[Reply] = [call("read_file", path="orchard/apples.py")] * 12
AGENTS_TITLE = "Document how to use the orchard"
AGENTS_TURN = """think The README says little. I add how to use it.
plan Read the README; Write the usage; Check it
say I add a section on usage.
write docs/usage.md # Usage\\n\\nrows.total counts all apples.\\nrows.best finds the best row.\\n
usage 4210 380
say Written to `docs/usage.md`. Merge the worktree to have it in the project."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the sample, and serve it until Ctrl-C; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="the port; 0 selects a free one")
    parser.add_argument("--no-open", action="store_true", help="open no browser")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="holdfast-sample-") as place:
        folder = Path(place)
        with ScriptedServer(rehearse, model=REHEARSAL, context=32_768) as rehearsal:
            sys.stderr.write("playing four sessions in a sample project ...\n")
            environment = make_sample(folder)
            environment |= choose_model(rehearsal, folder / "orchard")
            return serve(folder / "orchard", environment, options.port, no_open=options.no_open)


def make_sample(folder: Path) -> dict[str, str]:
    """Make the project below `folder` and play its sessions; return the environment to use it."""
    project = folder / "orchard"
    for name, text in FILES.items():
        file = project / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "Count apples"]):
        git = ["git", "-c", "user.name=Sample", "-c", "user.email=sample@example.invalid"]
        subprocess.run([*git, *words], cwd=project, check=True)
    settings = folder / "config.toml"
    command = json.dumps(list(ScriptedAgent().command))
    settings.write_text(f"[agents.{AGENT}]\ncommand = {command}\n", encoding="utf-8")
    environment = {
        **os.environ,
        "HOLDFAST_STATE_DIR": str(folder / "state"),
        "HOLDFAST_CONFIG_FILE": str(settings),
    }
    play(project, environment, "The totals of the report are too small. Why?", "auto", TOTALS)
    play(project, environment, "Write the report as a sentence", "review", POLITE)
    play(project, environment, "Show me what apples.py does", "auto", STUCK)
    run = ["run", "--agent", AGENT, "--approve", "auto", AGENTS_TURN]
    subprocess.run(holdfast(*run), cwd=project, env=environment, check=False, capture_output=True)
    os.environ.update(environment)
    with open_sessions(project) as sessions:
        for session in sessions.list():
            if session.agent == AGENT:
                # Its prompt is a script of the agent: not a title for people.
                sessions.rename(session.id, AGENTS_TITLE)
    return environment


def play(
    project: Path, environment: dict[str, str], prompt: str, approve: str, replies: list[Reply]
) -> None:
    """Play one session with a scripted model."""
    with ScriptedServer(replies, otherwise=say("Done."), model=REHEARSAL) as model:
        command = holdfast("run", "--base-url", model.base_url, "--approve", approve, prompt)
        # A session that is stopped is part of the sample: its exit code is not 0.
        subprocess.run(command, cwd=project, env=environment, check=False, capture_output=True)


def choose_model(rehearsal: ScriptedServer, project: Path) -> dict[str, str]:
    """Return the settings of the model for new messages: the best one found, or the rehearsal."""
    settings = settings_at(project)
    if not isinstance(settings, BadConfig):
        found = list_server_models(settings)
        if found.model is not None and not found.problem:
            sys.stderr.write(f"New messages go to {found.model} ({found.base_url}).\n")
            return {}
    sys.stderr.write(
        "No model was found: new messages go to the REHEARSAL MODEL, whose answers are scripted.\n"
    )
    return {"HOLDFAST_BASE_URL": rehearsal.base_url, "HOLDFAST_MODEL": REHEARSAL}


def rehearse(request: RecordedRequest) -> Reply:
    """Answer as the rehearsal model: read a file, write another one, then say what this is."""
    last = request.messages[-1]
    done = [message for message in request.messages if message["role"] == "tool"]
    if last["role"] != "tool":
        return text_call("read_file", path="README.md")
    if len(done) % 2 == 1:
        # The time: the same text a second time would be no change.
        text = f"# Rehearsal\n\nThe rehearsal model wrote this at {datetime.now(UTC):%H:%M:%S}.\n"
        return text_call("write_file", path="REHEARSAL.md", text=text)
    return say(REHEARSED)


def serve(project: Path, environment: dict[str, str], port: int, *, no_open: bool) -> int:
    """Run `holdfast serve` until it ends."""
    command = holdfast("serve", "--root", str(project), "--port", str(port))
    if no_open or not has_display():
        command.append("--no-open")
    with subprocess.Popen(command, env=environment) as server:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: server.terminate())
        return server.wait()


def has_display() -> bool:
    """Return whether a browser can be opened here."""
    if sys.platform == "darwin":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def holdfast(*words: str) -> list[str]:
    """Return the command line of the command that is beside this Python."""
    return [str(Path(sys.executable).with_name("holdfast")), *words]


if __name__ == "__main__":
    sys.exit(main())
