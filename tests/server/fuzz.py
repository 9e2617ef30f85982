"""Requests made from the OpenAPI document, half of them with ids that exist: no answer is a fault or outside of the document."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from holdfast.server.app import make_app
from holdfast.server.openapi import describe
from tests.server.harness import TOKEN, RunningServer

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
_POOLS = {
    "sessions": "session",
    "projects": "project",
    "turns": "turn",
    "approvals": "approval",
    "changes": "change",
    "worktrees": "session",
    "decisions": "decision",
}


class Ids:
    """The ids that answers had, by what they are of."""

    def __init__(self, numbers: random.Random) -> None:
        self.known: dict[str, list[str]] = {}
        self._numbers = numbers

    def learn(self, body: Any, noun: str = "") -> None:
        """Remember every id of an answer."""
        if isinstance(body, list):
            for each in body:
                self.learn(each, noun)
            return
        if not isinstance(body, dict):
            return
        for name, value in body.items():
            kind = {
                "id": noun,
                "session": "session",
                "turn": "turn",
                "turn_id": "turn",
                "checkpoint_id": "checkpoint",
                "message_id": "message",
                "change_id": "change",
            }.get(name)
            if kind and isinstance(value, str) and value:
                pool = self.known.setdefault(kind, [])
                if value not in pool:
                    pool.append(value)
                    del pool[:-20]
            else:
                self.learn(value, _POOLS.get(name, {"queue": "message"}.get(name, "")))

    def put_into(self, case: Any) -> None:
        """Replace the ids of a request by ones that exist."""
        nouns = {"sessionId": "session", "checkpointId": "checkpoint", "messageId": "message"}
        first = case.operation.path.split("/")[2]
        parameters = case.path_parameters or {}
        for name in parameters:
            noun = nouns.get(name) or (_POOLS.get(first, "") if name == "id" else "")
            if pool := self.known.get(noun):
                parameters[name] = self._numbers.choice(pool)
        query = case.query or {}
        if "project" in query and self.known.get("project"):
            query["project"] = self._numbers.choice(self.known["project"])


def fuzz(server: RunningServer, cases: int, number: int) -> Counter[int]:
    """Send at least so many requests; return how often each status came. Raise for a bad answer."""
    document = describe(make_app())
    del document["paths"]["/api/projects/{id}/events"]
    schema = schemathesis.openapi.from_dict(document)
    schema.config.base_url = server.url
    operations = [each.ok() for each in schema.get_all_operations() if isinstance(each, Ok)]
    statuses: Counter[int] = Counter()
    numbers = random.Random(number)
    ids = Ids(numbers)
    session = server.new_session()
    server.turn(session, "one")
    for path in ("/projects", "/sessions", f"/sessions/{session}/messages"):
        ids.learn({path.split("/")[1]: server.get(path)})
    share = -(-cases // len(operations))
    for operation in operations:
        run = settings(
            max_examples=share,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )(seed(number)(given(case=operation.as_strategy())(_sender(ids, numbers, statuses))))
        run()
    return statuses


def _sender(ids: Ids, numbers: random.Random, statuses: Counter[int]) -> Callable[[Any], None]:
    """Return what sends a request and checks its answer."""

    def send(case: Any) -> None:
        path = case.operation.path
        if numbers.random() < 0.6 and path != "/api/projects/{id}":
            ids.put_into(case)
        answer = case.call(headers={"Authorization": f"Bearer {TOKEN}"})
        statuses[answer.status_code] += 1
        case.validate_response(answer, checks=CHECKS)
        if answer.status_code < 300:
            ids.learn({path.split("/")[2]: answer.json()})

    return send
