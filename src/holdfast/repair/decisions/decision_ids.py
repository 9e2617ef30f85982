"""Ids of decisions and names of modules, made of hashes and paths, never of a model's words."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from typing import TYPE_CHECKING, Final

from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.diagnostics import Diagnostic

REASONING_LIMIT: Final = 512
_LONGEST: Final = 120
# Paths that need no hash: folders without a dot, then one file with a dot. Only these stay distinct
# when `/` becomes `.`.
_PLAIN = lazy_pattern(r"(?:[A-Za-z0-9_][A-Za-z0-9_-]*/)*[A-Za-z0-9_][A-Za-z0-9_-]*\.[A-Za-z0-9_]+")
_HASHED = lazy_pattern(r"-[0-9a-f]{12}$")
_JOINED = lazy_pattern("\u200d|.[\u200d\ufe0f\U0001f3fb-\U0001f3ff]", re.DOTALL)
_RECORD = lazy_pattern(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,176}")


def module_of(path: str) -> str:
    """Return the name of a path below the root in file names: unique, and plain.

    >>> module_of("src/shop/cart.py")
    'src.shop.cart.py'
    >>> module_of("../../etc/passwd")
    'etc.passwd-3754d6cb3a38'
    """
    named = path.replace("/", ".")
    is_plain = _PLAIN.fullmatch(path) is not None
    if is_plain and len(named) <= _LONGEST and not _HASHED.search(named):
        return named

    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    dotted = re.sub(r"[^A-Za-z0-9_]+", ".", path).strip(".")
    readable = dotted[-_LONGEST:].strip(".") or "unit"
    return f"{readable}-{digest}"


def is_record(name: str) -> bool:
    """Return whether this can be the name of a decision's file: one part that leaves no folder."""
    return _RECORD.fullmatch(name) is not None and ".." not in name


def decision_id(decision_type: str, request: str, model_id: str, result: str) -> str:
    """Return the id: the same decision has the same id on every machine, at any time."""
    parts = json.dumps([decision_type, request, model_id, result], ensure_ascii=True)
    return hashlib.sha256(parts.encode("ascii")).hexdigest()[:16]


def request_of(path: str, target: str, before_sha: str, diagnostics: Sequence[Diagnostic]) -> str:
    """Return a hash of the request: the unit, its text and its diagnostics."""
    messages = [[each.tool, each.code, each.message] for each in diagnostics]
    parts = json.dumps([path, target, before_sha, messages], ensure_ascii=True)
    return hashlib.sha256(parts.encode("ascii")).hexdigest()


def sha_of(data: bytes) -> str:
    """Return the SHA-256 of a file's bytes."""
    return hashlib.sha256(data).hexdigest()


def cut_reasoning(text: str) -> str:
    r"""Return at most 512 characters, cut between characters as people see them.

    >>> len(cut_reasoning("e\u0301" * 400)), cut_reasoning("short")
    (511, 'short')
    """
    # The manifest is UTF-8, which cannot encode half a surrogate pair.
    text = text.encode("utf-8", "replace").decode("utf-8")
    if len(text) <= REASONING_LIMIT:
        return text

    end = REASONING_LIMIT - 1
    while end > 0 and _continues(text, end):
        end -= 1

    return text[:end] + "…"


def _continues(text: str, at: int) -> bool:
    """Return whether the character at `at` belongs to the one before it.

    Such a character is an accent, a joiner or a skin tone, or comes after a joiner.
    """
    if unicodedata.combining(text[at]) > 0:
        return True
    return _JOINED.match(text, at - 1) is not None
