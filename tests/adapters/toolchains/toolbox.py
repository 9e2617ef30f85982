"""What the tests of toolchains share: tools that are looked for, programs that only pretend, and what they left behind."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from holdfast.adapters.toolchains.check_step import CheckMode
from holdfast.adapters.toolchains.registry import check_for
from holdfast.repair.ports import Check, Checked
from tests.waiting import LONGEST

ROOT = Path(__file__).parents[3]
BESIDE = str(ROOT / ".venv/bin")
TOOLCHAINS = ROOT / ".toolchains"
PACKAGES = {
    "gcc": "gcc",
    "g++": "g++",
    "rustc": "rustc (rustup)",
    "cargo": "cargo (rustup)",
    "javac": "default-jdk",
    "node": "nodejs",
    "ruff": "ruff (pip)",
    "mypy": "mypy (pip)",
    "tsc": "typescript (make toolchains)",
    "pyright": "pyright (make toolchains)",
    "go": "golang-go",
}


def needs(*names: str) -> pytest.MarkDecorator:
    """Skip, and say which package is missing."""
    path = os.pathsep.join(
        [os.environ.get("PATH", ""), BESIDE, str(TOOLCHAINS / "node_modules/.bin")]
    )
    missing = [PACKAGES[name] for name in names if shutil.which(name, path=path) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


def check(
    root: Path,
    path: str,
    mode: CheckMode = "file",
    timeout: float = LONGEST,
    command: str | None = None,
) -> Check:
    found = check_for(path, root, mode=mode, timeout=timeout, command=command, own_code=True)
    assert found is not None
    return found


def run(
    root: Path, path: str, text: str, mode: CheckMode = "file", command: str | None = None
) -> Checked:
    checked = check(root, path, mode, command=command).run(path, text.encode())
    assert isinstance(checked, Checked)
    return checked


def pretend(folder: Path, name: str, script: str) -> Path:
    """A program in a folder of its own that notes every start of it, but for those that ask for its version."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    started = folder / f"{name}.started"
    asked = 'case "$1" in --version|-version|-dumpfullversion|version) echo 1.2.3; exit 0;; esac'
    program.write_text(f'#!/bin/sh\n{asked}\necho "$@" >> "{started}"\n{script}\n')
    program.chmod(0o755)
    return program


def starts(program: Path) -> int:
    started = program.with_name(f"{program.name}.started")
    return len(started.read_text().splitlines()) if started.exists() else 0


def snapshot(root: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(root)): file.read_bytes()
        for file in sorted(root.rglob("*"))
        if file.is_file()
    }
