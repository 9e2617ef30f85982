"""The command itself."""

from __future__ import annotations

import subprocess
import sys

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
    code = "import sys, holdfast.cli.main; print([m for m in ('rich', 'platformdirs', 'pydantic') if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
