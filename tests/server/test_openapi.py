"""The OpenAPI document: every operation, every event and every sentinel is in it."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from functools import cache
from typing import Any, get_args

import pytest
from pydantic import TypeAdapter

from holdfast.guards.loops import Trip
from holdfast.loop import sentinels
from holdfast.server.app import make_app
from holdfast.server.document import describe
from holdfast.server.models.event_models import EVENT_MODELS, EventBody, SentinelBody
from holdfast.usecases.events.event_to_json import event_to_json
from holdfast.vocab.events import Compacted, Event, SentinelRaised
from holdfast.vocab.transcript import SentinelKind

pytestmark = pytest.mark.integration


@cache
def made() -> dict[str, Any]:
    """Return the document; to make it takes half a second."""
    return describe(make_app())


def operations() -> dict[str, dict[str, Any]]:
    found = {}
    for path, methods in made()["paths"].items():
        for method, operation in methods.items():
            found[f"{method} {path}"] = operation
    return found


def test_every_operation_has_an_id_of_its_own_and_answers_problems() -> None:
    ids = [each["operationId"] for each in operations().values()]
    assert len(ids) == len(set(ids)) >= 40
    for operation in operations().values():
        problem = operation["responses"]["4XX"]["content"]["application/problem+json"]
        assert problem == {"schema": {"$ref": "#/components/schemas/Problem"}}
        assert "422" not in operation["responses"]


def test_every_reference_of_the_document_leads_somewhere() -> None:
    document = made()
    assert document["openapi"] == "3.1.0"
    names = set(document["components"]["schemas"])
    text = json.dumps(document)
    used = {piece.split('"')[0] for piece in text.split("#/components/schemas/")[1:]}
    assert used <= names


def test_every_event_is_in_the_union() -> None:
    union = made()["components"]["schemas"]["Event"]
    assert set(union["discriminator"]["mapping"]) == set(EVENT_MODELS)
    assert len(EVENT_MODELS) == len(get_args(Event))


def test_every_sentinel_of_the_loop_fits_its_model() -> None:
    models = get_args(get_args(SentinelBody)[0])
    kinds = {get_args(each.model_fields["kind"].annotation)[0] for each in models}
    assert kinds == set(get_args(SentinelKind))
    raised = [
        sentinels.mistake_recovery(("exec_error",), escalated=False),
        sentinels.mistake_recovery(("exec_error",), escalated=True),
        sentinels.doom_loop(Trip("identical", 3, escalated=True)),
        sentinels.cap_hit(5),
        sentinels.compaction(Compacted("s", 1, 2, 3, 4)),
        sentinels.compaction_off(),
        sentinels.repetition("text"),
        sentinels.needs_approval("run_command"),
    ]
    for each in raised:
        head = {"v": 1, "seq": 1, "at": "", "session": None, "turn": None}
        TypeAdapter(EventBody).validate_python(head | event_to_json(SentinelRaised(each)))


@pytest.mark.slow  # a process that loads the whole server
def test_the_document_is_printed_without_a_server() -> None:
    command = [sys.executable, "-m", "holdfast.server.openapi"]
    printed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    assert json.loads(printed) == made()


def test_the_command_line_does_not_import_the_server() -> None:
    code = "import sys, holdfast.cli.app, holdfast; print([m for m in sys.modules if 'fastapi' in m or 'uvicorn' in m])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert ast.literal_eval(told.stdout) == []
