"""Answers of each kind of server to the other requests that Holdfast makes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.adapters.models.servers import ServerKind

_OWNERS: dict[ServerKind, str] = {
    "ollama": "library",
    "vllm": "vllm",
    "llama_cpp": "llamacpp",
    "lm_studio": "organization_owner",
    "llama_cpp_python": "me",
    "hosted": "system",
    "other": "me",
}


def native_answers(
    kind: ServerKind, models: tuple[str, ...], context: int | None
) -> dict[str, Any]:
    """Return the answers by path.

    `context` is the context length of the loaded models; None if the server does not report it.
    """
    entry: dict[str, Any] = {"object": "model", "owned_by": _OWNERS[kind]}
    if kind == "vllm" and context is not None:
        entry["max_model_len"] = context

    if kind == "llama_cpp_python":
        entry["permissions"] = []

    listed = [{"id": model, **entry} for model in models]
    answers: dict[str, Any] = {"/v1/models": {"object": "list", "data": listed}}
    match kind:
        case "ollama":
            return answers | _ollama_answers(models, context)
        case "llama_cpp":
            settings = {"n_ctx": context}
            answers["/props"] = {"default_generation_settings": settings, "total_slots": 1}
        case "llama_cpp_python":
            about = {"title": "🦙 llama.cpp Python API"}
            answers["/openapi.json"] = {"openapi": "3.1.0", "info": about}
        case "lm_studio":
            answers["/api/v0/models"] = _lm_studio_models(models, context)

    return answers


def _ollama_answers(models: tuple[str, ...], context: int | None) -> dict[str, Any]:
    loaded: list[dict[str, Any]] = []
    if context is not None:
        loaded = [{"name": model, "context_length": context} for model in models]

    return {
        "/api/version": {"version": "0.0.0"},
        "/api/ps": {"models": loaded},
        "/api/show": {"parameters": "", "model_info": {"llama.context_length": 131_072}},
    }


def _lm_studio_models(models: tuple[str, ...], context: int | None) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "llm", "state": "loaded", "max_context_length": 131_072}
    if context is not None:
        entry["loaded_context_length"] = context
    return {"object": "list", "data": [{"id": model, **entry} for model in models]}
