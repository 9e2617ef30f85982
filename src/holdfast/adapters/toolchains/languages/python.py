"""Python: `compile()` by the project's own Python, ruff and a type checker where they are installed."""

from __future__ import annotations

import configparser
import json
import os
import sys
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from holdfast.adapters.toolchains.installed_tool import Installed, ToolProgram, find
from holdfast.adapters.toolchains.tool_check import CheckedFile, CheckStep
from holdfast.repair.diagnostics import mypy, pyright, python_compile, ruff
from holdfast.vocab.diagnostics import Diagnostic

_Settings: TypeAlias = dict[str, object]

PYTHON = ToolProgram("python3", "Install Python 3.")
RUFF = ToolProgram("ruff", "Install it with: pip install ruff")
MYPY = ToolProgram("mypy", "Install it with: pip install mypy")
PYRIGHT = ToolProgram(
    "pyright", "Install it with: npm install --save-dev pyright, or: pip install pyright"
)

_CHILD = Path(__file__).with_name("python_child.py")
# Where a project says nothing of ruff: code that is broken, not code that is not to our taste. Comparisons with
# literals, invalid `%` and `raise`, `return` and `break` in the wrong place, names that are not there.
_BROKEN = "E9,F50,F63,F7,F82,F901"
_RUFF_KNOWS = 13
"""The last Python 3 that every ruff we run with knows."""
# What is not installed here says nothing about the code, where the project says nothing of the type checker.
_ABOUT_HERE = frozenset(
    {"import-not-found", "import-untyped", "reportMissingImports", "reportMissingModuleSource"}
)


def plan(unit: CheckedFile) -> Sequence[CheckStep]:
    """Compile; then mypy or pyright, if it is Python at all; then ruff."""
    return _plan(unit, types=True)


def plan_as_configured(unit: CheckedFile) -> Sequence[CheckStep]:
    """Compile, and ruff; mypy or pyright only where the project has settings for it."""
    has_settings = (
        _mypy_settings(unit.root, unit.path) is not None or _pyright_settings(unit) is not None
    )
    return _plan(unit, types=has_settings)


def runs_its_own(root: Path, path: str) -> bool:
    """Whether the project's settings make mypy run code of the project, or a program that they name."""
    settings = _mypy_settings(root, path) or {}
    return "plugins" in settings or "python_executable" in settings


def _plan(unit: CheckedFile, *, types: bool) -> Sequence[CheckStep]:
    look = partial(find, root=unit.root, path=unit.path, deadline=unit.deadline, cancel=unit.cancel)
    compiled = _compile_step(unit, look(PYTHON))
    steps = [compiled]
    checkers = (_pyright_step, PYRIGHT), (_mypy_step, MYPY)
    for make, tool in reversed(checkers) if _pyright_settings(unit) is None else checkers:
        if types and (found := look(tool)):
            steps.append(make(unit, found))
            break
    # Last: what it says of names is no reason not to look at types.
    if _is_utf8(unit.text) and (found := look(RUFF)):
        steps.append(_ruff_step(unit, found, compiled.tool.version))
    return steps


def _is_utf8(text: bytes) -> bool:
    """Whether ruff can read it: of other encodings it knows nothing, whatever the file says."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _compile_step(unit: CheckedFile, python: Installed | None) -> CheckStep:
    if python is None:
        python = Installed(PYTHON, sys.executable, ".".join(map(str, sys.version_info[:3])))
    argv = [python.program, "-I", "-S", "-B", str(_CHILD), unit.path]
    titled = replace(python, tool=replace(python.tool, name="python"))
    return CheckStep(
        titled,
        argv,
        "/",
        python_compile.parse,
        unit.text,
        shown=lambda output: '{"done": true}' in output,
    )


def _ruff_step(unit: CheckedFile, tool: Installed, python: str) -> CheckStep:
    settings = _settings(unit.root, unit.path, ("ruff.toml", ".ruff.toml"), ("tool", "ruff"))
    # Through stdin it is the project's file to ruff, in all its settings, and nothing is written.
    argv = [
        tool.program,
        "check",
        "--quiet",
        "--no-cache",
        "--output-format=json",
        "--stdin-filename",
        unit.path,
    ]
    argv += (
        [] if settings is not None else ["--isolated", f"--select={_BROKEN}", *_ruff_target(python)]
    )
    shown: Callable[[str], bool] = lambda output: output.lstrip().startswith("[")  # noqa: E731 - it has a name
    return CheckStep(tool, [*argv, "-"], str(unit.root), ruff.parse, unit.text, shown=shown)


def _ruff_target(version: str) -> list[str]:
    """Say for which Python it is: else ruff takes one of its own choice, to which new syntax is an error."""
    numbers = [int(number) for number in version.split(".")[:2]] if version != "unknown" else []
    if len(numbers) < 2 or numbers < [3, 7]:
        return []
    return [f"--target-version=py3{min(numbers[1], _RUFF_KNOWS)}"]


def _mypy_step(unit: CheckedFile, tool: Installed) -> CheckStep:
    settings = _mypy_settings(unit.root, unit.path)
    argv = [
        tool.program,
        "--output=json",
        "--show-error-end",
        "--no-error-summary",
        "--no-color-output",
    ]
    argv += ["--cache-dir", unit.scratch.place("mypy")]
    # In version 2 columns in a line with characters beyond ASCII are wrong with the new parser.
    argv += ["--no-native-parser"] if tool.version.startswith("2.") else []
    python = _project_python(unit.root)
    argv += ["--python-executable", python] if python else []
    argv += ["--follow-imports=silent"] if unit.mode == "file" else []
    cwd, words = _mypy_place(unit)
    whole = unit.mode == "project" and settings is not None and "files" in settings
    argv += words if not whole else words[:-1]
    soften = (lambda found: found) if settings is not None else _soften
    return CheckStep(tool, argv, cwd, mypy.parse, soften=soften, unless_broken=True)


def _mypy_place(unit: CheckedFile) -> tuple[str, list[str]]:
    """Give where mypy runs, and the words that show it the text in the file's place; the file is the last of them."""
    text = unit.scratch.of_its_own_length(unit.text)
    alone = unit.scratch.file(unit.path, text)
    if (unit.root / unit.path).is_file():
        return str(unit.root), ["--shadow-file", unit.path, alone, "--", unit.path]
    # A file that is not there yet cannot have a shadow.
    return unit.scratch.farm(unit.path, text), ["--", unit.path]


def _pyright_step(unit: CheckedFile, tool: Installed) -> CheckStep:
    tree = unit.scratch.mirror(unit.path, unit.text)
    found = _pyright_settings(unit)
    folder, settings = found if found is not None else (PurePosixPath(), {})
    # Named, so that it looks for no settings above the copy; a file that is named is checked by them all the same.
    argv = [tool.program, "--outputjson", "--project", str(folder)]
    python = _project_python(unit.root)
    argv += (
        ["--pythonpath", python] if python and not settings.keys() & {"venv", "venvPath"} else []
    )
    argv += [unit.path] if unit.mode == "file" else []
    soften = (lambda found: found) if found is not None else _soften
    return CheckStep(
        tool,
        argv,
        tree,
        pyright.parse,
        variables={"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"},
        shown=lambda output: '"generalDiagnostics"' in output,
        soften=soften,
        unless_broken=True,
    )


def _soften(found: Diagnostic) -> Diagnostic:
    return replace(found, severity="warning") if found.code in _ABOUT_HERE else found


# ----------------------------------------------------------------------------------------------------------- settings


def _settings(
    root: Path, path: str, names: Sequence[str], keys: tuple[str, ...]
) -> _Settings | None:
    """Give a tool's settings in the project: of its own file or of pyproject.toml, from the unit up to the root."""
    found = _settings_at(root, path, names, keys)
    return found[1] if found is not None else None


def _settings_at(
    root: Path, path: str, names: Sequence[str], keys: tuple[str, ...]
) -> tuple[PurePosixPath, _Settings] | None:
    """Give the settings, {} where they are in a file that only the tool reads, and the folder they are in."""
    for parent in PurePosixPath(path).parents:
        folder = root / parent
        for name in names:
            if (folder / name).is_file():
                return parent, _read_own(folder / name)
        found: object = _read_toml(folder / "pyproject.toml")
        for key in keys:
            found = found.get(key) if isinstance(found, dict) else None
        if isinstance(found, dict):
            return parent, found
    return None


def _mypy_settings(root: Path, path: str) -> _Settings | None:
    settings = _settings(root, path, ("mypy.ini", ".mypy.ini"), ("tool", "mypy"))
    return settings if settings is not None else _in_setup_cfg(root)


def _pyright_settings(unit: CheckedFile) -> tuple[PurePosixPath, _Settings] | None:
    return _settings_at(unit.root, unit.path, ("pyrightconfig.json",), ("tool", "pyright"))


def _read_own(file: Path) -> _Settings:
    match file.suffix:
        case ".ini":
            return _read_ini(file)
        case ".json":
            return _read_json(file)
        case _:
            return {}


def _in_setup_cfg(root: Path) -> _Settings | None:
    found = _read_ini(root / "setup.cfg")
    return found or None


def _read_ini(file: Path) -> _Settings:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read(file, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError):
        # The tool itself says what is wrong with its file.
        return {}
    return dict(parser["mypy"]) if parser.has_section("mypy") else {}


def _read_json(file: Path) -> _Settings:
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        # With comments, or broken: pyright itself knows.
        return {}
    return found if isinstance(found, dict) else {}


def _read_toml(file: Path) -> _Settings:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return {}


def _project_python(root: Path) -> str | None:
    places = (root / ".venv/bin/python", root / "venv/bin/python")
    return next((str(place) for place in places if os.access(place, os.X_OK)), None)
