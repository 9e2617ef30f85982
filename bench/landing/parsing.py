"""Would a parser still read the file? A landing by similarity that breaks the syntax may rightly be refused."""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache
from typing import Final

from ast_grep_py import SgRoot

PARSED: Final = frozenset(
    {"python", "javascript", "typescript", "go", "rust", "java", "c", "css", "html", "json", "yaml"}
)


def breaks_syntax(lang: str, before: str, after: str) -> bool:
    """Whether the file could be parsed before and cannot after."""
    return lang in PARSED and not _parses(lang, after) and _parses(lang, before)


@lru_cache(maxsize=64)
def _parses(lang: str, text: str) -> bool:
    if lang == "python":
        return _python_parses(text)
    root = SgRoot(text, lang).root()
    return root.kind() != "ERROR" and root.find(kind="ERROR") is None


def _python_parses(text: str) -> bool:
    """Python's own parser also sees a body that is missing or indented wrongly."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            return False
    return True
