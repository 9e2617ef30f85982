"""The habits of the source that no linter knows: one name for one thing, folders of a readable size, reasons."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

SOURCE = Path(__file__).parents[1] / "src" / "holdfast"
MOST_FILES = 19
"""About fifteen; a folder of commands or tools, one in a file, may have a few more."""
WITH_REASON = re.compile(r"# noqa: [A-Z0-9, ]+ - \S")


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def public_names(module: Path) -> set[str]:
    """Return the classes and type aliases that a module defines."""
    names = set()
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            annotation = ast.unparse(node.annotation)
            if annotation == "TypeAlias":
                names.add(node.target.id)
    return {name for name in names if not name.startswith("_")}


def test_each_public_name_is_defined_in_one_module() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for module in modules():
        for name in public_names(module):
            places[name].append(str(module.relative_to(SOURCE)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_folder_has_too_many_modules() -> None:
    counts: dict[str, int] = defaultdict(int)
    for module in modules():
        if module.name != "__init__.py":
            counts[str(module.parent.relative_to(SOURCE))] += 1
    assert {folder: count for folder, count in counts.items() if count > MOST_FILES} == {}


def test_each_silenced_rule_has_its_reason() -> None:
    without = []
    for module in modules():
        for number, line in enumerate(module.read_text(encoding="utf-8").split("\n"), 1):
            silenced = "  # noqa" in line and ">>>" not in line
            if silenced and not WITH_REASON.search(line):
                without.append(f"{module.relative_to(SOURCE)}:{number}")
    assert without == []


@pytest.mark.slow  # a process that loads everything
def test_every_module_can_be_imported() -> None:
    names = [
        ".".join(module.relative_to(SOURCE.parent).with_suffix("").parts)
        for module in modules()
        if module.stem not in {"__main__", "__init__"}
    ]
    code = "import importlib, sys\nfor name in sys.argv[1:]:\n    importlib.import_module(name)\n"
    subprocess.run([sys.executable, "-W", "error", "-c", code, *names], check=True)


PRINTS = {"print", "typer.echo", "typer.secho", "click.echo", "sys.stdout.write"}
PRINTS_RAW = {
    "cli/render/text.py": "makes text harmless",
    "cli/safe_stdout.py": "an error of the system",
    "cli/worktree.py": "a path that a script reads",
    "cli/server/serve.py": "an address that a script reads",
    "cli/approvals/terminal_asker.py": "a prompt of ours",
    "cli/render/turn.py": "JSON and a newline",
    "cli/sessions/export.py": "a document, harmless where it goes to a terminal",
    "cli/app.py": "the version",
    "cli/events.py": "JSON, or a line that `event_line` has made harmless",
    "cli/demo/__init__.py": "texts of the demo",
    "cli/demo/harness.py": "texts of the demo",
    "cli/render/repair.py": "numbers, and the cursor of the progress",
}
"""The modules of the command line that print what is no constant, and why."""


def is_harmless(printed: ast.expr) -> bool:
    """Return whether what is printed is constant, JSON, or was made harmless for a terminal."""
    if isinstance(printed, ast.Constant):
        return True
    return isinstance(printed, ast.Call) and ast.unparse(printed.func) in {"json.dumps", "plain"}


def test_the_command_line_prints_text_through_the_function_that_makes_it_harmless() -> None:
    raw: set[str] = set()
    for module in sorted((SOURCE / "cli").rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or ast.unparse(node.func) not in PRINTS:
                continue
            if not all(map(is_harmless, node.args)):
                raw.add(str(module.relative_to(SOURCE)))

    assert raw == set(PRINTS_RAW)
