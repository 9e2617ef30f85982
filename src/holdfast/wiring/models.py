"""The model that a turn or a repair asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.adapters.models.openai_compatible import OpenAICompatible
    from holdfast.config.settings import Settings
    from holdfast.usecases.turns.send_message import NotSent


def find_model(settings: Settings, say: Callable[[str], None]) -> OpenAICompatible | NotSent:
    """Find the server that is configured, or a local one, and the model to use there."""
    from holdfast.adapters.models.discovery import find_context, find_server  # noqa: PLC0415 - brings httpx
    from holdfast.adapters.models.openai_compatible import OpenAICompatible  # noqa: PLC0415
    from holdfast.adapters.models.servers import ServerNotFound  # noqa: PLC0415
    from holdfast.usecases.turns.send_message import NotSent  # noqa: PLC0415

    key = settings.key_to_send
    if settings.why_key_withheld:
        say(settings.why_key_withheld)
    server = find_server(settings["base_url"], key=key)
    if isinstance(server, ServerNotFound):
        return NotSent(server.message, "needs_login" if server.login else "unreachable")
    name = settings["model"] or next(iter(server.models), None)
    if name is None:
        return NotSent(
            f"{server.base_url} lists no model; load one there, or name one with --model.",
            "unreachable",
        )
    context = settings["context"]
    if context is None:
        found = find_context(server, name, key=key)
        context = found.tokens
        if found.warning:
            say(found.warning)
    return OpenAICompatible(server.base_url, name, key=key, context=context, kind=server.kind)
