"""The rules a model is given, and a short overview of the repository. The same input gives the same bytes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.tools.text_limits import clean, count

if TYPE_CHECKING:
    from holdfast.tools.prompt.tool_profiles import Profile

_CHARACTERS_A_TOKEN = 4
"""A careful guess: code has fewer to a token than prose."""
_SECTION = re.compile(r"^# ", re.MULTILINE)
_LANGUAGES = {
    ".c": "C",
    ".h": "C",
    ".cc": "C++",
    ".cpp": "C++",
    ".hpp": "C++",
    ".cs": "C#",
    ".css": "CSS",
    ".dart": "Dart",
    ".ex": "Elixir",
    ".exs": "Elixir",
    ".go": "Go",
    ".html": "HTML",
    ".java": "Java",
    ".js": "JavaScript",
    ".jsx": "JavaScript",
    ".mjs": "JavaScript",
    ".kt": "Kotlin",
    ".lua": "Lua",
    ".php": "PHP",
    ".py": "Python",
    ".rb": "Ruby",
    ".rs": "Rust",
    ".scala": "Scala",
    ".sh": "Shell",
    ".sql": "SQL",
    ".swift": "Swift",
    ".ts": "TypeScript",
    ".tsx": "TypeScript",
    ".vue": "Vue",
    ".zig": "Zig",
}


@dataclass(frozen=True, slots=True)
class Repository:
    """What is known of a project. `guide` is the text of the file `guide_name` (AGENTS.md, or CLAUDE.md)."""

    files: tuple[str, ...]
    guide: str | None = None
    guide_name: str = "AGENTS.md"
    check: str | None = None


def system_prompt(tools: Collection[str], profile: Profile) -> str:
    """Give the rules, with those sections only that are about tools the model has."""
    text = (Path(__file__).parent / "system_prompt.md").read_text("utf-8")
    head, *rest = _SECTION.split(text)
    wanted = {
        "Rules": True,
        "Editing": "edit_file" in tools,
        "JSON": profile.json and "apply_edits" in tools,
        "Patch rules": "write_patch" in tools,
        "Plan": "edit_file" not in tools,
    }
    sections = [f"# {section}" for section in rest if wanted[section.partition("\n")[0]]]
    return "".join([head, *sections]).strip() + "\n"


def overview(repository: Repository, tokens: int = 1_500) -> str:
    """Describe the project within so many tokens: languages, check, the guide (half of the room at most), the tree."""
    room = tokens * _CHARACTERS_A_TOKEN
    lines = [
        f"The project has {count(len(repository.files), 'file')}. {_languages(repository.files)}".rstrip()
    ]
    if repository.check:
        lines.append(f"To check it: `{repository.check}`.")
    head = "\n".join(lines)
    guide = _guide(repository, room // 2)
    tree = _tree(repository.files, room - len(head) - len(guide) - 20)
    return clean(
        "\n\n".join(part for part in (head, guide, tree and f"Files:\n{tree}") if part)[:room]
    )


def _languages(files: Sequence[str]) -> str:
    suffixes = (f".{path.rpartition('.')[2]}" for path in files if "." in path.rpartition("/")[2])
    counted = Counter(_LANGUAGES[suffix] for suffix in suffixes if suffix in _LANGUAGES)
    most = sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:4]
    return f"Languages: {', '.join(f'{name} ({number})' for name, number in most)}." if most else ""


def _guide(repository: Repository, room: int) -> str:
    if not repository.guide or not repository.guide.strip():
        return ""
    text = f"{repository.guide_name}:\n{repository.guide.strip()}"
    if len(text) <= room:
        return text
    return f"{text[:room].rpartition(chr(10))[0]}\n(more in {repository.guide_name})"


def _tree(files: Sequence[str], room: int) -> str:
    """Give the deepest tree that fits; below its depth directories are shown with how much is in them."""
    best = ""
    for depth in range(1, 9):
        tree = "\n".join(_cut(files, depth))
        if len(tree) > room:
            break
        best, before = tree, best
        if tree == before:
            break
    return best or _first(_cut(files, 1), room)


def _cut(files: Sequence[str], depth: int) -> list[str]:
    shown: list[str] = []
    below: Counter[str] = Counter()
    for path in files:
        parts = path.split("/")
        if len(parts) <= depth:
            shown.append(path)
        else:
            below["/".join(parts[:depth])] += 1
    return sorted(
        shown + [f"{directory}/ ({count(number, 'file')})" for directory, number in below.items()]
    )


def _first(lines: Sequence[str], room: int) -> str:
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, f"({len(lines) - len(kept)} more)"]) if kept else ""
