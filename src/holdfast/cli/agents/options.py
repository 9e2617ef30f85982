"""Options of the commands that use an external agent."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from holdfast.vocab.agent_events import Transport


class TransportValue(StrEnum):
    """The values of `--transport`."""

    acp = "acp"
    server = "server"
    oneshot = "oneshot"


def name_of(chosen: TransportValue | None) -> Transport | None:
    """Return the name of a transport as the rest of Holdfast has it."""
    if chosen is None:
        return None

    names: dict[TransportValue, Transport] = {
        TransportValue.acp: "acp",
        TransportValue.server: "server",
        TransportValue.oneshot: "oneshot",
    }
    return names[chosen]


TransportOption = Annotated[
    TransportValue | None,
    typer.Option("--transport", help="How the agent is reached; default: as it is configured."),
]
