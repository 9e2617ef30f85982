"""Servers with Chat Completions: their kinds, usual ports and URLs."""

from __future__ import annotations

import ipaddress
from typing import Literal, TypeAlias
from urllib.parse import SplitResult, urlsplit, urlunsplit

from holdfast.vocab.lazy_dataclass import dataclass

ServerKind: TypeAlias = Literal[
    "ollama", "lm_studio", "llama_cpp", "llama_cpp_python", "vllm", "hosted", "other"
]
"""The program that serves the model. `hosted`: a service. `other`: an unknown program."""

PORTS: tuple[tuple[ServerKind, int], ...] = (
    ("ollama", 11434),
    ("lm_studio", 1234),
    ("llama_cpp", 8080),
    ("vllm", 8000),
)
"""The usual ports of local servers, in the order in which they are probed."""

TITLES: dict[ServerKind, str] = {
    "ollama": "Ollama",
    "lm_studio": "LM Studio",
    "llama_cpp": "llama.cpp",
    "llama_cpp_python": "llama-cpp-python",
    "vllm": "vLLM",
    "hosted": "the hosted service",
    "other": "the server",
}


@dataclass(frozen=True, slots=True)
class Server:
    """A server that answers.

    `models` can chat, and loaded models come first; empty if the server does not list them.
    """

    kind: ServerKind
    base_url: str
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerNotFound:
    """No usable server; `message` has what was tried and the cure. `login`: the key is refused."""

    message: str
    login: bool = False


def normal_url(text: str) -> str:
    """Return a base URL with a scheme, without a trailing slash, and with `/v1` for no path.

    >>> normal_url("localhost:1234")
    'http://localhost:1234/v1'
    >>> normal_url("https://models.example.com/api/v1/chat/completions")
    'https://models.example.com/api/v1'
    """
    text = text.strip()
    if "://" not in text:
        text = f"http://{text}"
    parts = _split(text)
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    return urlunsplit((parts.scheme.lower(), parts.netloc, path or "/v1", parts.query, ""))


def join_url(base_url: str, path: str) -> str:
    """Return a base URL with a path added; its query stays at the end.

    >>> join_url("https://models.example.com/v1?api-version=2", "/models")
    'https://models.example.com/v1/models?api-version=2'
    """
    parts = _split(base_url)
    return urlunsplit(parts._replace(path=parts.path + path))


def root_url(base_url: str) -> str:
    """Return where the server's own API starts: the base URL without `/v1`.

    >>> root_url("http://localhost:11434/v1")
    'http://localhost:11434'
    """
    parts = _split(base_url)
    return urlunsplit(parts._replace(path=parts.path.removesuffix("/v1"), query=""))


def shown_url(url: str) -> str:
    """Return a URL for people: without user, password and query, which may contain a key.

    >>> shown_url("https://me:secret@models.example.com/v1?key=1")
    'https://models.example.com/v1'
    """
    parts = _split(url)
    return urlunsplit(parts._replace(netloc=_host_and_port(parts), query=""))


def userinfo(url: str) -> tuple[str, str] | None:
    """Return the user and the password of a URL, or None."""
    parts = _split(url)
    if parts.username is None:
        return None
    return parts.username, parts.password or ""


def without_userinfo(url: str) -> str:
    """Return the URL without its user and password."""
    parts = _split(url)
    return urlunsplit(parts._replace(netloc=_host_and_port(parts)))


def fault_of(url: str) -> str | None:
    """Return what is wrong with a URL, as the end of a sentence; None if nothing is."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - the property raises for an invalid port
    except ValueError:
        return "is not a URL"

    if parts.scheme not in {"http", "https"}:
        return "does not begin with http:// or https://"
    if not parts.hostname:
        return "names no host"

    return None


def is_loopback(url: str) -> bool:
    """Return whether the URL leads to this machine.

    >>> is_loopback("http://127.0.0.1:8080/v1"), is_loopback("http://models.example.com/v1")
    (True, False)
    """
    host = _split(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _host_and_port(parts: SplitResult) -> str:
    return parts.netloc.rpartition("@")[2]


def _split(url: str) -> SplitResult:
    """Split a URL. An invalid URL becomes a path, and does not raise: `fault_of` reports it."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", url.rpartition("@")[2], "", "")
