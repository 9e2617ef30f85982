"""Discovery of model servers: the configured or a local server, its models and their context."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, Literal, Self
from urllib.parse import urlsplit

from holdfast.adapters.models.errors import BreakKind, RequestOrigin, read_break, read_status
from holdfast.adapters.models.http_stream import kind_of_break, make_client
from holdfast.adapters.models.openai_compatible import KEY_FROM
from holdfast.adapters.models.servers import (
    PORTS,
    TITLES,
    Server,
    ServerKind,
    ServerNotFound,
    fault_of,
    join_url,
    normal_url,
    root_url,
    shown_url,
    without_userinfo,
)
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from types import TracebackType

    import httpx

OLLAMA_DEFAULT = 4096
"""The context of Ollama on most machines, unless it is set, whatever the model supports."""
SMALL = 8192
_LARGEST = 8_000_000
"""Bytes of a list of models."""
_LONGEST = 5
"""A whole answer may take this many times as long as its next byte."""

_OWNERS: dict[str, ServerKind] = {
    "library": "ollama",
    "vllm": "vllm",
    "llamacpp": "llama_cpp",
    "organization_owner": "lm_studio",
}
_CURES: dict[ServerKind, str] = {
    "ollama": (
        f"Ollama's default is {OLLAMA_DEFAULT}, whatever the model supports, and it drops the "
        "front of a longer prompt silently: start it with OLLAMA_CONTEXT_LENGTH=32768, or set "
        "num_ctx for the model."
    ),
    "llama_cpp": "Start llama-server with --ctx-size 32768.",
    "lm_studio": "Load the model with a larger context length.",
    "vllm": "Start vLLM with a larger --max-model-len.",
}
"""How to enlarge a small context."""
_NO_CHAT = lazy_pattern(r"embed|rerank|whisper|\btts\b|bge-|\bmoderation\b|dall-e", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Context:
    """The context length of a model in tokens; None if it is not known.

    `assumed`: the server does not report it, and this is the default of its kind. `warning` is a
    sentence for people if the context is small.
    """

    tokens: int | None
    assumed: bool = False
    warning: str | None = None


def find_server(
    configured: str | None,
    *,
    key: str | None = None,
    key_from: str = KEY_FROM,
    ports: Sequence[tuple[ServerKind, int]] = PORTS,
    timeout: float = 2.0,
) -> Server | ServerNotFound:
    """Return the server at the configured URL, or else the first local server on its usual port.

    Only this machine is probed, and a key is only sent to a configured server.
    """
    if configured is not None:
        return _look_at(normal_url(configured), key, key_from, timeout)

    for kind, port in ports:
        found = _look_at(f"http://127.0.0.1:{port}/v1", None, key_from, timeout, likely=kind)
        if isinstance(found, Server) and found.models:
            return found

    tried = ", ".join(f"{TITLES[kind]} {port}" for kind, port in ports)
    return ServerNotFound(
        f"no model server answers on this machine (tried {tried}). Start one, for example "
        "`ollama serve` with a model pulled, or name one with --base-url or HOLDFAST_BASE_URL."
    )


def find_context(
    server: Server, model: str, *, key: str | None = None, timeout: float = 5.0
) -> Context:
    """Return the context length with which the server has loaded the model."""
    with _Client(server.base_url, key, timeout) as client:
        tokens, assumed = _context_of(client, server.kind, model)
    return Context(tokens, assumed, warn_small(server.kind, model, tokens))


def warn_small(kind: ServerKind, model: str, tokens: int | None) -> str | None:
    """Return a warning for a small context, with the cure; None if it is large or not known.

    >>> warn_small("vllm", "m", 32768) is None
    True
    """
    if tokens is None or tokens >= SMALL:
        return None
    room = f"{model} has room for only {tokens} tokens at {TITLES[kind]}"
    cure = _CURES.get(kind, "Start the server with a larger context.")
    return f"{room}; {SMALL} or more are advised. {cure}"


# -------------------------------------------------------------------------------- server and models


def _look_at(
    base_url: str, key: str | None, key_from: str, timeout: float, likely: ServerKind | None = None
) -> Server | ServerNotFound:
    """Query the server at a URL; `likely` is the kind that usually listens on a probed port."""
    shown = shown_url(base_url)
    fault = fault_of(base_url)
    if fault is not None:
        return ServerNotFound(f"the base URL {shown} {fault}; set it with --base-url.")

    with _Client(base_url, key, timeout) as client:
        answer = client.get_models()
        if answer.late and likely is None:
            # Some servers answer nothing while they generate.
            return Server("other", base_url)
        origin = RequestOrigin(shown, "", key_from, key)
        if answer.status == 0:
            return ServerNotFound(read_break(answer.broke, "", origin).fail.message)
        if answer.status in {401, 403}:
            failure = read_status(answer.status, {}, b"", origin)
            return ServerNotFound(failure.fail.message, login=True)
        listed = _entries(answer.value, "data")
        if likely is not None and not listed:
            return ServerNotFound(f"{shown} answers, but not as a model server.")
        kind = _kind_of(client, answer, listed, likely)
        return Server(kind, base_url, _chat_models(client, kind, listed))


def _kind_of(
    client: _Client, answer: _Answer, listed: list[Mapping[str, Any]], likely: ServerKind | None
) -> ServerKind:
    kind = _kind_in_listing(answer, listed)
    if kind is not None:
        return kind
    if _is_llama_cpp_python(client, listed):
        return "llama_cpp_python"
    if urlsplit(client.base_url).scheme == "https":
        return "hosted"

    kind = _kind_by_native_api(client)
    if kind is not None:
        return kind

    for entry in listed:
        if likely == "vllm" and "max_model_len" in entry:
            return "vllm"

    return "other"


def _kind_in_listing(answer: _Answer, listed: list[Mapping[str, Any]]) -> ServerKind | None:
    owners = {entry.get("owned_by") for entry in listed}
    kinds = {kind for owner, kind in _OWNERS.items() if owner in owners}
    if len(kinds) == 1:
        return kinds.pop()
    if answer.server.startswith("llama.cpp"):
        return "llama_cpp"

    return None


def _kind_by_native_api(client: _Client) -> ServerKind | None:
    """Return the kind by paths that only one kind of server has.

    No key is sent, because these paths are not part of the protocol.
    """
    if "version" in client.native("/api/version"):
        return "ollama"
    if "default_generation_settings" in client.native("/props"):
        return "llama_cpp"
    if _entries(client.native("/api/v0/models"), "data"):
        return "lm_studio"

    return None


def _is_llama_cpp_python(client: _Client, listed: list[Mapping[str, Any]]) -> bool:
    # Other servers have the owner "me", too, so the title of the API decides.
    for entry in listed:
        if (entry.get("owned_by"), entry.get("permissions")) != ("me", []):
            continue
        about = client.native("/openapi.json").get("info")
        if not isinstance(about, Mapping):
            return False
        return "llama.cpp Python API" in str(about.get("title"))

    return False


def _chat_models(
    client: _Client, kind: ServerKind, listed: list[Mapping[str, Any]]
) -> tuple[str, ...]:
    """Return the models that can chat, those that are loaded first."""
    loaded: set[object] = set()
    embeddings: set[object] = set()
    if kind == "ollama":
        running = _entries(client.native("/api/ps"), "models")
        loaded = {entry.get("name") for entry in running}

    if kind == "lm_studio":
        for entry in _entries(client.native("/api/v0/models"), "data"):
            if entry.get("state") == "loaded":
                loaded.add(entry.get("id"))
            if entry.get("type") == "embeddings":
                embeddings.add(entry.get("id"))

    names: list[str] = []
    for entry in listed:
        name = str(entry.get("id") or "")
        if not name:
            continue
        if name in embeddings:
            continue
        if not _NO_CHAT.search(name):
            names.append(name)

    names.sort(key=lambda name: name not in loaded)
    return tuple(names)


# ------------------------------------------------------------------------------------------ context


def _context_of(client: _Client, kind: ServerKind, model: str) -> tuple[int | None, bool]:
    """Return the context length, and whether it is assumed."""
    match kind:
        case "ollama":
            return _ollama_context(client, model)
        case "llama_cpp":
            props = client.native("/props")
            settings = props.get("default_generation_settings")
            return _number(settings, "n_ctx") or _number(props, "n_ctx"), False
        case "lm_studio":
            entry = _named(_entries(client.native("/api/v0/models"), "data"), model)
            return _number(entry, "loaded_context_length", "max_context_length"), False
        case _:
            entry = _named(_entries(client.get_models().value, "data"), model)
            names = ("max_model_len", "context_length", "context_window", "max_context_length")
            return _number(entry, *names), False


def _ollama_context(client: _Client, model: str) -> tuple[int | None, bool]:
    """Return the context length, and whether it is assumed.

    The first that is known counts: what the model was loaded with, what its Modelfile sets, the
    default of Ollama or the maximum of the model, whichever is smaller.
    """
    running = _named(_entries(client.native("/api/ps"), "models"), model)
    loaded = _number(running, "context_length")
    if loaded is not None:
        return loaded, False

    shown = client.native("/api/show", {"model": model})
    if not shown:
        return None, False

    parameters = str(shown.get("parameters") or "")
    set_in_file = re.search(r"^\s*num_ctx\s+(\d+)\s*$", parameters, re.MULTILINE)
    if set_in_file:
        return int(set_in_file[1]), False

    smallest = OLLAMA_DEFAULT
    info: Mapping[str, Any] = shown.get("model_info") or {}
    for name in info:
        if not name.endswith(".context_length"):
            continue
        size = _number(info, name)
        if size is not None:
            smallest = min(smallest, size)

    return smallest, True


def _named(entries: list[Mapping[str, Any]], model: str) -> Mapping[str, Any]:
    wanted = {model, f"{model}:latest"}
    for entry in entries:
        if wanted & {entry.get("id"), entry.get("name"), entry.get("model")}:
            return entry
    return {}


def _entries(value: object, name: str) -> list[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        value = value.get(name)
    if not isinstance(value, list):
        return []
    return [entry for entry in value if isinstance(entry, Mapping)]


def _number(value: object, *names: str) -> int | None:
    """Return the first positive number with one of these names; None if there is none."""
    if not isinstance(value, Mapping):
        return None

    for name in names:
        found = value.get(name)
        if isinstance(found, int) and found > 0:
            return found

    return None


# ----------------------------------------------------------------------------------------- requests


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer; `value` is its JSON, or None. `status` 0: no answer, or (`late`) not in time."""

    status: int
    value: Any = None
    server: str = ""
    late: bool = False
    broke: BreakKind = "unreachable"


class _Client:
    """Short requests to one server. Every failure is an answer without a value."""

    def __init__(self, base_url: str, key: str | None, timeout: float) -> None:
        self.base_url = without_userinfo(base_url)
        self._key = (key or "").strip()
        self._timeout = timeout
        self._client: httpx.Client = make_client(self.base_url, timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._client.close()

    def get_models(self) -> _Answer:
        """Return the list of models, which is part of the protocol."""
        headers: dict[str, str] = {}
        if self._key and self._key.isascii():
            headers["authorization"] = f"Bearer {self._key}"
        return self._send("GET", join_url(self.base_url, "/models"), headers, None)

    def native(self, path: str, body: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """Return an object of the server's own API; an empty mapping if it has no such path."""
        method: Literal["GET", "POST"] = "GET"
        if body:
            method = "POST"

        answer = self._send(method, root_url(self.base_url) + path, {}, body)
        if isinstance(answer.value, Mapping):
            return answer.value

        return {}

    def _send(
        self,
        method: Literal["GET", "POST"],
        url: str,
        headers: Mapping[str, str],
        body: Mapping[str, Any] | None,
    ) -> _Answer:
        import httpx  # noqa: PLC0415 - a tenth of a second, and most commands ask no model

        request = self._client.build_request(
            method, url, headers=dict(headers), json=body, timeout=self._timeout
        )
        try:
            return self._read(self._client.send(request, stream=True))
        except httpx.ReadTimeout:
            return _Answer(0, late=True)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            kind = kind_of_break(error)
            if kind == "reset":
                kind = "unreachable"
            return _Answer(0, broke=kind)

    def _read(self, response: httpx.Response) -> _Answer:
        """Read an answer of a limited size, in a limited time."""
        until = time.monotonic() + _LONGEST * self._timeout
        data = bytearray()
        with closing(response):
            for part in response.iter_bytes():
                data += part
                if time.monotonic() > until:
                    return _Answer(0, late=True)
                if len(data) > _LARGEST:
                    return _Answer(response.status_code)

        value = None
        if response.status_code == 200:
            with suppress(ValueError, RecursionError):
                value = json.loads(data)

        return _Answer(response.status_code, value, response.headers.get("server", "").lower())
