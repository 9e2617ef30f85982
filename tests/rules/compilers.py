"""Real compilers on a text: what they say of it, as diagnostics."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest

from holdfast.repair.diagnostics import gcc, javac, mypy, node, python_compile, ruff, rustc, tsc
from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.vocab.diagnostics import Diagnostic
from tests.waiting import LONGEST

_VENV = Path(sys.executable).parent
# To compile one file, the JVM spends a third of its time on optimising code that then runs once.
_SHORT_RUN = ("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC")
_TSC = Path(__file__).parents[2] / ".toolchains" / "node_modules" / ".bin" / "tsc"
_PACKAGES = {
    "ruff": "ruff (pip)",
    "mypy": "mypy (pip)",
    "gcc": "gcc",
    "g++": "g++",
    "node": "nodejs",
    "rustc": "rustc",
    "javac": "openjdk-17-jdk-headless",
    "tsc": "typescript (npm); make toolchains installs it",
}
_FILES = {
    "python": "a.py",
    "ruff": "a.py",
    "mypy": "a.py",
    "gcc": "a.c",
    "g++": "a.cpp",
    "node": "a.js",
    "rustc": "a.rs",
    "javac": "Main.java",
    "tsc": "a.ts",
}


def need(tool: str) -> None:
    """Skip the test if the tool is not installed, and say which package has it."""
    if tool == "python" or _program(tool) is not None:
        return
    pytest.skip(f"{tool} is not installed; it is in the package {_PACKAGES[tool]}")


def _program(tool: str) -> str | None:
    if tool == "tsc":
        return shutil.which("tsc") or (str(_TSC) if _TSC.is_file() else None)
    beside = _VENV / tool
    return str(beside) if beside.is_file() else shutil.which(tool)


@lru_cache(maxsize=512)
def complaints(tool: str, text: str) -> tuple[Diagnostic, ...]:
    """Give what the tool says of the text, errors only."""
    if tool == "python":
        found = _compile(text)
    else:
        with tempfile.TemporaryDirectory() as place:
            found = _run(tool, text, Path(place))
    return tuple(each for each in found if each.severity == "error")


def _compile(text: str) -> tuple[Diagnostic, ...]:
    try:
        with warnings.catch_warnings(action="ignore"):
            compile(text, "a.py", "exec", dont_inherit=True)
    except SyntaxError as error:
        said = {
            "type": type(error).__name__,
            "message": error.msg,
            "path": "a.py",
            "line": error.lineno,
            "column": error.offset,
            "end_line": error.end_lineno,
            "end_column": error.end_offset,
        }
        return python_compile.parse(
            json.dumps(said), version="3", sources=SourceLines({"a.py": text})
        )
    return ()


def _run(tool: str, text: str, place: Path) -> tuple[Diagnostic, ...]:
    name = _FILES[tool]
    (place / name).write_text(text, newline="")
    program = _program(tool)
    assert program is not None
    arguments: dict[str, list[str]] = {
        "ruff": [
            "check",
            "--isolated",
            "--no-cache",
            "--output-format",
            "json",
            "--select",
            "E7,E9,F",
            name,
        ],
        "mypy": ["-O", "json", "--strict", "--cache-dir", "/dev/null", name],
        "gcc": [
            "-fsyntax-only",
            "-Werror=implicit-function-declaration",
            "-fdiagnostics-format=json",
            name,
        ],
        "g++": ["-fsyntax-only", "-fdiagnostics-format=json", name],
        "node": ["--check", name],
        "rustc": [
            "--edition",
            "2021",
            "--crate-type",
            "lib",
            "--emit",
            "metadata",
            "--error-format=json",
            name,
        ],
        "javac": [*_SHORT_RUN, "-XDrawDiagnostics", "-proc:none", name],
        "tsc": [
            "--noEmit",
            "--strict",
            "--skipDefaultLibCheck",
            "--pretty",
            "false",
            "--target",
            "es2022",
            name,
        ],
    }
    ran = subprocess.run(
        [program, *arguments[tool]],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
        env=_environment(),
    )
    parsers: dict[str, Callable[..., tuple[Diagnostic, ...]]] = {
        "ruff": ruff.parse,
        "mypy": mypy.parse,
        "gcc": gcc.parse,
        "g++": gcc.parse,
        "node": node.parse,
        "rustc": rustc.parse,
        "javac": javac.parse,
        "tsc": tsc.parse,
    }
    more = {"tool": "g++"} if tool == "g++" else {}
    output = ran.stdout if tool in {"ruff", "mypy", "tsc"} else ran.stderr
    return parsers[tool](output, version="", sources=SourceLines({name: text}), **more)


def _environment() -> dict[str, str]:
    import os

    return {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ} | {
        "LC_ALL": "C"
    }
