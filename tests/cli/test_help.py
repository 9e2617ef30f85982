"""The help of every command: complete, narrow, and the same for -h as for --help."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdfast.cli.app import HoldfastGroup, app

pytestmark = pytest.mark.integration


def paths() -> Iterator[tuple[str, ...]]:
    """Yield the words of every command."""
    yield ()
    for name in HoldfastGroup.entries:
        yield (name,)
        yield from ((name, row) for row, _ in rows(help_of(name)))


@cache
def help_of(*words: str, flag: str = "--help") -> str:
    ran = CliRunner().invoke(app, [*words, flag], env={"COLUMNS": "80"})
    assert ran.exit_code == 0, ran.output
    return ran.output


def rows(text: str) -> list[tuple[str, str]]:
    """Return the commands that a help lists, each with its line."""
    listed = text.partition("\nCommands:\n")[2]
    return re.findall(r"^  (\S+) +(\S.*)$", listed, re.MULTILINE)


Every = list[tuple[str, ...]]


@pytest.fixture(scope="module")
def every() -> Every:
    return list(paths())


def test_all_commands_are_looked_at(every: Every) -> None:
    assert set(every) >= {(), ("run",), ("changes",), ("changes", "list"), ("config", "show")}
    assert len(every) >= 41


def test_help_fits_into_80_columns(every: Every) -> None:
    wide = {
        words: [line for line in help_of(*words).splitlines() if len(line) > 80] for words in every
    }
    assert {words: lines for words, lines in wide.items() if lines} == {}


def test_no_line_of_help_is_cut(every: Every) -> None:
    cut = {words: cut_lines(help_of(*words)) for words in every}
    assert {words: lines for words, lines in cut.items() if lines} == {}


def cut_lines(text: str) -> list[str]:
    lines = text.splitlines()
    usage = [line for line in lines if line.startswith("Usage:")]
    return [line for line in lines if line.endswith(("...", "…")) and line not in usage]


def test_a_short_flag_prints_the_same_help(every: Every) -> None:
    assert {words: help_of(*words, flag="-h") for words in every} == {
        words: help_of(*words) for words in every
    }


def test_the_line_in_a_list_is_the_first_sentence_of_the_help(every: Every) -> None:
    wrong = {}
    for words in every:
        if not words:
            continue
        *group, name = words
        line = dict(rows(help_of(*group)))[name]
        paragraph = re.sub(r"\s+", " ", help_of(*words).split("\n\n")[1]).strip()
        if not paragraph.startswith(line):
            wrong[words] = (line, paragraph)
    assert wrong == {}


@pytest.mark.slow  # a process
def test_the_list_imports_no_command() -> None:
    loaded = modules_after("--help")
    assert {name for name in loaded if name.startswith("holdfast.")} == {
        "holdfast.cli",
        "holdfast.cli.app",
        "holdfast.cli.lazy_group",
        "holdfast.cli.safe_stdout",
    }
    assert not loaded & {"rich", "pydantic", "sqlalchemy", "httpx", "platformdirs"}


@pytest.mark.slow  # a process for each
@pytest.mark.parametrize(
    "command",
    [
        "--version",
        "config show",
        "checkpoint list",
        "changes list --limit 3",
        "undo",
        "run --help",
        "repair . --workers 2 --confidence 0.9 --timeout 5 --strictness production",
    ],
)
def test_a_command_without_records_loads_no_database_and_no_pydantic(
    command: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path_factory.mktemp("place")
    state = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(state))
    monkeypatch.chdir(place)
    heavy = {"rich", "pydantic", "sqlalchemy", "httpx", "asyncio", "ast_grep_py", "rapidfuzz"}
    assert modules_after(*command.split()) & heavy == set()


@pytest.mark.slow  # a process
def test_the_check_for_heavy_modules_can_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_STATE_DIR", f"{tmp_path}/state")
    root = tmp_path / "root"
    root.mkdir()
    assert "pydantic" in modules_after("changes", "list", "--limit", "+3", "--root", str(root))


def modules_after(*words: str) -> set[str]:
    """Return the modules that are loaded when a command has ended."""
    code = (
        "import sys\n"
        "from holdfast.cli.app import app\n"
        "app(sys.argv[1:], standalone_mode=False)\n"
        "print('\\nMODULES', *sys.modules)\n"
    )
    command = [sys.executable, "-c", code, *words]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(ran.stdout.rpartition("\nMODULES ")[2].split())


def test_values_that_typer_would_convert_arrive_converted() -> None:
    ran = CliRunner().invoke(app, ["changes", "list", "--limit", "0"])
    assert ran.exit_code == 2
    assert "--limit" in ran.stderr
    ran = CliRunner().invoke(app, ["apply", "--format", "nonsense", "-"])
    assert ran.exit_code == 2
    assert "--format" in ran.stderr


def test_a_required_argument_is_still_required() -> None:
    ran = CliRunner().invoke(app, ["changes", "show"])
    assert (ran.exit_code, "Missing argument 'ID'" in ran.stderr) == (2, True)


@pytest.mark.slow  # a process for each
@pytest.mark.parametrize("command", ["changes list", "changes show {change}", "undo"])
def test_a_command_on_recorded_changes_loads_no_sqlalchemy_and_nothing_that_lands_an_edit(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLDFAST_STATE_DIR", str(tmp_path / "state"))
    root = tmp_path / "root"
    root.mkdir()
    monkeypatch.chdir(root)
    (root / "a.py").write_text("x = 1\n", encoding="utf-8")
    edit = json.dumps({"path": "a.py", "old": "x = 1", "new": "x = 2"})
    assert CliRunner().invoke(app, ["apply"], input=edit).exit_code == 0
    listed = CliRunner().invoke(app, ["changes", "list", "--json"])
    change = json.loads(listed.stdout)["changes"][0]["id"]
    loaded = modules_after(*command.format(change=change).split())
    assert "sqlite3" in loaded
    assert "sqlalchemy" not in loaded
    heavy = {"alembic", "pydantic", "sqlalchemy.orm", "sqlalchemy.dialects.postgresql"}
    assert loaded & heavy == set()
    assert "holdfast.vocab.events" not in loaded
    landing = ("holdfast.landing.land", "holdfast.landing.ladder", "holdfast.landing.formats")
    assert [name for name in sorted(loaded) if name.startswith(landing)] == []
