"""A project with broken code, real compilers that are counted, and a scripted provider over HTTP."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from holdfast.cli.app import app
from holdfast.testing import RecordedRequest, Reply, ScriptedServer, say

COMMAND = [sys.executable, "-m", "holdfast.cli.main"]

# Each language: a file's name, a text that does not compile, the text that does, and a fix that does not help.
Case = tuple[str, str, str, str]
CASES: Mapping[str, Case] = {
    "python": ("cart.py", "def total(prices):\n    return sum(prcs)\n", "def total(prices):\n    return sum(prices)\n", "def total(prices):\n    return sum(prize)\n"),
    "node": ("cart.js", "function total(prices) {\n  return prices.length +;\n}\ntotal([]);\n", "function total(prices) {\n  return prices.length;\n}\ntotal([]);\n", "function total(prices) {\n  return prices.length + );\n}\ntotal([]);\n"),
    "gcc": ("cart.c", "int total(int prices) {\n  return twice(prices) + zzqx;\n}\nint twice(int x) { return 2 * x; }\n", "int twice(int x);\nint total(int prices) {\n  return twice(prices) + prices;\n}\nint twice(int x) { return 2 * x; }\n", "int total(int prices) {\n  return twice(prices) + wwqx;\n}\nint twice(int x) { return 2 * x; }\n"),
    "g++": ("cart.cpp", "int total(int prices) {\n  return prices + zzqx;\n}\n", "int total(int prices) {\n  return prices + prices;\n}\n", "int total(int prices) {\n  return prices + wwqx;\n}\n"),
    "rustc": ("cart.rs", "pub fn total(prices: u32) -> u32 {\n    prices + zzqxw\n}\n", "pub fn total(prices: u32) -> u32 {\n    prices + prices\n}\n", "pub fn total(prices: u32) -> u32 {\n    prices + wwqxz\n}\n"),
    "javac": ("Cart.java", "public class Cart {\n  public int total(int prices) {\n    return prices + zzqx;\n  }\n}\n", "public class Cart {\n  public int total(int prices) {\n    return prices + prices;\n  }\n}\n", "public class Cart {\n  public int total(int prices) {\n    return prices + wwqx;\n  }\n}\n"),
}  # fmt: skip
PACKAGES = {
    "python": "python3",
    "node": "nodejs",
    "gcc": "gcc",
    "g++": "g++",
    "rustc": "rustc",
    "javac": "a JDK",
}


def need(tool: str) -> None:
    """Skip, with the package that is missing."""
    if shutil.which(tool if tool != "python" else "python3") is None:
        pytest.skip(f"{tool} is not installed: install {PACKAGES[tool]}")


def fix(code: str, confidence: object = 0.9, reasoning: str = "a slip of the pen") -> Reply:
    """The reply of a model that proposes this code."""
    return say(json.dumps({"code": code, "confidence": confidence, "reasoning": reasoning}))


@dataclass(frozen=True)
class Ran:
    """How the command ended."""

    code: int
    out: str
    err: str
    questions: int

    @property
    def told(self) -> dict[str, Any]:
        """The last line of standard output, which has all results."""
        answer = json.loads(self.out.splitlines()[-1])
        assert isinstance(answer, dict)
        return answer

    @property
    def outcomes(self) -> dict[str, str]:
        return {file["path"]: file["outcome"] for file in self.told["files"]}


class Workshop:
    """A root, a state directory, and a directory with compilers of our own making."""

    def __init__(self, place: Path) -> None:
        self.root = place / "root"
        self.state = place / "state"
        self.bin = place / "bin"
        self.log = place / "runs.log"
        self.root.mkdir()
        self.bin.mkdir()
        self.settings: dict[str, str] = {}

    def write(self, name: str, text: str) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def compiler(self, name: str, script: str) -> None:
        """Put a program of this name before all others; `$REAL` is the real one."""
        beside = Path(sys.executable).with_name(name)
        real = shutil.which(name) or (str(beside) if beside.exists() else "/bin/false")
        file = self.bin / name
        file.write_text(
            f'#!/bin/sh\nREAL={real}\ncase "$1" in -*version) exec $REAL "$@";; esac\n{script}\n'
        )
        file.chmod(0o755)

    def counted(self, name: str) -> None:
        """Count how often a compiler is run, without the questions for its version."""
        self.compiler(name, f'echo {name} >> {self.log}\nexec $REAL "$@"')

    def runs(self) -> int:
        return len(self.log.read_text().split()) if self.log.exists() else 0

    def environment(self, **more: str) -> dict[str, str]:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith("HOLDFAST_")
        }
        return {
            **kept,
            "PATH": f"{self.bin}:{kept['PATH']}",
            "HOLDFAST_STATE_DIR": str(self.state),
            "HOLDFAST_CONFIG_FILE": str(self.state / "none.toml"),
            "NO_COLOR": "1",
            # Its compilers count their runs in a file that a sandbox would not let them write.
            "HOLDFAST_SANDBOX": "off",
            **self.settings,
            **more,
        }

    def run(
        self,
        *words: str,
        script: Sequence[Reply] | Callable[[RecordedRequest], Reply] | None = None,
    ) -> Ran:
        """Run the command, with a scripted provider over HTTP if there is a script."""
        if script is None:
            return self._run(words, 0)
        with ScriptedServer(script) as server:
            ran = self._run([*words, "--base-url", server.base_url, "--model", "scripted"], 0)
            return Ran(ran.code, ran.out, ran.err, len(server.requests))

    def repair(
        self,
        *words: str,
        script: Sequence[Reply] | Callable[[RecordedRequest], Reply] | None = None,
    ) -> Ran:
        return self.run(
            "repair",
            "--root",
            str(self.root),
            "--json",
            *words,
            *([] if script is not None else ["--no-model"]),
            script=script,
        )

    def decisions(self, *words: str) -> Ran:
        return self.run("decisions", *words, "--root", str(self.root), "--json")

    def _run(self, words: Sequence[str], questions: int) -> Ran:
        """In this process: to start one takes longer than the compilers. What only a process can do starts one."""
        env: dict[str, str | None] = {
            name: None for name in os.environ if name.startswith("HOLDFAST_")
        }
        done = CliRunner().invoke(app, list(words), env={**env, **self.environment()})
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return Ran(done.exit_code, done.stdout, done.stderr, questions)
