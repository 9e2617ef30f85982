"""The syntax gate: whether a text parses in its language. Parsing is computation, not I/O."""

from __future__ import annotations

from typing import Final

_LIMIT: Final = 1_000_000
_LANGUAGES: Final = {
    "py": "python",
    "pyi": "python",
    "js": "javascript",
    "jsx": "javascript",
    "mjs": "javascript",
    "cjs": "javascript",
    "ts": "typescript",
    "mts": "typescript",
    "cts": "typescript",
    "tsx": "tsx",
    "c": "c",
    "h": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "cxx": "cpp",
    "hpp": "cpp",
    "hh": "cpp",
    "rs": "rust",
    "go": "go",
    "java": "java",
    "kt": "kotlin",
    "cs": "csharp",
    "rb": "ruby",
    "php": "php",
    "scala": "scala",
    "swift": "swift",
    "lua": "lua",
    "css": "css",
    "html": "html",
    "json": "json",
    "yaml": "yaml",
    "yml": "yaml",
    "sh": "bash",
    "bash": "bash",
}


def language_of(path: str | None) -> str | None:
    """The language that the file's name tells, if we have a parser for it."""
    name = (path or "").rpartition("/")[2]
    return _LANGUAGES.get(name.rpartition(".")[2].lower()) if "." in name else None


def parses(text: str, language: str) -> bool | None:
    """Whether the text has no syntax error; None where it was not looked at."""
    if len(text) > _LIMIT:
        return None
    text = text.removeprefix("\ufeff").encode("utf-8", "replace").decode()
    if not text.strip():
        return True
    from ast_grep_py import SgRoot  # noqa: PLC0415 - a megabyte of grammars: loaded with the first path

    # Not ast.parse for Python: on a syntax error CPython opens the file it thinks it reads, and engines open nothing.
    root = SgRoot(text, language).root()
    # A token the parser had to make up (a missing bracket, an empty block) is a node without text.
    return root.find(kind="ERROR") is None and root.find(regex="^$") is None


def breaks(before: str, after: str, path: str | None) -> str | None:
    """The language in which `before` parsed and `after` does not; None where nothing broke, or nobody can tell."""
    language = language_of(path)
    if language is None or parses(after, language) is not False:
        return None
    return language if parses(before, language) else None
