"""What servers of each kind answer beside Chat Completions, as far as Holdfast asks."""

from __future__ import annotations

from typing import Any

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
    """Give the answers by path. `context` is what the models are loaded with; None if the server does not say."""
    listed: list[dict[str, Any]] = [
        {"id": model, "object": "model", "owned_by": _OWNERS[kind]} for model in models
    ]
    if kind == "vllm" and context is not None:
        listed = [{**entry, "max_model_len": context} for entry in listed]
    answers: dict[str, Any] = {"/v1/models": {"object": "list", "data": listed}}
    if kind == "ollama":
        loaded = (
            [{"name": model, "context_length": context} for model in models]
            if context is not None
            else []
        )
        answers["/api/version"] = {"version": "0.0.0"}
        answers["/api/ps"] = {"models": loaded}
        answers["/api/show"] = {"parameters": "", "model_info": {"llama.context_length": 131_072}}
    if kind == "llama_cpp":
        answers["/props"] = {"default_generation_settings": {"n_ctx": context}, "total_slots": 1}
    if kind == "llama_cpp_python":
        answers["/v1/models"]["data"] = [{**entry, "permissions": []} for entry in listed]
        answers["/openapi.json"] = {
            "openapi": "3.1.0",
            "info": {"title": "🦙 llama.cpp Python API"},
        }
    if kind == "lm_studio":
        entries = [
            {"id": model, "type": "llm", "state": "loaded", "max_context_length": 131_072}
            for model in models
        ]
        for entry in entries:
            if context is not None:
                entry["loaded_context_length"] = context
        answers["/api/v0/models"] = {"object": "list", "data": entries}
    return answers
