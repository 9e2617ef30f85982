"""Real compilers, asked once about many texts: which of them do not compile."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from holdfast.vocab.diagnostics import Target
from tests.waiting import LONGEST

_ROOT = Path(__file__).parents[4]
_BESIDE = Path(sys.executable).parent
_TSC = _ROOT / ".toolchains" / "node_modules" / ".bin" / "tsc"


@dataclass(frozen=True, slots=True)
class Compiler:
    """Each text is put in a folder of its own, behind its `first_lines`; it compiles if one of the `commands` says so.

    A command is asked about all texts at once, unless it can only look at them `one_by_one`.
    """

    tools: tuple[str, ...]
    file: str
    commands: tuple[Callable[[Path, Sequence[str]], list[str]], ...]
    one_by_one: bool = False
    first_lines: Callable[[int], str] = lambda _: ""
    beside: tuple[tuple[str, str], ...] = ()

    def missing(self) -> str | None:
        """Name the first tool that is not there."""
        return next((tool for tool in self.tools if _find(tool) is None), None)

    def failing(self, texts: Sequence[str], place: Path) -> set[int]:
        """Give the numbers of the texts that do not compile."""
        files = [self._put(number, text, place) for number, text in enumerate(texts)]
        groups = [[file] for file in files] if self.one_by_one else [files]
        failing = set(range(len(texts)))
        for command in self.commands:
            output = "".join(_run(command(place, group), place) for group in groups)
            named = {int(found) for found in re.findall(r"\bt(\d+)[/\\][^\s:()]*[:(\s]", output)}
            failing &= named
        return failing

    def _put(self, number: int, text: str, place: Path) -> str:
        folder = place / f"t{number}"
        folder.mkdir()
        for name, beside in self.beside:
            (folder / name).write_text(beside)
        (folder / self.file).write_text(self.first_lines(number) + text)
        return f"t{number}/{self.file}"


def _run(command: list[str], place: Path) -> str:
    """Give what a compiler tells of errors; that it failed without a word of a file is an error of this test."""
    env = {**os.environ, "GOFLAGS": "-mod=mod", "GO111MODULE": "on", "GOTOOLCHAIN": "local"}
    done = subprocess.run(
        command, cwd=place, capture_output=True, text=True, timeout=LONGEST, env=env, check=False
    )
    output = done.stdout + done.stderr
    # What stops mypy itself (2) hides what it would say of the others.
    assert done.returncode != 2 or "mypy" not in command[0], output
    assert done.returncode == 0 or re.search(r"\bt\d+[/\\]", output), f"{command[0]}: {output}"
    return output if done.returncode else ""


def _find(tool: str) -> str | None:
    if tool == "tsc":
        return str(_TSC) if _TSC.exists() else shutil.which(tool)
    beside = _BESIDE / tool
    return str(beside) if beside.exists() else shutil.which(tool)


def _command(tool: str, *options: str) -> Callable[[Path, Sequence[str]], list[str]]:
    return lambda _, files: [_find(tool) or tool, *options, *files]


def _rust(place: Path, files: Sequence[str]) -> list[str]:
    """Make one crate of all; what stops it early would hide what comes later, but nothing should stop it."""
    modules = (f'#[path = "{file}"]\npub mod t{number};\n' for number, file in enumerate(files))
    (place / "lib.rs").write_text("".join(modules))
    options = [
        "--edition=2021",
        "--crate-type=lib",
        "--emit=metadata",
        "-A",
        "warnings",
        "--error-format=short",
    ]
    return ["rustc", *options, "lib.rs"]


def _go(place: Path, files: Sequence[str]) -> list[str]:
    (place / "go.mod").write_text("module shop\n\ngo 1.18\n")
    return ["go", "build", *(f"./{file.partition('/')[0]}" for file in files)]


def _go_all(place: Path, files: Sequence[str]) -> list[str]:
    return [*_go(place, files)[:2], "./..."]  # so that a text that is not to be built is none


def _mypy(place: Path, files: Sequence[str]) -> list[str]:
    cache = os.devnull
    return [
        _find("mypy") or "mypy",
        "--no-error-summary",
        "--scripts-are-modules",
        "--cache-dir",
        cache,
        *files,
    ]


COMPILERS: dict[Target, Compiler] = {
    "python": Compiler(
        ("ruff", "mypy"),
        "cart.py",
        (
            _command("ruff", "check", "--isolated", "--no-cache", "--output-format=concise", "--select=E9,F63,F7,F82"),
            _mypy,
        ),
        beside=(("__init__.py", ""),),
    ),
    "javascript": Compiler(("node",), "cart.mjs", (_command("node", "--check"),), one_by_one=True),
    "typescript": Compiler(
        ("tsc",),
        "cart.ts",
        (
            _command(
                "tsc", "--noEmit", "--strict", "--skipLibCheck", "--pretty", "false",
                "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler",
            ),
        ),
        beside=(("log.ts", "export function log(...what: unknown[]): void { console.log(what); }\n"),),
    ),
    "c": Compiler(("gcc",), "cart.c", (_command("gcc", "-fsyntax-only", "-w", "-Werror=implicit-function-declaration"),)),
    "cpp": Compiler(("g++",), "cart.cpp", (_command("g++", "-fsyntax-only", "-w", "-std=c++17"),)),
    "rust": Compiler(("rustc",), "cart.rs", (_rust,)),
    "java": Compiler(
        ("javac",),
        "Cart.java",
        (_command("javac", "-nowarn", "-Xmaxerrs", "0", "-d", "classes"),),
        first_lines=lambda number: f"package t{number};\n",
    ),
    "go": Compiler(("go",), "cart.go", (_go_all,)),
}  # fmt: skip
