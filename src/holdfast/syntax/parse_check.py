"""The syntax gate: whether a text parses in its language. Parsing is computation, not I/O."""

from __future__ import annotations

from typing import Final

from holdfast.syntax.tree import MOST_CHARACTERS, parse_tree, parseable

_LANGUAGES: Final = {
    ".py": "python",
    ".pyi": "python",
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".c": "c",
    ".h": "c",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cxx": "cpp",
    ".hpp": "cpp",
    ".hh": "cpp",
    ".hxx": "cpp",
    ".rs": "rust",
    ".go": "go",
    ".java": "java",
    ".kt": "kotlin",
    ".cs": "csharp",
    ".rb": "ruby",
    ".php": "php",
    ".scala": "scala",
    ".swift": "swift",
    ".lua": "lua",
    ".css": "css",
    ".html": "html",
    ".json": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".sh": "bash",
    ".bash": "bash",
}


def language_of(path: str | None) -> str | None:
    """Return the language of the suffix of a path; None if there is no parser for it."""
    name = (path or "").rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    if not stem:
        return None
    return _LANGUAGES.get(dot + suffix.lower())


def parses(text: str, language: str) -> bool | None:
    """Return whether a text has no syntax error; None if it is too long to be parsed."""
    if len(text) > MOST_CHARACTERS:
        return None

    text = parseable(text)
    if not text.strip():
        return True

    # Not ast.parse for Python: on a syntax error CPython opens the file it thinks it reads,
    # and a pure package opens nothing.
    root = parse_tree(text, language)
    if root.find(kind="ERROR") is not None:
        return False

    # A token that the parser inserted (a missing bracket, an empty block) is a node without text.
    return root.find(regex="^$") is None


def breaks(before: str, after: str, path: str | None) -> str | None:
    """Return the language in which `before` parses and `after` does not; None otherwise."""
    language = language_of(path)
    if language is None:
        return None
    if parses(after, language) is not False:
        return None
    if not parses(before, language):
        return None

    return language
