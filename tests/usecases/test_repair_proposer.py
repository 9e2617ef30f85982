"""What a model is asked, and how its answer is read."""

from __future__ import annotations

import json
from dataclasses import replace
from threading import Event

import pytest

from holdfast.loop.reply import ModelReply
from holdfast.repair.ports import Proposal, ProposalRequest, ProposerFailed
from holdfast.testing import ScriptedModel, fail, say
from holdfast.usecases.repair.model_proposer import (
    LateProvider,
    ModelProposer,
    question,
    read_reply,
)
from holdfast.vocab.diagnostics import Area, Diagnostic, Related

TOKEN = "ghp_" + "a1B2" * 9
CODE = 'print("{}")\n'
REPLY = {"code": CODE, "confidence": 0.8, "reasoning": "so"}
ASKED = ProposalRequest(
    "a.py",
    "python",
    "print('```')\n",
    (
        Diagnostic(
            "ruff",
            "1",
            "F821",
            "error",
            "no `x`",
            "no {0}",
            ("x",),
            "a.py",
            Area(3, 4, 3, 5),
            (),
            (Related("here", "b.py", Area(1, 1, 1, 1)),),
        ),
    ),
    ("it failed\n\ncode",),
)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(REPLY),
        json.dumps(REPLY, indent=2),
        f"Here it is: {json.dumps(REPLY)} I hope it helps.",
        f"```json\n{json.dumps(REPLY)}\n```",
        f"```\n{json.dumps(REPLY)}\n```\nDone.",
        f'<think>maybe {{"code": 1}}</think>\n{json.dumps(REPLY)}',
        '{"code": "print(\\"{}\\")\n", "confidence": 0.8, "reasoning": "so"}',
        "{code: 'print(\"{}\")\\n', confidence: 0.8, reasoning: 'so',}",
        'f() { return 1; } {"x": 1} ' + json.dumps(REPLY),
    ],
)
def test_the_object_is_found_wherever_it_stands(text: str) -> None:
    assert read_reply(ModelReply(text, finish="stop"), "m") == Proposal(CODE, 0.8, "so", "m")


def test_a_field_that_is_not_known_is_ignored() -> None:
    read = read_reply(
        ModelReply(json.dumps({**REPLY, "rule": {"target": "../../x", "n": 1}}), finish="stop"), "m"
    )
    assert read == Proposal(CODE, 0.8, "so", "m")


NO_OBJECT = "the reply has no JSON object with `code` and `confidence`."
CUT = "the reply was cut at the limit on its length; raise max_tokens, or split the file."


def test_one_fence_with_a_whole_file_has_no_confidence() -> None:
    assert read_reply(ModelReply("Here:\n```python\nx = 1\n```\n", finish="stop"), "m") == Proposal(
        "x = 1\n", None, "", "m"
    )


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (ModelReply("", finish="stop"), "the reply was empty."),
        (ModelReply("I cannot.", finish="stop"), NO_OBJECT),
        (ModelReply('{"code": 1, "confidence": 1}', finish="stop"), NO_OBJECT),
        (ModelReply('{"confidence": 1}', finish="stop"), NO_OBJECT),
        (ModelReply("```\na\n```\n```\nb\n```\n", finish="stop"), NO_OBJECT),
        (ModelReply(json.dumps(REPLY), finish="length"), CUT),
        (ModelReply(json.dumps(REPLY)), "the reply is not whole."),
        (ModelReply("{" * 5000, finish="stop"), NO_OBJECT),
    ],
)
def test_what_is_no_proposal_is_said(reply: ModelReply, message: str) -> None:
    assert read_reply(reply, "m") == ProposerFailed(message)


def test_the_question_holds_all_and_cannot_be_broken_out_of() -> None:
    asked = question(ASKED)
    assert "a.py:3:4: error: no `x` [F821]\n    b.py:1: here" in asked
    assert "````\nprint('```')\n\n````" in asked
    assert "Attempt 1 was refused:\nit failed\n\ncode" in asked


def test_a_model_is_asked_once_with_room_for_the_file() -> None:
    model = ScriptedModel([say(json.dumps(REPLY))])
    assert ModelProposer(model, Event(), max_tokens=10).propose(ASKED) == Proposal(
        CODE, 0.8, "so", "scripted"
    )
    assert [ask.max_tokens for ask in model.asks] == [1024 + len(ASKED.text) // 2]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (fail(400, "no such model"), "no such model"),
        (replace(say(json.dumps(REPLY)), finish="length"), CUT),
    ],
)
def test_a_model_that_fails_is_a_value(reply: object, message: str) -> None:
    model = ScriptedModel([reply])  # type: ignore[list-item]
    assert ModelProposer(model, Event(), max_tokens=10).propose(ASKED) == ProposerFailed(message)


def test_a_file_with_a_token_is_not_sent() -> None:
    model = ScriptedModel([say(json.dumps(REPLY))])
    asked = replace(ASKED, text=f"KEY = '{TOKEN}'\n")
    proposed = ModelProposer(model, Event(), max_tokens=10).propose(asked)
    assert isinstance(proposed, ProposerFailed)
    assert proposed.message.startswith("a token or a key is in this file")
    assert model.asks == []


def test_a_token_of_another_file_that_a_check_quotes_is_not_sent() -> None:
    [found] = ASKED.diagnostics
    asked = replace(ASKED, diagnostics=(replace(found, message=f"no `{TOKEN}`"),))
    assert "no `[token removed]`" in question(asked)
    assert TOKEN not in question(asked)


def test_the_model_is_looked_for_once_and_only_if_anybody_may_be_asked() -> None:
    said: list[str] = []
    looks: list[int] = []

    def look() -> ProposerFailed:
        looks.append(1)
        return ProposerFailed("nothing listens.")

    provider = LateProvider(look, "m", 10, said.append, Event())
    assert (provider.find().proposer, provider.find().model) == (None, "m")
    assert (looks, said) == ([1], ["nothing listens."])
    assert LateProvider(None, "m", 10, said.append, Event()).find().proposer is None
    assert (
        LateProvider(lambda: ScriptedModel([]), "", 10, said.append, Event()).find().model
        == "scripted"
    )


def test_only_the_first_eight_openings_of_a_reply_are_read() -> None:
    read = [
        read_reply(ModelReply('{"x": 1} ' * others + json.dumps(REPLY), finish="stop"), "m")
        for others in (7, 8)
    ]
    assert read == [
        Proposal(CODE, 0.8, "so", "m"),
        ProposerFailed("the reply has no JSON object with `code` and `confidence`."),
    ]
