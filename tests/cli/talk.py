"""A project, a scripted model behind real HTTP, and `holdfast run` in this process."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from holdfast.testing import Reply, ScriptedServer
from tests.cli.project import Project, Ran


def user_file(project: Project) -> Path:
    """Say where the user's own settings are in a test."""
    return project.root.parent / "user.toml"


class Talk:
    """A project and a server."""

    def __init__(self, project: Project, server: ScriptedServer) -> None:
        self.project, self.server = project, server

    def __call__(self, *words: str, given: str = "", as_json: bool = True) -> Ran:
        place = [
            "--root",
            str(self.project.root),
            "--base-url",
            self.server.base_url,
            "--model",
            "scripted",
        ]
        return self.project.run(
            "run", *words, *place, *(["--json"] if as_json else []), reply=given
        )

    @property
    def payloads(self) -> list[list[dict[str, Any]]]:
        return [request.messages for request in self.server.requests]


@contextmanager
def talk(project: Project, script: Sequence[Reply], **options: Any) -> Iterator[Talk]:
    with ScriptedServer(script, **options) as server:
        yield Talk(project, server)


def events(ran: Ran) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran.out.splitlines()]


def ended(ran: Ran) -> dict[str, Any]:
    last = events(ran)[-1]
    assert last["kind"] == "turn_ended"
    return last


def of_kind(ran: Ran, kind: str) -> list[dict[str, Any]]:
    return [event for event in events(ran) if event["kind"] == kind]
