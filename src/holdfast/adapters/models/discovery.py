"""Finding a server: the one that is configured, or a local one on its usual port; its models and their context."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self
from urllib.parse import urlsplit

from holdfast.adapters.models.errors import RequestOrigin, read_status
from holdfast.adapters.models.http_stream import make_client
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

if TYPE_CHECKING:
    import httpx

OLLAMA_DEFAULT = 4096
"""What Ollama gives a model on most machines unless told otherwise, however much the model could hold."""
SMALL = 8192

_OWNERS: dict[str, ServerKind] = {
    "library": "ollama",
    "vllm": "vllm",
    "llamacpp": "llama_cpp",
    "organization_owner": "lm_studio",
}
_NO_CHAT = re.compile(r"embed|rerank|whisper|\btts\b|bge-|\bmoderation\b|dall-e", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Context:
    """How many tokens a model can hold; None if the server does not say. `warning` is for people, if it is small.

    `assumed`: the server does not say, but this is what its kind gives when nothing else was set.
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
    """Find the server at the configured URL; without one, the first local server that answers on its usual port.

    Only this machine is probed, and no key is sent to a server that nobody configured.
    """
    if configured is not None:
        return _look_at(normal_url(configured), key, key_from, timeout)
    for kind, port in ports:
        found = _look_at(f"http://127.0.0.1:{port}/v1", None, key_from, timeout, likely=kind)
        if isinstance(found, Server) and found.models:
            return found
    tried = ", ".join(f"{TITLES[kind]} {port}" for kind, port in ports)
    return ServerNotFound(
        f"no model server answers on this machine (tried {tried}). Start one, for example `ollama serve` with a model "
        "pulled, or name one with --base-url or HOLDFAST_BASE_URL."
    )


def list_models(
    base_url: str, *, key: str | None = None, timeout: float = 5.0
) -> tuple[str, ...] | ServerNotFound:
    """Give the models of a server that can chat, those that are loaded first."""
    found = _look_at(normal_url(base_url), key, KEY_FROM, timeout)
    return found.models if isinstance(found, Server) else found


def find_context(
    server: Server, model: str, *, key: str | None = None, timeout: float = 5.0
) -> Context:
    """Ask the server how many tokens the model can hold, as it is loaded now."""
    with _Asker(server.base_url, key, timeout) as asker:
        tokens, assumed = _context_of(asker, server.kind, model)
    return Context(tokens, assumed, warn_small(server.kind, model, tokens))


def warn_small(kind: ServerKind, model: str, tokens: int | None) -> str | None:
    """Say that a context is small, and the cure; None if it is not, or not known.

    >>> warn_small("vllm", "m", 32768) is None
    True
    """
    if tokens is None or tokens >= SMALL:
        return None
    start = (
        f"{model} has room for only {tokens} tokens at {TITLES[kind]}; {SMALL} or more are advised."
    )
    match kind:
        case "ollama":
            return (
                f"{start} Ollama's default is {OLLAMA_DEFAULT}, whatever the model can hold, and it drops the front of "
                "a longer prompt silently: start it with OLLAMA_CONTEXT_LENGTH=32768, or set num_ctx for the model."
            )
        case "llama_cpp":
            return f"{start} Start llama-server with --ctx-size 32768."
        case "lm_studio":
            return f"{start} Load the model with a larger context length."
        case "vllm":
            return f"{start} Start vLLM with a larger --max-model-len."
        case _:
            return f"{start} Start the server with a larger context."


# ------------------------------------------------------------------------------------------------------ looking


def _look_at(
    base_url: str, key: str | None, key_from: str, timeout: float, likely: ServerKind | None = None
) -> Server | ServerNotFound:
    shown = shown_url(base_url)
    if (fault := fault_of(base_url)) is not None:
        return ServerNotFound(f"the base URL {shown} {fault}; set it with --base-url.")
    with _Asker(base_url, key, timeout) as asker:
        answer = asker.get(join_url(asker.base_url, "/models"))
        if answer.late and likely is None:
            # It is there, and busy: some answer nothing else while they generate.
            return Server("other", base_url)
        if answer.status == 0:
            return ServerNotFound(
                f"nothing answers at {shown}; start the server there, or name another with --base-url."
            )
        if answer.status in {401, 403}:
            where = RequestOrigin(shown, "", key_from, key)
            return ServerNotFound(
                read_status(answer.status, {}, b"", where).fail.message, login=True
            )
        listed = _entries(answer.value, "data")
        if likely is not None and not listed:
            return ServerNotFound(f"{shown} answers, but not as a model server.")
        kind = _kind_of(asker, answer, listed, likely)
        return Server(kind, base_url, _order(asker, kind, listed))


def _kind_of(
    asker: _Asker, answer: _Answer, listed: list[Mapping[str, Any]], likely: ServerKind | None
) -> ServerKind:
    owners = {_OWNERS[owner] for entry in listed if (owner := entry.get("owned_by")) in _OWNERS}
    if len(owners) == 1:
        return owners.pop()
    if answer.server.startswith("llama.cpp"):
        return "llama_cpp"
    # Others say "me", too; who lists models like this is asked for more.
    if any(entry.get("owned_by") == "me" and entry.get("permissions") == [] for entry in listed):
        about = asker.native("/openapi.json").get("info")
        if isinstance(about, Mapping) and "llama.cpp Python API" in str(about.get("title")):
            return "llama_cpp_python"
    if urlsplit(asker.base_url).scheme == "https":
        return "hosted"
    # What only one of them answers. No key goes with these: they are not part of the protocol it is meant for.
    if "version" in asker.native("/api/version"):
        return "ollama"
    if "default_generation_settings" in asker.native("/props"):
        return "llama_cpp"
    if _entries(asker.native("/api/v0/models"), "data"):
        return "lm_studio"
    return (
        "vllm"
        if likely == "vllm" and any("max_model_len" in entry for entry in listed)
        else "other"
    )


def _order(asker: _Asker, kind: ServerKind, listed: list[Mapping[str, Any]]) -> tuple[str, ...]:
    names = [str(entry["id"]) for entry in listed if entry.get("id")]
    loaded: set[object] = set()
    if kind == "ollama":
        loaded = {entry.get("name") for entry in _entries(asker.native("/api/ps"), "models")}
    if kind == "lm_studio":
        known = _entries(asker.native("/api/v0/models"), "data")
        loaded = {entry.get("id") for entry in known if entry.get("state") == "loaded"}
        names = [
            name
            for name in names
            if name not in {e.get("id") for e in known if e.get("type") == "embeddings"}
        ]
    chatting = [name for name in names if not _NO_CHAT.search(name)]
    return tuple(sorted(chatting, key=lambda name: name not in loaded))


def _context_of(asker: _Asker, kind: ServerKind, model: str) -> tuple[int | None, bool]:
    match kind:
        case "ollama":
            return _ollama_context(asker, model)
        case "llama_cpp":
            props = asker.native("/props")
            settings = props.get("default_generation_settings")
            return _number(settings, "n_ctx") or _number(props, "n_ctx"), False
        case "lm_studio":
            entry = _named(_entries(asker.native("/api/v0/models"), "data"), model)
            return _number(entry, "loaded_context_length") or _number(
                entry, "max_context_length"
            ), False
        case _:
            entry = _named(
                _entries(asker.get(join_url(asker.base_url, "/models")).value, "data"), model
            )
            names = ("max_model_len", "context_length", "context_window", "max_context_length")
            return next((found for name in names if (found := _number(entry, name))), None), False


def _ollama_context(asker: _Asker, model: str) -> tuple[int | None, bool]:
    """What it was loaded with; else what its Modelfile sets; else the default, and no more than the model can hold."""
    running = _named(_entries(asker.native("/api/ps"), "models"), model)
    if (loaded := _number(running, "context_length")) is not None:
        return loaded, False
    shown = asker.native("/api/show", {"model": model})
    if not shown:
        return None, False
    set_in_file = re.search(
        r"^\s*num_ctx\s+(\d+)\s*$", str(shown.get("parameters") or ""), re.MULTILINE
    )
    if set_in_file:
        return int(set_in_file[1]), False
    info = shown.get("model_info")
    sizes = (
        [value for name, value in info.items() if name.endswith(".context_length")] if info else []
    )
    return min(
        [OLLAMA_DEFAULT, *(size for size in sizes if isinstance(size, int) and size > 0)]
    ), True


def _named(entries: list[Mapping[str, Any]], model: str) -> Mapping[str, Any]:
    wanted = {model, f"{model}:latest"}
    return next(
        (
            entry
            for entry in entries
            if wanted & {entry.get("id"), entry.get("name"), entry.get("model")}
        ),
        {},
    )


def _entries(value: object, name: str) -> list[Mapping[str, Any]]:
    found = value.get(name) if isinstance(value, Mapping) else value
    return (
        [entry for entry in found if isinstance(entry, Mapping)] if isinstance(found, list) else []
    )


def _number(value: object, name: str) -> int | None:
    found = value.get(name) if isinstance(value, Mapping) else None
    return found if isinstance(found, int) and found > 0 else None


# ------------------------------------------------------------------------------------------------------- asking


@dataclass(frozen=True, slots=True)
class _Answer:
    """`status` 0: there was none, or (`late`) not in time. `value` is the JSON, or None."""

    status: int
    value: Any = None
    server: str = ""
    late: bool = False


class _Asker:
    """Asks one server short questions. Whatever goes wrong is an answer without a value."""

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

    def get(self, url: str) -> _Answer:
        """Ask for a part of the protocol."""
        headers = (
            {"authorization": f"Bearer {self._key}"} if self._key.isascii() and self._key else {}
        )
        return self._ask("GET", url, headers, None)

    def native(self, path: str, body: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """Ask for a part of the server's own API; an empty mapping if it has none such."""
        answer = self._ask("POST" if body else "GET", root_url(self.base_url) + path, {}, body)
        return answer.value if isinstance(answer.value, Mapping) else {}

    def _ask(
        self,
        method: Literal["GET", "POST"],
        url: str,
        headers: Mapping[str, str],
        body: Mapping[str, Any] | None,
    ) -> _Answer:
        import httpx  # noqa: PLC0415 - a tenth of a second, and most commands ask no model

        try:
            answer = self._client.request(
                method, url, headers=dict(headers), json=body, timeout=self._timeout
            )
        except httpx.ReadTimeout:
            return _Answer(0, late=True)
        except (httpx.HTTPError, httpx.InvalidURL, OSError):
            return _Answer(0)
        try:
            value = answer.json() if answer.status_code == 200 else None
        except ValueError:
            value = None
        return _Answer(answer.status_code, value, answer.headers.get("server", "").lower())
