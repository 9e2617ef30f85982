"""What a failing server says, read: what it means, whether to ask again, and without what."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from holdfast.loop.ports import FailPiece

_OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|context_exceeded|context[ _-]?overflow"
    r"|exceeds? (?:the |its |model'?s? )?(?:available |maximum |model'?s? )*context"
    r"|(?:maximum|max) (?:context|model|sequence|input|prompt)[ _-]?(?:length|size|len|window)"
    r"|(?:larger|greater|longer|more tokens) than (?:the |its )?(?:available |maximum |model'?s? )*context"
    r"|context (?:length|size|window) of only|context the overflows"
    r"|context (?:length|size|window) (?:is |was )?exceeded"
    r"|(?:prompt|input|request|message)s? (?:is|are) too (?:long|large)|too many (?:input |prompt )?tokens"
    r"|prompt is \d+ tokens but|input length .{0,40}exceeds|reduce the length of the (?:messages|prompt|input)"
    r"|n_keep.{0,20}n_ctx",
    re.IGNORECASE,
)
_LIMITS = re.compile(
    r"(?:maximum (?:context|model|sequence) (?:length|len)\D{0,20}?|available context size\D{0,3}|context size \("
    r"|context (?:length|window|size) of (?:only )?|context window is |n_ctx\W{1,4})(\d{3,8})\b",
    re.IGNORECASE,
)
_NO_KEY = re.compile(
    r"(?:invalid|incorrect|missing|no|expired) (?:api[ _-]?key|token|credentials)\b|api[ _-]?key not valid",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model\b.{0,80}\b(?:not found|not exist|not loaded)|no models? loaded|(?:unknown|no such) model",
    re.IGNORECASE,
)
_QUOTA = re.compile(
    r"insufficient_quota|exceeded your current quota|billing|credit balance", re.IGNORECASE
)
_RETRIED = {408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529}
_TYPES_RETRIED = re.compile(
    r"overload|rate[ _-]?limit|server_error|internal|unavailable|timeout", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """Who was asked, for the sentences. `key` is only here to be kept out of them."""

    url: str
    model: str
    key_from: str
    key: str | None = field(default=None, repr=False)

    def clean(self, text: str) -> str:
        """Put a stop to a server that repeats the key it was sent, whole or shortened."""
        if self.key:
            text = text.replace(self.key, "[key]")
        return re.sub(r"\b(?:sk|pk|gsk|xai|key)-[\w*.-]{6,}", "[key]", text)


@dataclass(frozen=True, slots=True)
class RequestFailure:
    """Why there is no reply.

    `again`: the same question may pass, `after` so many seconds if the server says so. `refusal`: whether a part of the
    question is what the server does not know, `if_named` in its `words`. `context` is the limit, if it was told.
    """

    fail: FailPiece
    again: bool = False
    after: float | None = None
    refusal: Literal["no", "if_named", "maybe"] = "no"
    words: str = ""
    context: int | None = None


def read_status(
    status: int, headers: Mapping[str, str], body: bytes, where: RequestOrigin
) -> RequestFailure:
    """Read an answer that is no reply: its status, and what its body says."""
    words = where.clean(read_words(body))
    told = f" ({words})" if words else ""
    if status in {401, 403} or (status == 400 and _NO_KEY.search(words)):
        return RequestFailure(FailPiece("login", _key_sentence(status, where)))
    if _OVERFLOW.search(words) or status == 413:
        return _overflow(words, where)
    if 300 <= status < 400:
        return _refused(
            f"{where.url} answers with a redirect ({status}); set the base URL to where it leads."
        )
    if _NO_MODEL.search(words) or (status == 404 and "model" in words.lower()):
        return _refused(
            f"{where.url} has no model {where.model}{told}; name one that it lists, with --model."
        )
    if status in {404, 405}:
        return _refused(
            f"{where.url} has no Chat Completions ({status}); check the base URL, which usually ends in /v1."
        )
    if status == 429 and _QUOTA.search(words):
        return _refused(f"{where.url} says that the quota is used up{told}.")
    if status in _RETRIED:
        fail = FailPiece(
            "server",
            f"{where.url} fails with {status}{told}; look at the server's log, then continue.",
        )
        return RequestFailure(
            fail,
            again=True,
            after=_seconds(headers),
            refusal="maybe" if status == 500 else "no",
            words=words,
        )
    if status >= 500:
        return RequestFailure(
            FailPiece("server", f"{where.url} fails with {status}{told}."),
            refusal="maybe" if status == 501 else "no",
            words=words,
        )
    fail = FailPiece("refused", f"{where.url} refuses the request with {status}{told}.")
    return RequestFailure(fail, refusal="maybe" if status in {400, 422} else "no", words=words)


def read_error(error: object, where: RequestOrigin) -> RequestFailure:
    """Read an error object that came where a reply should be: with status 200, or inside a stream."""
    words = where.clean(_words_in(error)) or "an error without a message"
    code = error.get("code") if isinstance(error, Mapping) else None
    status = int(code) if isinstance(code, int) or (isinstance(code, str) and code.isdigit()) else 0
    if status >= 400:
        return read_status(status, {}, json.dumps({"error": {"message": words}}).encode(), where)
    if _OVERFLOW.search(words):
        return _overflow(words, where)
    if _NO_KEY.search(words):
        return RequestFailure(FailPiece("login", _key_sentence(401, where)))
    kind = str(error.get("type", "")) if isinstance(error, Mapping) else ""
    again = bool(_TYPES_RETRIED.search(f"{kind} {code or ''} {words}"))
    fail = FailPiece("server", f"{where.url} answers with an error ({words}).")
    return RequestFailure(fail, again, refusal="if_named", words=words)


def read_words(body: bytes) -> str:
    """Give what the body of an error says, in one line of at most 300 characters.

    >>> read_words(b'{"error": {"message": "no such model"}}'), read_words(b"<html><title>502 Bad Gateway</title>")
    ('no such model', 'an HTML page: 502 Bad Gateway')
    """
    text = body.decode("utf-8", "replace").strip()
    if text.startswith("<"):
        title = re.search(r"<title>\s*(.*?)\s*</title>", text, re.IGNORECASE | re.DOTALL)
        return _line(f"an HTML page: {title[1]}" if title else "an HTML page")
    try:
        return _words_in(json.loads(text))
    except ValueError:
        return _line(text)


def _words_in(value: Any) -> str:
    """Find the sentence in the JSON of an error; each server has it elsewhere."""
    if isinstance(value, str):
        return _line(value)
    if isinstance(value, list):
        return _line("; ".join(filter(None, map(_words_in, value))))
    if not isinstance(value, Mapping):
        return ""
    if isinstance(inner := value.get("error"), (Mapping, list)) or (
        isinstance(inner, str) and inner
    ):
        return _words_in(inner)
    place = value.get("loc")
    where = ".".join(map(str, place)) + ": " if isinstance(place, list) else ""
    words = next(
        (_words_in(value[name]) for name in ("message", "detail", "msg") if value.get(name)), ""
    )
    # The type and the code say more than the sentence at some: `context_length_exceeded`, `exceed_context_size_error`.
    marks = [
        str(value[name])
        for name in ("code", "type", "n_ctx")
        if isinstance(value.get(name), str | int)
    ]
    marks = [
        f"n_ctx {mark}" if mark == str(value.get("n_ctx")) else mark
        for mark in marks
        if mark not in words
    ]
    notable = [
        mark for mark in marks if "context" in mark or "quota" in mark or mark.startswith("n_ctx")
    ]
    return _line(where + (f"{words} [{', '.join(notable)}]" if notable else words))


def limit_in(words: str) -> int | None:
    """Give the context length that an error names.

    >>> limit_in("This model's maximum context length is 4096 tokens. However, you requested 9000")
    4096
    """
    found = _LIMITS.search(words)
    return int(found[1]) if found else None


def _overflow(words: str, where: RequestOrigin) -> RequestFailure:
    told = f" ({words})" if words else ""
    fail = FailPiece(
        "overflow", f"{where.url}: the messages are longer than {where.model} can hold{told}."
    )
    return RequestFailure(fail, words=words, context=limit_in(words))


def _refused(message: str) -> RequestFailure:
    return RequestFailure(FailPiece("refused", message))


def _key_sentence(status: int, where: RequestOrigin) -> str:
    state = "refuses the key that it was sent" if where.key else "wants a key, and there is none"
    return f"{where.url} {state} ({status}). The key comes from {where.key_from}."


def _seconds(headers: Mapping[str, str]) -> float | None:
    """Read Retry-After in seconds; a date is left to our own back-off, which needs no clock of the day."""
    text = headers.get("retry-after", "").strip()
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 300 else text[:299] + "…"


BreakKind = Literal["nobody", "timeout", "reset", "garbled"]


def read_break(kind: BreakKind, why: str, where: RequestOrigin) -> RequestFailure:
    """Read a connection that could not be made, or that broke before the model said anything."""
    why = where.clean(_line(why))
    told = f" ({why})" if why else ""
    if kind == "nobody" and "CERTIFICATE" in why:
        message = f"the certificate of {where.url} is not trusted{told}; check the base URL, or set SSL_CERT_FILE."
        return RequestFailure(FailPiece("unreachable", message))
    if kind == "nobody":
        message = f"nothing answers at {where.url}{told}; start the server there, or name another with --base-url."
        return RequestFailure(FailPiece("unreachable", message))
    if kind == "timeout":
        message = f"{where.url} was silent for too long{told}; it may still load the model: try again, or look at its log."
        return RequestFailure(FailPiece("server", message), again=True)
    if kind == "reset":
        return RequestFailure(
            FailPiece("server", f"{where.url} broke the connection before it said anything{told}."),
            again=True,
        )
    return RequestFailure(
        FailPiece("bad", f"what {where.url} sends is no HTTP that can be read{told}.")
    )
