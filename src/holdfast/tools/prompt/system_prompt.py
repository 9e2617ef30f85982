"""The system prompt, and a short overview of the repository. Equal input yields equal bytes."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.guards.tokens import remove_tokens
from holdfast.tools.text_limits import clean, count
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from holdfast.tools.prompt.tool_profiles import Profile

_CHARACTERS_A_TOKEN = 4
"""A careful estimate: code has fewer characters to a token than prose."""
_SECTION = lazy_pattern(r"^# ", re.MULTILINE)
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
class ProjectFacts:
    """Facts about a project. `guide` is the text of `guide_name` (AGENTS.md or CLAUDE.md)."""

    files: tuple[str, ...]
    guide: str | None = None
    guide_name: str = "AGENTS.md"
    check: str | None = None


def system_prompt(tools: Collection[str], profile: Profile) -> str:
    """Return the rules, without sections about tools that the model does not have."""
    text = (Path(__file__).parent / "prompt.md").read_text("utf-8")
    head, *rest = _SECTION.split(text)
    wanted = {
        "Rules": True,
        "Editing": "edit_file" in tools,
        "JSON": profile.json and "apply_edits" in tools,
        "Patch rules": "write_patch" in tools,
        "Plan": "edit_file" not in tools,
    }
    prompt = head
    for section in rest:
        title, _, _ = section.partition("\n")
        if wanted[title]:
            prompt += f"# {section}"

    return prompt.strip() + "\n"


def overview(facts: ProjectFacts, tokens: int = 1_500) -> str:
    """Describe the project within a number of tokens.

    The parts are languages, check, guide (at most half of the characters) and files.
    """
    room = tokens * _CHARACTERS_A_TOKEN
    files = facts.files
    head = f"The project has {count(len(files), 'file')}. {_languages(files)}".rstrip()
    if facts.check:
        head += f"\nTo check it: `{facts.check}`."

    guide = _guide(facts, room // 2)
    tree = _tree(files, room - len(head) - len(guide) - 20)
    parts = [head]
    if guide:
        parts.append(guide)

    if tree:
        parts.append(f"Files:\n{tree}")

    # Names of files may be tokens, too. They are removed before the text is cut.
    text = remove_tokens(clean("\n\n".join(parts)))
    return text[:room]


def _languages(files: Sequence[str]) -> str:
    """Return a sentence with the four languages that have the most files."""
    counted: Counter[str] = Counter()
    for path in files:
        _, _, name = path.rpartition("/")
        _, dot, suffix = name.rpartition(".")
        language = _LANGUAGES.get(dot + suffix)
        if language is not None:
            counted[language] += 1

    if not counted:
        return ""

    most = sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:4]
    listed = ", ".join(f"{language} ({number})" for language, number in most)
    return f"Languages: {listed}."


def _guide(facts: ProjectFacts, room: int) -> str:
    guide = (facts.guide or "").strip()
    if not guide:
        return ""

    text = f"{facts.guide_name}:\n{guide}"
    if len(text) <= room:
        return text

    whole_lines, _, _ = text[:room].rpartition("\n")
    return f"{whole_lines}\n(more in {facts.guide_name})"


def _tree(files: Sequence[str], room: int) -> str:
    """Return the deepest tree that fits; deeper directories are shown with their file count."""
    best = ""
    for depth in range(1, 9):
        tree = "\n".join(_tree_lines(files, depth))
        if len(tree) > room:
            break
        if tree == best:
            break
        best = tree

    return best or _first_lines(_tree_lines(files, 1), room)


def _tree_lines(files: Sequence[str], depth: int) -> list[str]:
    lines: list[str] = []
    below: Counter[str] = Counter()
    for path in files:
        parts = path.split("/")
        if len(parts) <= depth:
            lines.append(path)
        else:
            below["/".join(parts[:depth])] += 1

    for directory, number in below.items():
        lines.append(f"{directory}/ ({count(number, 'file')})")

    return sorted(lines)


def _first_lines(lines: Sequence[str], room: int) -> str:
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)

    if not kept:
        return ""

    return "\n".join([*kept, f"({len(lines) - len(kept)} more)"])
