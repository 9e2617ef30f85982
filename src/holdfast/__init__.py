r"""Edits that land exactly where they were meant, or are refused with the cure.

>>> from holdfast import Replace, land
>>> outcome = land("limit = 10\ntimeout = 100\n", Replace("timeout = 10", "timeout = 20"))
>>> outcome.reason
'not_found'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.landing.encoding import decode, encode
    from holdfast.landing.explain import explain
    from holdfast.landing.formats.parse import parse
    from holdfast.landing.ladder.locate import locate
    from holdfast.landing.land import land
    from holdfast.landing.land_reply import ReplyLanded, land_reply
    from holdfast.vocab.outcomes import Ambiguous, Exact, Fuzzy, Landed, NotFound, Refused
    from holdfast.vocab.requests import (
        FileRequest,
        LineEdit,
        LineEdits,
        OneOf,
        Patch,
        Replace,
        WriteFile,
    )

# The one place with the version: pyproject.toml reads it from here when a distribution is built.
__version__ = "0.1.0"

__all__ = [
    "Ambiguous",
    "Exact",
    "FileRequest",
    "Fuzzy",
    "Landed",
    "LineEdit",
    "LineEdits",
    "NotFound",
    "OneOf",
    "Patch",
    "Refused",
    "Replace",
    "ReplyLanded",
    "WriteFile",
    "decode",
    "encode",
    "explain",
    "land",
    "land_reply",
    "locate",
    "parse",
]

# Imported when first used: every command imports this package, and most land nothing. Ctrl-C before
# `holdfast.cli.main` has set its handler prints a traceback, so nothing is imported until then.
_OUTCOMES = "holdfast.vocab.outcomes"
_REQUESTS = "holdfast.vocab.requests"
_MODULES = {
    **dict.fromkeys(("Ambiguous", "Exact", "Fuzzy", "Landed", "NotFound", "Refused"), _OUTCOMES),
    **dict.fromkeys(("FileRequest", "LineEdit", "LineEdits", "OneOf", "Patch"), _REQUESTS),
    **dict.fromkeys(("Replace", "WriteFile"), _REQUESTS),
    "ReplyLanded": "holdfast.landing.land_reply",
    "decode": "holdfast.landing.encoding",
    "encode": "holdfast.landing.encoding",
    "explain": "holdfast.landing.explain",
    "land": "holdfast.landing.land",
    "land_reply": "holdfast.landing.land_reply",
    "locate": "holdfast.landing.ladder.locate",
    "parse": "holdfast.landing.formats.parse",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        message = f"module 'holdfast' has no attribute {name!r}"
        raise AttributeError(message)

    module = import_module(_MODULES[name])
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
