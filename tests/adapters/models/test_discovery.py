"""Finding a server, its models and their context, against servers that look like each of the four."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from holdfast.adapters.models.discovery import Context, find_context, find_server
from holdfast.adapters.models.servers import (
    PORTS,
    Server,
    ServerKind,
    ServerNotFound,
    is_loopback,
    normal_url,
    shown_url,
)
from holdfast.testing import ScriptedServer, say
from tests.waiting import LONGEST

LOCAL: list[ServerKind] = ["ollama", "lm_studio", "llama_cpp", "vllm"]


def find(configured: str | None, **options: Any) -> Server | ServerNotFound:
    """Look as usual, with all the time that a loaded machine may need."""
    return find_server(configured, timeout=LONGEST, **options)


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port on which nothing listens, and that nobody else gets meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def test_the_usual_ports_are_these() -> None:
    assert dict(PORTS) == {"ollama": 11434, "lm_studio": 1234, "llama_cpp": 8080, "vllm": 8000}


@pytest.mark.parametrize("kind", LOCAL)
def test_a_local_server_is_found_on_its_port_and_known_for_what_it_is(
    kind: ServerKind, closed_port: int
) -> None:
    with ScriptedServer([], kind=kind, model="coder") as server:
        found = find(None, ports=[("ollama", closed_port), (kind, server.port)])

    assert found == Server(kind, server.base_url, ("coder",))


@pytest.mark.parametrize("kind", [*LOCAL, "llama_cpp_python", "other"])
def test_a_configured_server_is_known_for_what_it_is(kind: ServerKind) -> None:
    with ScriptedServer([], kind=kind, models=["a", "b"]) as server:
        assert find(f"127.0.0.1:{server.port}") == Server(kind, server.base_url, ("a", "b"))


@pytest.mark.parametrize("kind", ["ollama", "llama_cpp", "lm_studio"])
def test_a_server_is_known_by_its_own_api_where_its_list_does_not_tell(kind: ServerKind) -> None:
    listed = {"/v1/models": {"data": [{"id": "coder", "owned_by": "somebody"}]}}
    with ScriptedServer([], kind=kind, model="coder", extra=listed) as server:
        assert find(server.base_url) == Server(kind, server.base_url, ("coder",))


def nobody_answers(tried: str) -> ServerNotFound:
    return ServerNotFound(
        f"no model server answers on this machine (tried {tried}). Start one, for example "
        "`ollama serve` with a model pulled, or name one with --base-url or HOLDFAST_BASE_URL."
    )


def test_where_nothing_answers_the_message_has_the_next_step(closed_port: int) -> None:
    found = find(None, ports=[("ollama", closed_port), ("vllm", closed_port)])

    assert found == nobody_answers(f"Ollama {closed_port}, vLLM {closed_port}")


def test_a_configured_server_that_does_not_answer_is_named(closed_port: int) -> None:
    url = f"http://127.0.0.1:{closed_port}/v1"

    silent = ServerNotFound(
        f"nothing answers at {url}; start the server there, or name another with --base-url."
    )
    assert find(url) == silent


def test_a_configured_server_that_is_too_busy_to_list_its_models_is_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        url = f"http://127.0.0.1:{busy.getsockname()[1]}/v1"

        assert find_server(url, timeout=0.1) == Server("other", url)
        port = busy.getsockname()[1]
        assert find_server(None, ports=[("vllm", port)], timeout=0.1) == nobody_answers(
            f"vLLM {port}"
        )


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("http://[::1", "http://[::1 is not a URL"),
        ("gopher://x", "gopher://x/v1 does not begin with http:// or https://"),
        ("http://", "http:///v1 names no host"),
    ],
)
def test_an_address_that_is_none_is_not_found(url: str, fault: str) -> None:
    assert find(url) == ServerNotFound(f"the base URL {fault}; set it with --base-url.")


def test_another_program_on_a_usual_port_is_passed_over() -> None:
    with (
        ScriptedServer([], extra={"/v1/models": {"hello": "world"}}) as other,
        ScriptedServer([], kind="vllm", model="coder") as server,
    ):
        found = find(None, ports=[("llama_cpp", other.port), ("vllm", server.port)])

    assert found == Server("vllm", server.base_url, ("coder",))


def test_a_key_goes_to_the_configured_server_only_and_is_not_shown() -> None:
    with ScriptedServer([say("x")], key="sk-secret-12345678") as server:
        assert find(server.base_url, key="sk-secret-12345678") == Server(
            "other", server.base_url, ("scripted",)
        )
        refused = find(server.base_url, key="sk-wrong-12345678")
        found = find(None, key="sk-secret-12345678", ports=[("vllm", server.port)])
        assert found == nobody_answers(f"vLLM {server.port}")

    assert isinstance(refused, ServerNotFound)
    assert "refuses the key that it was sent (401)" in refused.message
    assert "sk-" not in refused.message


def test_a_configured_server_that_lists_no_models_is_a_server_all_the_same() -> None:
    with ScriptedServer([], extra={"/v1/models": []}) as server:
        assert find(server.base_url) == Server("other", server.base_url)


def test_models_that_cannot_chat_are_left_out_and_loaded_ones_come_first() -> None:
    v0 = [
        {"id": "a", "type": "llm", "state": "not-loaded"},
        {"id": "b", "type": "llm", "state": "loaded"},
        {"id": "vectors", "type": "embeddings", "state": "loaded"},
    ]
    names = ["a", "vectors", "nomic-embed-text", "b"]
    with ScriptedServer(
        [], kind="lm_studio", models=names, extra={"/api/v0/models": {"data": v0}}
    ) as server:
        found = find_server(server.base_url)
        assert found == Server("lm_studio", server.base_url, ("b", "a"))


# -------------------------------------------------------------------------------------------------------- context


def context(kind: ServerKind, tokens: int | None = None, **extra: Any) -> Context:
    answers = {path.replace("_", "/"): value for path, value in extra.items()}
    with ScriptedServer([], kind=kind, model="coder", context=tokens, extra=answers) as server:
        return find_context(Server(kind, server.base_url, ("coder",)), "coder")


@pytest.mark.parametrize("kind", LOCAL)
def test_the_context_is_what_the_server_says(kind: ServerKind) -> None:
    assert context(kind, 32768) == Context(32768)


@pytest.mark.parametrize("kind", LOCAL)
def test_a_small_context_is_warned_of_with_the_cure(kind: ServerKind) -> None:
    found = context(kind, 4096)
    cures = {
        "ollama": "OLLAMA_CONTEXT_LENGTH=32768, or set num_ctx",
        "llama_cpp": "--ctx-size",
        "lm_studio": "larger context length",
        "vllm": "--max-model-len",
    }

    assert found.tokens == 4096
    assert found.warning is not None
    assert cures[kind] in found.warning
    assert found.warning.startswith("coder has room for only 4096 tokens at ")


def test_ollama_is_taken_to_give_its_default_where_nothing_is_loaded_or_set() -> None:
    found = context("ollama")

    assert (found.tokens, found.assumed) == (4096, True)
    assert found.warning is not None
    assert "Ollama's default is 4096" in found.warning


def test_ollama_takes_what_the_modelfile_sets() -> None:
    shown = {
        "parameters": 'stop "<|im_end|>"\nnum_ctx                        16384\n',
        "model_info": {},
    }

    assert context("ollama", _api_show=shown) == Context(16384)


def test_ollama_cannot_give_more_than_the_model_can_hold() -> None:
    assert (
        context("ollama", _api_show={"model_info": {"qwen2.context_length": 2048}}).tokens == 2048
    )


def test_ollama_names_a_model_with_its_tag() -> None:
    assert context(
        "ollama", _api_ps={"models": [{"name": "coder:latest", "context_length": 65536}]}
    ) == Context(65536)


def test_lm_studio_says_what_a_model_could_hold_where_it_is_not_loaded() -> None:
    assert context("lm_studio") == Context(131072)


@pytest.mark.parametrize("kind", ["llama_cpp", "llama_cpp_python", "vllm", "other", "hosted"])
def test_a_server_that_does_not_say_gives_no_context_and_no_warning(kind: ServerKind) -> None:
    assert context(kind) == Context(None)


def test_a_server_that_has_gone_gives_no_context(closed_port: int) -> None:
    assert find_context(Server("ollama", f"http://127.0.0.1:{closed_port}/v1"), "coder") == Context(
        None
    )


# ------------------------------------------------------------------------------------------------------ addresses


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("localhost:11434", "http://localhost:11434/v1"),
        ("http://localhost:11434/", "http://localhost:11434/v1"),
        ("http://localhost:11434/v1/", "http://localhost:11434/v1"),
        ("https://example.com/openai/v1/chat/completions", "https://example.com/openai/v1"),
        ("https://example.com/api?version=1", "https://example.com/api?version=1"),
    ],
)
def test_an_address_is_taken_as_people_write_it(text: str, url: str) -> None:
    assert normal_url(text) == url


def test_an_address_is_shown_without_what_may_be_secret() -> None:
    assert shown_url("https://me:pw@example.com:1/v1?key=x") == "https://example.com:1/v1"
    assert "pw" not in shown_url("http://me:pw@[::1")


@pytest.mark.parametrize(
    "url", ["http://localhost/v1", "http://127.0.0.9/v1", "http://[::1]:80/v1"]
)
def test_this_machine_is_known_by_its_names(url: str) -> None:
    assert is_loopback(url)
    assert not is_loopback(
        url.replace("localhost", "example.com")
        .replace("127.0.0.9", "10.0.0.1")
        .replace("::1", "::2")
    )
