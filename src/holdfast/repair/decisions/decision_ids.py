"""Names of decisions and of modules: ours, made of hashes and paths, never of what a model wrote."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from holdfast.vocab.diagnostics import Diagnostic

REASONING_LIMIT: Final = 512
_LONGEST: Final = 120
# Read without a hash at the end: directories without a dot, then one file with one. Only then is `.` for `/` no loss.
_PLAIN = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_-]*/)*[A-Za-z0-9_][A-Za-z0-9_-]*\.[A-Za-z0-9_]+")
_HASHED = re.compile(r"-[0-9a-f]{12}$")
_MODULE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,159}")


def module_of(path: str) -> str:
    """Give the manifest's name for a path below the root: no two paths share one, and none is more than a name.

    >>> module_of("src/shop/cart.py")
    'src.shop.cart.py'
    >>> module_of("../../etc/passwd")
    'etc.passwd-3754d6cb3a38'
    """
    named = path.replace("/", ".")
    if _PLAIN.fullmatch(path) and len(named) <= _LONGEST and not _HASHED.search(named):
        return named
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    readable = re.sub(r"[^A-Za-z0-9_]+", ".", path).strip(".")[-_LONGEST:].strip(".")
    return f"{readable or 'unit'}-{digest}"


def is_module(name: str) -> bool:
    """Whether this is a name as `module_of` gives it: one plain word of a path, with no way out of a directory."""
    return _MODULE.fullmatch(name) is not None and ".." not in name


def decision_id(decision_type: str, request: str, model_id: str, result: str) -> str:
    """Give the id: the same decision has the same one on every machine, whenever it was made."""
    words = json.dumps([decision_type, request, model_id, result], ensure_ascii=True)
    return hashlib.sha256(words.encode("ascii")).hexdigest()[:16]


def request_of(path: str, target: str, before_sha: str, diagnostics: Sequence[Diagnostic]) -> str:
    """Give a hash of what was asked: which text of which unit, and what its check said."""
    said = [[each.tool, each.code, each.message] for each in diagnostics]
    words = json.dumps([path, target, before_sha, said], ensure_ascii=True)
    return hashlib.sha256(words.encode("ascii")).hexdigest()


def sha_of(data: bytes) -> str:
    """Give the SHA-256 of a file's bytes."""
    return hashlib.sha256(data).hexdigest()


def cut_reasoning(text: str) -> str:
    r"""Give at most 512 characters, cut between characters as people see them.

    >>> len(cut_reasoning("e\u0301" * 400)), cut_reasoning("short")
    (511, 'short')
    """
    # Half a surrogate pair would not be UTF-8, in which the manifest is written.
    text = text.encode("utf-8", "replace").decode("utf-8")
    if len(text) <= REASONING_LIMIT:
        return text
    end = REASONING_LIMIT - 1
    while end > 0 and _goes_on(text, end):
        end -= 1
    return text[:end] + "…"


def _goes_on(text: str, at: int) -> bool:
    """Whether the character at this place belongs to the one before it: an accent, a joiner, a skin tone."""
    import unicodedata  # noqa: PLC0415 - only a long text needs it

    joiner = "\u200d"
    tone = "\U0001f3fb" <= text[at] <= "\U0001f3ff"
    return (
        unicodedata.combining(text[at]) > 0
        or tone
        or text[at] in {joiner, "\ufe0f"}
        or text[at - 1] == joiner
    )
