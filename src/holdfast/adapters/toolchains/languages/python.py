"""Python: `compile()` by the project's own Python, ruff and a type checker if installed."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from holdfast.adapters.plain_file import read_plain
from holdfast.adapters.toolchains.check_step import (
    BatchForm,
    CheckedFile,
    CheckStep,
    MissingStep,
)
from holdfast.adapters.toolchains.installed_tool import NOT_TRUSTED, InstalledTool, ToolProgram
from holdfast.adapters.toolchains.toml_file import read_toml
from holdfast.repair.diagnostics import mypy, pyright, python_compile, ruff
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from holdfast.vocab.diagnostics import Diagnostic

_Settings: TypeAlias = dict[str, object]

PYTHON = ToolProgram("python3", "Install Python 3.")
RUFF = ToolProgram("ruff", "Install it with: pip install ruff", is_whole=True)
MYPY = ToolProgram("mypy", "Install it with: pip install mypy")
PYRIGHT = ToolProgram(
    "pyright", "Install it with: npm install --save-dev pyright, or: pip install pyright"
)

# Plugins are code, `python_executable` is a program, missing stubs are installed with pip, and the
# others write files wherever they say.
_MYPY_CODE = frozenset(
    {"plugins", "python_executable", "install_types", "non_interactive", "junit_xml"}
)
# Of a file that mypy reads and we do not: it may name any.
_UNKNOWN: _Settings = {"plugins": "in a file that cannot be read"}
_PYRIGHT_CODE = frozenset({"venv", "venvPath", "pythonPath", "extends"})
_CHILD = Path(__file__).with_name("python_child.py")
# Without settings for ruff: broken code only, no matters of style. Comparisons with literals,
# invalid `%` and `raise`, misplaced `return` and `break`, undefined names.
_BROKEN = "E9,F50,F63,F7,F82,F901"
_RUFF_KNOWS = 13
"""The last Python 3 that every supported ruff knows."""
# A package that is not installed here is no error of the code if the project has no settings for
# the type checker.
_NOT_INSTALLED = frozenset(
    {"import-not-found", "import-untyped", "reportMissingImports", "reportMissingModuleSource"}
)


def plan(unit: CheckedFile) -> Sequence[CheckStep | MissingStep]:
    """Compile; then check types with mypy or pyright if the file compiles; then run ruff."""
    return _plan(unit, types=True)


def plan_as_configured(unit: CheckedFile) -> Sequence[CheckStep | MissingStep]:
    """Compile and run ruff; check types only if the project has settings for a type checker."""
    has_mypy = find_mypy_config(unit.root, unit.path) is not None
    has_pyright = _pyright_settings(unit) is not None
    return _plan(unit, types=has_mypy or has_pyright)


def _plan(unit: CheckedFile, *, types: bool) -> Sequence[CheckStep | MissingStep]:
    compiled = _compile_step(unit, unit.find_tool(PYTHON))
    steps: list[CheckStep | MissingStep] = [compiled]
    if types:
        steps += _types_steps(unit)

    # Last: an undefined name is no reason to skip the type checker.
    if _is_utf8(unit.text):
        found = unit.find_tool(RUFF)
        if found is not None:
            steps.append(_ruff_step(unit, found, compiled.tool.version))
        elif _ruff_settings(unit) is not None:
            steps.append(MissingStep(RUFF, unit.explain_missing(RUFF)))

    return steps


def _types_steps(unit: CheckedFile) -> list[CheckStep | MissingStep]:
    """Return the step of the first installed type checker; pyright is first if it has settings.

    A checker that the project has settings for is not replaced by one without.
    """
    checkers = [(_mypy_step, MYPY), (_pyright_step, PYRIGHT)]
    if _pyright_settings(unit) is not None:
        checkers.reverse()

    configured = _configured_checkers(unit)
    for make_step, tool in checkers:
        if configured and tool not in configured:
            continue
        if not unit.own_code and _loads_code(tool, unit):
            return [MissingStep(tool, NOT_TRUSTED)]
        found = unit.find_tool(tool)
        if found is not None:
            return [make_step(unit, found)]

    return [MissingStep(tool, unit.explain_missing(tool)) for tool in configured]


def _configured_checkers(unit: CheckedFile) -> list[ToolProgram]:
    """Return the type checkers that the project has settings for."""
    configured: list[ToolProgram] = []
    if find_mypy_config(unit.root, unit.path) is not None:
        configured.append(MYPY)
    if _pyright_settings(unit) is not None:
        configured.append(PYRIGHT)
    return configured


def _is_utf8(text: bytes) -> bool:
    """Return whether ruff can read the text: it knows no other encoding."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _compile_step(unit: CheckedFile, python: InstalledTool | None) -> CheckStep:
    if python is None:
        version = ".".join(map(str, sys.version_info[:3]))
        python = InstalledTool(PYTHON, sys.executable, version)

    argv = [python.program, "-I", "-S", "-B", str(_CHILD)]
    titled = replace(python, tool=replace(python.tool, name="python"))
    return CheckStep(
        tool=titled,
        argv=[*argv, unit.path],
        cwd="/",
        parse=python_compile.parse,
        stdin=unit.text,
        is_complete=lambda output: '{"done": true}' in output,
        reads="settings",
        batch=BatchForm(tuple(argv), str(unit.root)),
    )


def _ruff_step(unit: CheckedFile, tool: InstalledTool, python: str) -> CheckStep:
    settings = _ruff_settings(unit)
    # Through stdin ruff applies the project's settings to the file, and nothing is written.
    argv = [tool.program, "check", "--quiet", "--no-cache", "--output-format=json"]
    if settings is None:
        argv += ["--isolated", f"--select={_BROKEN}", *_ruff_target(python)]

    return CheckStep(
        tool=tool,
        argv=[*argv, "--stdin-filename", unit.path, "-"],
        cwd=str(unit.root),
        parse=ruff.parse,
        stdin=unit.text,
        is_complete=lambda output: output.lstrip().startswith("["),
        reads="settings",
        batch=BatchForm((*argv, "--"), str(unit.root)),
    )


def _ruff_target(version: str) -> list[str]:
    """Return the option for the Python version: ruff's default may reject newer syntax."""
    if version == "unknown":
        return []
    numbers = [int(number) for number in version.split(".")[:2]]
    if len(numbers) < 2 or numbers < [3, 7]:
        return []
    return [f"--target-version=py3{min(numbers[1], _RUFF_KNOWS)}"]


def _mypy_step(unit: CheckedFile, tool: InstalledTool) -> CheckStep:
    config = find_mypy_config(unit.root, unit.path)
    argv = [
        tool.program,
        "--output=json",
        "--show-error-end",
        "--no-error-summary",
        "--no-color-output",
    ]
    if tool.version.startswith("2."):
        # The new parser of version 2 has wrong columns in lines with characters beyond ASCII.
        argv.append("--no-native-parser")

    # The same file that was judged. Without it mypy would look for one itself, elsewhere.
    argv.append(f"--config-file={config.file if config else ''}")
    python = None
    if unit.own_code:
        python = project_python(unit.root)

    if python is not None:
        argv += ["--python-executable", python]

    if unit.mode == "file":
        argv.append("--follow-imports=silent")

    cwd, options = _mypy_place(unit)
    checks_all_files = False
    if config is not None and unit.mode == "project":
        checks_all_files = "files" in config.settings

    batch = None
    if cwd == str(unit.root) and not checks_all_files:
        # A cache of its own: mypy would take a text of the same length for the one in its cache.
        own_cache = unit.scratch.tool_folder("mypy-batch")
        batch = BatchForm((*argv, "--cache-dir", own_cache, "--"), cwd)

    argv += ["--cache-dir", unit.scratch.tool_folder("mypy"), *options, "--"]
    if not checks_all_files:
        argv.append(unit.path)

    adjust = _accept_missing_packages
    if config is not None and not _lacks_packages(unit):
        adjust = _unchanged

    return CheckStep(tool, argv, cwd, mypy.parse, adjust=adjust, skip_if_broken=True, batch=batch)


def _mypy_place(unit: CheckedFile) -> tuple[str, list[str]]:
    """Return where mypy runs, and the options that replace the file's text by the unit's."""
    text = unit.scratch.with_unique_length(unit.text)
    copy = unit.scratch.single_file(unit.path, text)
    if (unit.root / unit.path).is_file():
        return str(unit.root), ["--shadow-file", unit.path, copy]
    # A file that does not exist yet cannot have a shadow.
    return unit.scratch.farm(unit.path, text), []


def _pyright_step(unit: CheckedFile, tool: InstalledTool) -> CheckStep:
    tree = unit.scratch.mirror(unit.path, unit.text)
    folder, settings = PurePosixPath(), _Settings()
    adjust = _accept_missing_packages
    found = _pyright_settings(unit)
    if found is not None:
        folder, settings = found
        if not _lacks_packages(unit):
            adjust = _unchanged

    # With `--project` pyright looks for no settings above the copy, and a named file is checked by
    # these settings all the same.
    argv = [tool.program, "--outputjson", "--project", str(folder)]
    python = project_python(unit.root)
    if not unit.own_code:
        # Otherwise pyright starts the Python that it finds, to ask for its packages.
        python = _python_outside(unit)

    if python is not None and not settings.keys() & {"venv", "venvPath"}:
        argv += ["--pythonpath", python]

    if unit.mode == "file":
        argv.append(unit.path)

    return CheckStep(
        tool=tool,
        argv=argv,
        cwd=tree,
        parse=pyright.parse,
        variables={"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"},
        is_complete=lambda output: '"generalDiagnostics"' in output,
        adjust=adjust,
        skip_if_broken=True,
    )


def _unchanged(found: Diagnostic) -> Diagnostic:
    return found


def _accept_missing_packages(found: Diagnostic) -> Diagnostic:
    """Make an error about a package that is not installed a warning."""
    if found.code in _NOT_INSTALLED:
        return replace(found, severity="warning")
    return found


# ----------------------------------------------------------------------------------------- settings


def _settings(
    root: Path, path: str, names: Sequence[str], keys: tuple[str, ...]
) -> _Settings | None:
    """Return a tool's settings, of its own file or pyproject.toml, from the unit up to the root."""
    found = _settings_at(root, path, names, keys)
    if found is None:
        return None
    return found[1]


def _settings_at(
    root: Path, path: str, names: Sequence[str], keys: tuple[str, ...]
) -> tuple[PurePosixPath, _Settings] | None:
    """Return the folder of the settings and the settings; {} if only the tool reads their file."""
    for parent in PurePosixPath(path).parents:
        folder = root / parent
        for name in names:
            if (folder / name).is_file():
                return parent, _read_own(folder / name)
        table = _table(read_toml(folder / "pyproject.toml"), keys)
        if table is not None:
            return parent, table

    return None


def _table(settings: object, keys: tuple[str, ...]) -> _Settings | None:
    """Return the nested table with these keys; None if there is none."""
    for key in keys:
        if not isinstance(settings, dict):
            return None
        settings = settings.get(key)

    if not isinstance(settings, dict):
        return None

    return settings


def _ruff_settings(unit: CheckedFile) -> _Settings | None:
    return _settings(unit.root, unit.path, ("ruff.toml", ".ruff.toml"), ("tool", "ruff"))


@dataclass(frozen=True, slots=True)
class ToolConfig:
    """The settings of a tool, and their file from the root."""

    file: PurePosixPath
    settings: Mapping[str, object]

    def choose(self, is_code: Callable[[str], bool]) -> str:
        """Return the settings that load code, one a line; "" if there are none."""
        names = sorted(filter(is_code, self.settings))
        return "".join(f"{name} = {self.settings[name]}\n" for name in names)


def find_mypy_config(root: Path, path: str) -> ToolConfig | None:
    """Return the nearest settings of mypy, from the unit up to the root, in mypy's own order."""
    for folder in PurePosixPath(path).parents:
        for name in ("mypy.ini", ".mypy.ini"):
            if (root / folder / name).is_file():
                settings = _read_ini(root / folder / name)
                return ToolConfig(folder / name, _UNKNOWN if settings is None else settings)
        table = _table(read_toml(root / folder / "pyproject.toml"), ("tool", "mypy"))
        if table is not None:
            return ToolConfig(folder / "pyproject.toml", table)
        section = _read_ini(root / folder / "setup.cfg")
        if section:
            return ToolConfig(folder / "setup.cfg", section)

    return None


def mypy_code(config: ToolConfig) -> str:
    """Return the settings that make mypy run or write something; "" if there are none."""
    return config.choose(_is_mypy_code)


def mypy_plugins(root: Path, config: ToolConfig) -> Iterator[str]:
    """Yield the plugins that mypy loads: the path from the root, or the name of a module."""
    plugins = config.settings.get("plugins", ())
    if isinstance(plugins, str):
        plugins = re.split(r"[,\n]", plugins)

    if not isinstance(plugins, list | tuple):
        return

    for plugin in plugins:
        # `module:function` names the function that mypy calls.
        name = str(plugin).strip().partition(":")[0]
        if name.endswith(".py"):
            yield os.path.normpath(config.file.parent / name)
        elif name:
            module = name.replace(".", "/")
            packages = (f"{module}.py", f"{module}/__init__.py")
            yield next((each for each in packages if (root / each).is_file()), name)


def _is_mypy_code(name: str) -> bool:
    plain = name.lower().replace("-", "_")
    return plain in _MYPY_CODE or plain.endswith("_report")


def find_pyright_config(root: Path, path: str) -> ToolConfig | None:
    """Return the nearest settings of pyright, from the unit up to the root."""
    found = _settings_at(root, path, ("pyrightconfig.json",), ("tool", "pyright"))
    if found is None:
        return None

    folder, settings = found
    file = folder / "pyrightconfig.json"
    if not (root / file).is_file():
        file = folder / "pyproject.toml"

    return ToolConfig(file, settings)


def pyright_code(config: ToolConfig) -> str:
    """Return the settings that make pyright start a Python; "" if there are none."""
    if not config.settings and config.file.name == "pyrightconfig.json":
        return "settings that only pyright can read\n"
    return config.choose(_PYRIGHT_CODE.__contains__)


def _loads_code(tool: ToolProgram, unit: CheckedFile) -> bool:
    """Return whether the settings of a type checker make it run code."""
    if tool == MYPY:
        config = find_mypy_config(unit.root, unit.path)
        return config is not None and mypy_code(config) != ""
    config = find_pyright_config(unit.root, unit.path)
    return config is not None and pyright_code(config) != ""


def _lacks_packages(unit: CheckedFile) -> bool:
    """Return whether the project has packages that may not be used."""
    return not unit.own_code and project_python(unit.root) is not None


def _python_outside(unit: CheckedFile) -> str:
    found = unit.find_tool(PYTHON)
    if found is None:
        return sys.executable
    return found.program


def _pyright_settings(unit: CheckedFile) -> tuple[PurePosixPath, _Settings] | None:
    return _settings_at(unit.root, unit.path, ("pyrightconfig.json",), ("tool", "pyright"))


def _read_own(file: Path) -> _Settings:
    match file.suffix:
        case ".ini":
            return _read_ini(file) or {}
        case ".json":
            return _read_json(file)
        case _:
            return {}


def _read_ini(file: Path) -> _Settings | None:
    """Return the settings of mypy in a file; None if it cannot be read."""
    try:
        data = read_plain(file)
    except OSError:
        return None

    # Most projects have no such file.
    import configparser  # noqa: PLC0415 - see above

    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(data.decode("utf-8"))
    except (configparser.Error, UnicodeDecodeError):
        # The tool itself reports the problem.
        return {}

    if not parser.has_section("mypy"):
        return {}

    return dict(parser["mypy"])


def _read_json(file: Path) -> _Settings:
    try:
        found = json.loads(read_plain(file).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        # With comments, or broken: pyright itself reports the problem.
        return {}

    if isinstance(found, dict):
        return found

    return {}


def project_python(root: Path) -> str | None:
    """Return the Python of the project's virtual environment; None if it has none."""
    for place in (root / ".venv/bin/python", root / "venv/bin/python"):
        if os.access(place, os.X_OK):
            return str(place)
    return None
