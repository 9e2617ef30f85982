"""What can be seen of a project at first sight: its files, its guide for agents, how it is checked."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from holdfast.changes.ports import FileFound
from holdfast.landing.encoding import decode
from holdfast.tools.ports import Regular
from holdfast.tools.prompt.system_prompt import Repository

if TYPE_CHECKING:
    from holdfast.changes.ports import Files
    from holdfast.tools.ports import Directories

_GUIDES = ("AGENTS.md", "CLAUDE.md")
_LARGEST = 100_000


def look_over(files: Files, folders: Directories) -> Repository:
    """Look at a project; what is not there, or cannot be read, is not told."""
    guide = next(((name, text) for name in _GUIDES if (text := _text(name, files, folders))), None)
    return Repository(
        folders.names("").paths,
        guide[1] if guide else None,
        guide[0] if guide else _GUIDES[0],
        _check(files, folders),
    )


def _check(files: Files, folders: Directories) -> str | None:
    """Guess the command that checks the project, from the files in which projects say so."""
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
    try:
        package = json.loads(text or "null")
    except (json.JSONDecodeError, RecursionError):
        return False
    scripts = package.get("scripts") if isinstance(package, dict) else None
    return (
        isinstance(scripts, dict)
        and isinstance(scripts.get("test"), str)
        and "no test specified" not in scripts["test"]
    )


def _text(name: str, files: Files, folders: Directories) -> str | None:
    place = folders.place(name)
    if not isinstance(place, Regular) or place.size > _LARGEST:
        return None
    looked = files.look(name)
    if not isinstance(looked, FileFound):
        return None
    decoded = decode(looked.data)
    return None if decoded.binary else decoded.text
