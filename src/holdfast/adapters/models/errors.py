"""Errors of servers: what each means, and whether to retry, with which fields left out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias

from holdfast.loop.ports import FailPiece
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

_OVERFLOW = lazy_pattern(
    r"context_length_exceeded|exceed_context_size|context_exceeded|context[ _-]?overflow"
    r"|exceeds? (?:the |its |model'?s? )?(?:available |maximum |model'?s? )*context"
    r"|(?:maximum|max) (?:context|model|sequence|input|prompt)[ _-]?(?:length|size|len|window)"
    r"|(?:larger|greater|longer|more tokens) than (?:the |its )?"
    r"(?:available |maximum |model'?s? )*context"
    r"|context (?:length|size|window) of only|context the overflows"
    r"|context (?:length|size|window) (?:is |was )?exceeded"
    r"|(?:prompt|input|request|message)s? (?:is|are) too (?:long|large)"
    r"|too many (?:input |prompt )?tokens|prompt is \d+ tokens but|input length .{0,40}exceeds"
    r"|reduce the length of the (?:messages|prompt|input)"
    r"|n_keep.{0,20}n_ctx",
    re.IGNORECASE,
)
_LIMITS = lazy_pattern(
    r"(?:maximum (?:context|model|sequence) (?:length|len)\D{0,20}?"
    r"|available context size\D{0,3}|context size \("
    r"|context (?:length|window|size) of (?:only )?|context window is |n_ctx\W{1,4})(\d{3,8})\b",
    re.IGNORECASE,
)
_NOTABLE = lazy_pattern(r"context|quota|^n_ctx")
_NO_KEY = lazy_pattern(
    r"(?:invalid|incorrect|missing|no|expired) (?:api[ _-]?key|token|credentials)\b"
    r"|api[ _-]?key not valid",
    re.IGNORECASE,
)
_NO_MODEL = lazy_pattern(
    r"model\b.{0,80}\b(?:not found|not exist|not loaded)|no models? loaded"
    r"|(?:unknown|no such) model",
    re.IGNORECASE,
)
_QUOTA = lazy_pattern(
    r"insufficient_quota|exceeded your current quota|billing|credit balance", re.IGNORECASE
)
_RETRIED = {408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529}
_FIELD_REFUSED = {400, 422, 500, 501}
"""With these a server may have refused a field of the request."""
_TYPES_RETRIED = lazy_pattern(
    r"overload|rate[ _-]?limit|server_error|internal|unavailable|timeout", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """The server and model of a request, for messages. `key` is only used to redact it."""

    url: str
    model: str
    key_from: str
    key: str | None = field(default=None, repr=False)

    def clean(self, text: str) -> str:
        """Redact a key that the server repeats, whole or shortened."""
        if self.key:
            text = text.replace(self.key, "[key]")
        return re.sub(r"\b(?:sk|pk|gsk|xai|key)-[\w*.-]{6,}", "[key]", text)


@dataclass(frozen=True, slots=True)
class RequestFailure:
    """Why there is no reply.

    `again`: a retry may succeed. `after`: the seconds to wait first, if the server says so.
    `refusal`: whether the server may have refused a field of the request, in any case or only
    `if_named` in its `words`. `context` is the limit of tokens, if the server names it.
    """

    fail: FailPiece
    again: bool = False
    after: float | None = None
    refusal: Literal["no", "if_named", "maybe"] = "no"
    words: str = ""
    context: int | None = None


def read_status(
    status: int, headers: Mapping[str, str], body: bytes, origin: RequestOrigin
) -> RequestFailure:
    """Return the failure for an answer that is not a reply, by its status and body."""
    words = origin.clean(read_words(body))
    if status in {401, 403} or (status == 400 and _NO_KEY.search(words)):
        return RequestFailure(FailPiece("login", _key_sentence(status, origin)))
    if _OVERFLOW.search(words) or status == 413:
        return _overflow(words, origin)

    message = _refused_for_good(status, words, origin)
    if message is not None:
        return RequestFailure(FailPiece("refused", message))
    if status >= 500 or status in _RETRIED:
        return _server_failure(status, headers, words, origin)

    message = f"{origin.url} refuses the request with {status}{in_brackets(words)}."
    return RequestFailure(FailPiece("refused", message), refusal=_refusal(status), words=words)


def _refused_for_good(status: int, words: str, origin: RequestOrigin) -> str | None:
    """Return the message for a refusal that no other request would avoid; None for others."""
    detail = in_brackets(words)
    if 300 <= status < 400:
        cure = "set the base URL to where it leads"
        return f"{origin.url} answers with a redirect ({status}); {cure}."
    if _NO_MODEL.search(words) or (status == 404 and "model" in words.lower()):
        cure = "name one that it lists, with --model"
        return f"{origin.url} has no model {origin.model}{detail}; {cure}."
    if status in {404, 405}:
        cure = "check the base URL, which usually ends in /v1"
        return f"{origin.url} has no Chat Completions ({status}); {cure}."
    if status == 429 and _QUOTA.search(words):
        return f"{origin.url} reports that the quota is used up{detail}."

    return None


def _server_failure(
    status: int, headers: Mapping[str, str], words: str, origin: RequestOrigin
) -> RequestFailure:
    message = f"{origin.url} fails with {status}{in_brackets(words)}"
    refusal = _refusal(status)
    if status not in _RETRIED:
        return RequestFailure(FailPiece("server", f"{message}."), refusal=refusal, words=words)

    return RequestFailure(
        FailPiece("server", f"{message}; look at the server's log, then continue."),
        again=True,
        after=_seconds(headers),
        refusal=refusal,
        words=words,
    )


def _refusal(status: int) -> Literal["no", "maybe"]:
    if status in _FIELD_REFUSED:
        return "maybe"
    return "no"


def read_error(error: object, origin: RequestOrigin) -> RequestFailure:
    """Return the failure for an error object in a stream, or in an answer with status 200."""
    fields: Mapping[str, Any] = error if isinstance(error, Mapping) else {}
    words = origin.clean(_words_in(error)) or "an error without a message"
    code = fields.get("code")
    status = _status_in(code)
    if status >= 400:
        body = json.dumps({"error": {"message": words}}).encode()
        return read_status(status, {}, body, origin)
    if _OVERFLOW.search(words):
        return _overflow(words, origin)
    if _NO_KEY.search(words):
        return RequestFailure(FailPiece("login", _key_sentence(401, origin)))

    kind = fields.get("type", "")
    again = bool(_TYPES_RETRIED.search(f"{kind} {code or ''} {words}"))
    fail = FailPiece("server", f"{origin.url} answers with an error ({words}).")
    return RequestFailure(fail, again, refusal="if_named", words=words)


def _status_in(code: object) -> int:
    """Return the HTTP status in the code of an error; 0 if there is none."""
    if isinstance(code, int):
        return int(code)
    if isinstance(code, str) and code.isdigit():
        return int(code)
    return 0


def read_words(body: bytes) -> str:
    """Return the message in the body of an error, in one line of at most 300 characters.

    >>> read_words(b'{"error": {"message": "no such model"}}')
    'no such model'
    >>> read_words(b"<html><title>502 Bad Gateway</title>")
    'an HTML page: 502 Bad Gateway'
    """
    text = body.decode("utf-8", "replace").strip()
    if text.startswith("<"):
        title = re.search(r"<title>\s*(.*?)\s*</title>", text, re.IGNORECASE | re.DOTALL)
        if title is None:
            return "an HTML page"
        return _line(f"an HTML page: {title[1]}")

    try:
        return _words_in(json.loads(text))
    except (ValueError, RecursionError):
        return _line(text)


def _words_in(value: Any) -> str:
    """Return the message in the JSON of an error; its place differs from server to server."""
    if isinstance(value, str):
        return _line(value)
    if isinstance(value, list):
        messages = map(_words_in, value)
        return _line("; ".join(filter(None, messages)))
    if not isinstance(value, Mapping):
        return ""

    inner = value.get("error")
    if inner != "" and isinstance(inner, Mapping | list | str):
        return _words_in(inner)

    message = value.get("message") or value.get("detail") or value.get("msg")
    words = _words_in(message)
    codes = _notable_codes(value, words)
    if codes:
        words = f"{words} [{', '.join(codes)}]"

    place = value.get("loc")
    if isinstance(place, list):
        words = f"{'.'.join(map(str, place))}: {words}"

    return _line(words)


def _notable_codes(value: Mapping[str, Any], words: str) -> list[str]:
    """Return codes about context or quota that the message does not repeat.

    With some servers these are clearer than the message: `context_length_exceeded`,
    `exceed_context_size_error`.
    """
    notable: list[str] = []
    for name in ("code", "type", "n_ctx"):
        code = value.get(name)
        if not isinstance(code, str | int):
            continue
        text = str(code)
        if text in words:
            continue
        if text == str(value.get("n_ctx")):
            text = f"n_ctx {text}"
        if _NOTABLE.search(text):
            notable.append(text)

    return notable


def limit_in(words: str) -> int | None:
    """Return the context length that an error names.

    >>> limit_in("This model's maximum context length is 4096 tokens. However, you requested 9000")
    4096
    """
    found = _LIMITS.search(words)
    if found is None:
        return None
    return int(found[1])


def _overflow(words: str, origin: RequestOrigin) -> RequestFailure:
    detail = in_brackets(words)
    message = f"{origin.url}: the messages exceed the context of {origin.model}{detail}."
    return RequestFailure(FailPiece("overflow", message), words=words, context=limit_in(words))


def _key_sentence(status: int, origin: RequestOrigin) -> str:
    state = "wants a key, and there is none"
    if origin.key:
        state = "refuses the key that it was sent"
    return f"{origin.url} {state} ({status}). The key comes from {origin.key_from}."


def _seconds(headers: Mapping[str, str]) -> float | None:
    """Parse Retry-After in seconds. A date is ignored, because back-off needs no time of day."""
    text = headers.get("retry-after", "").strip()
    try:
        seconds = float(text)
    except ValueError:
        return None

    if 0 <= seconds < float("inf"):
        return seconds

    return None


def in_brackets(words: str | None) -> str:
    """Return the words in brackets after a space, to follow a sentence; "" for none."""
    if not words:
        return ""
    return f" ({words})"


def _line(text: str) -> str:
    text = " ".join(text.split())
    if len(text) <= 300:
        return text
    return text[:299] + "…"


BreakKind: TypeAlias = Literal[
    "unreachable", "certificate", "no_tls", "timeout", "reset", "garbled"
]
"""How a connection fails; with `no_tls` its handshake."""


def read_break(kind: BreakKind, why: str, origin: RequestOrigin) -> RequestFailure:
    """Return the failure for a connection that could not be made, or broke before the reply."""
    detail = in_brackets(origin.clean(_line(why)))
    url = origin.url
    match kind:
        case "timeout":
            cure = "it may still load the model: try again, or look at its log"
            message = f"{url} was silent for too long{detail}; {cure}."
            return RequestFailure(FailPiece("server", message), again=True)
        case "reset":
            message = f"{url} broke the connection before it sent anything{detail}."
            return RequestFailure(FailPiece("server", message), again=True)
        case "garbled":
            message = f"{url} sends invalid HTTP{detail}."
            return RequestFailure(FailPiece("bad", message))
        case "certificate":
            cure = "check the base URL, or set SSL_CERT_FILE"
            message = f"the certificate of {url} is not trusted{detail}; {cure}."
        case "no_tls":
            cure = "if it speaks plain HTTP, write http:// in the base URL"
            message = f"{url}: the TLS handshake failed{detail}; {cure}."
        case "unreachable":
            cure = "start the server there, or name another with --base-url"
            message = f"nothing answers at {url}{detail}; {cure}."

    return RequestFailure(FailPiece("unreachable", message))
