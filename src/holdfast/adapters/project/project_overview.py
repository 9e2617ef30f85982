"""The overview of a project: its files, its guide for agents, and the command that checks it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from holdfast.adapters.project.secret_files import is_secret_file
from holdfast.changes.ports import FileFound
from holdfast.guards.tokens import remove_tokens
from holdfast.landing.encoding import decode
from holdfast.tools.ports import Regular
from holdfast.tools.prompt.system_prompt import ProjectFacts

if TYPE_CHECKING:
    from holdfast.adapters.filesystem.disk_files import DiskFiles
    from holdfast.tools.ports import Directories

_GUIDES = ("AGENTS.md", "CLAUDE.md")
_SIZE_LIMIT = 100_000


def look_over(files: DiskFiles, folders: Directories) -> ProjectFacts:
    """Return the overview of a project; what is missing or cannot be read is left out."""
    paths = folders.names("").paths
    check = _check_command(files, folders)
    for name in _GUIDES:
        guide = _text(name, files, folders)
        if guide:
            return ProjectFacts(paths, guide, name, check)

    return ProjectFacts(paths, None, _GUIDES[0], check)


def _check_command(files: DiskFiles, folders: Directories) -> str | None:
    """Return the command that probably checks the project, from its build files, or None."""
    makefile = _text("Makefile", files, folders) or ""
    for target in ("check", "test"):
        if re.search(rf"^{target}\s*:", makefile, re.MULTILINE):
            return f"make {target}"

    if _has_test_script(_text("package.json", files, folders)):
        return "npm test"
    if _text("Cargo.toml", files, folders):
        return "cargo test"
    if _text("go.mod", files, folders):
        return "go test ./..."

    pyproject = _text("pyproject.toml", files, folders) or ""
    if "[tool.pytest" in pyproject or _text("pytest.ini", files, folders) is not None:
        return "python -m pytest"

    return None


def _has_test_script(text: str | None) -> bool:
    """Return whether a package.json has a test script that is not npm's placeholder."""
    try:
        package = json.loads(text or "null")
    except (json.JSONDecodeError, RecursionError):
        return False

    if not isinstance(package, dict):
        return False

    scripts = package.get("scripts")
    if not isinstance(scripts, dict):
        return False

    test = scripts.get("test")
    return isinstance(test, str) and "no test specified" not in test


def _text(name: str, files: DiskFiles, folders: Directories) -> str | None:
    place = folders.place(name)
    if not isinstance(place, Regular) or place.size > _SIZE_LIMIT:
        return None

    looked = files.look(name)
    if not isinstance(looked, FileFound):
        return None
    if is_secret_file(str(files.root), name, looked.at):
        # Nobody was asked about a file with secrets that has the name of a guide.
        return None

    decoded = decode(looked.data)
    if decoded.binary:
        return None

    return remove_tokens(decoded.text)
