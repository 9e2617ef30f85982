"""The model of a turn or of a repair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.models.discovery import find_context, find_server
from holdfast.adapters.models.openai_compatible import OpenAICompatible
from holdfast.adapters.models.servers import ServerNotFound, shown_url
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.wiring.trust import server_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.config.settings import Settings
    from holdfast.usecases.trust.project_trust import ProjectTrust


def refuse_server(settings: Settings, trust: ProjectTrust) -> NotSent | None:
    """Return why nothing is sent to a server that only the project's file names.

    None if it is trusted, or if the user names the server.
    """
    if not trust.untrusted(server_of(settings)):
        return None

    url = settings.values["base_url"]
    return NotSent(
        f"{url.source} names the server {url.value}, which would see this project and is not "
        "trusted. Trust it with `holdfast trust`, or name the server with --base-url.",
        "needs_approval",
    )


def find_model(settings: Settings, say: Callable[[str], None]) -> OpenAICompatible | NotSent:
    """Return the model to use, on the configured server or on a local one that was found."""
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


@dataclass(frozen=True, slots=True)
class ServerModels:
    """The models of the server that a turn would use; without one, `problem` says why."""

    models: tuple[str, ...] = ()
    model: str | None = None
    base_url: str | None = None
    problem: str = ""


def list_server_models(settings: Settings) -> ServerModels:
    """Return what a turn with these settings would find. Nothing is sent but the question."""
    server = find_server(settings["base_url"], key=settings.key_to_send)
    if isinstance(server, ServerNotFound):
        return ServerModels(problem=server.message)

    model = settings["model"] or next(iter(server.models), None)
    problem = ""
    if model is None:
        problem = f"{server.base_url} lists no model; load one there, or name one with --model."

    return ServerModels(tuple(server.models), model, shown_url(server.base_url), problem)
