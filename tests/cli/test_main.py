"""The command itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import holdfast
from tests.cli.project import Project


def test_help_names_the_commands(project: Project) -> None:
    ran = project.run("--help")
    assert ran.code == 0
    assert all(name in ran.out for name in ("apply", "undo", "demo"))


def test_the_version_is_printed(project: Project) -> None:
    ran = project.run("--version")
    assert (ran.code, ran.out) == (0, f"holdfast {holdfast.__version__}\n")


def test_help_does_not_import_what_is_heavy() -> None:
    code = "import sys, holdfast.cli.app; print([m for m in ('rich', 'platformdirs', 'pydantic') if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_a_current_directory_that_is_gone_is_reported(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    script = 'mkdir "$1" && cd "$1" && rmdir "$1" && exec "$2" -m holdfast.cli.main changes list'
    command = ["sh", "-c", script, "sh", str(gone), sys.executable]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "the current directory does not exist any more; change to another one." in ran.stderr


def test_ctrl_c_while_the_commands_are_loaded_ends_the_process_without_a_traceback(
    tmp_path: Path,
) -> None:
    # In the place of the first module that the commands import: Ctrl-C comes while it is loaded.
    (tmp_path / "typer.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nprint('still here')\n"
    )
    ran = subprocess.run(
        [sys.executable, "-m", "holdfast.cli.main", "--help"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (-signal.SIGINT, "", "")
