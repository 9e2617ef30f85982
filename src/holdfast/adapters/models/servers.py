"""The servers that speak Chat Completions: which there are, where they listen, and how an address is written."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import SplitResult, urlsplit, urlunsplit

ServerKind: TypeAlias = Literal[
    "ollama", "lm_studio", "llama_cpp", "llama_cpp_python", "vllm", "hosted", "other"
]
"""Which program serves the model. `hosted`: somebody's service. `other`: it speaks the protocol, no more is known."""

PORTS: tuple[tuple[ServerKind, int], ...] = (
    ("ollama", 11434),
    ("lm_studio", 1234),
    ("llama_cpp", 8080),
    ("vllm", 8000),
)
"""Where a local server usually listens, in the order in which they are tried."""

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
    """A server that answers. `models` can chat; the loaded ones come first. May be empty: not all list them."""

    kind: ServerKind
    base_url: str
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ServerNotFound:
    """No server answers as one; `message` says what was tried and what to do. `login`: it refuses our key."""

    message: str
    login: bool = False


def normal_url(text: str) -> str:
    """Write a base URL as it is used: with a scheme, without a trailing slash, and with `/v1` if it has no path.

    >>> normal_url("localhost:1234")
    'http://localhost:1234/v1'
    >>> normal_url("https://models.example.com/api/v1/chat/completions")
    'https://models.example.com/api/v1'
    """
    text = text.strip()
    parts = _split(text if "://" in text else f"http://{text}")
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    return urlunsplit((parts.scheme.lower(), parts.netloc, path or "/v1", parts.query, ""))


def join_url(base_url: str, path: str) -> str:
    """Add a path to a base URL; its query stays at the end.

    >>> join_url("https://models.example.com/v1?api-version=2", "/models")
    'https://models.example.com/v1/models?api-version=2'
    """
    parts = _split(base_url)
    return urlunsplit(parts._replace(path=parts.path + path))


def root_url(base_url: str) -> str:
    """Give where the server's own API starts: the base URL without `/v1`.

    >>> root_url("http://localhost:11434/v1")
    'http://localhost:11434'
    """
    parts = _split(base_url)
    return urlunsplit(parts._replace(path=parts.path.removesuffix("/v1"), query=""))


def shown_url(url: str) -> str:
    """Write a URL for people: without a user, a password and a query, which may hold a key.

    >>> shown_url("https://me:secret@models.example.com/v1?key=1")
    'https://models.example.com/v1'
    """
    parts = _split(url)
    return urlunsplit(parts._replace(netloc=_host_and_port(parts), query=""))


def userinfo(url: str) -> tuple[str, str] | None:
    """Give the user and the password of a URL, if it has them."""
    parts = _split(url)
    return None if parts.username is None else (parts.username, parts.password or "")


def without_userinfo(url: str) -> str:
    """Give the URL without its user and password."""
    parts = _split(url)
    return urlunsplit(parts._replace(netloc=_host_and_port(parts)))


def fault_of(url: str) -> str | None:
    """Say why no server can be at this URL, as the end of a sentence; None if one can."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - the property raises for a port that is no number
    except ValueError:
        return "is no URL"
    if parts.scheme not in {"http", "https"}:
        return "does not begin with http:// or https://"
    return None if parts.hostname else "names no host"


def is_loopback(url: str) -> bool:
    """Whether the URL leads to this machine.

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
    """Split a URL. What is none becomes all path: `fault_of` has the word for it, and nothing here raises."""
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", url.rpartition("@")[2], "", "")
