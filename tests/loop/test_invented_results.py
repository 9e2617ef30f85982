"""A tool's result that the model wrote itself: the call before it is run or asked for, and nothing behind it counts."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from holdfast.loop.parse_reply import BadCall
from holdfast.loop.reply import Finish, ModelReply
from holdfast.vocab.events import Said, TextArrived
from holdfast.vocab.tool_calls import ToolCall
from tests.loop.parse_reply.offered import SPECS, parse
from tests.loop.playing import DONE, Played, ScriptedTools, nudges, play, says
from tests.loop.playing import SPECS as PLAYED

WRITE = {"path": "a.py", "text": "x = 1\n"}
GIVEN = json.dumps(WRITE)
OBJECT = json.dumps({"name": "write_file", "arguments": WRITE})
YAML = "tool: write_file\nargs:\n  path: a.py\n  text: x"
PATCH = "*** Begin Patch\n*** Update File: x.py\n@@\n-a\n+b\n*** End Patch"
PATCHES = (*PLAYED, replace(PLAYED[2], name="write_patch", schema=SPECS[5].schema))

INVENTIONS = [
    "\nObservation: written.\nThought: I know it now.\nFinal Answer: FALSE.",
    "\n\nObservation: written.\n\nFALSE.",
    "\n**Observation:** written.\n\nFALSE.",
    "\n\nTool result: written.\n\nFALSE.",
    "\nFunction output:\nwritten\n\nFALSE.",
    "\n<tool_response>\nwritten\n</tool_response>\nFALSE.",
    "\n[TOOL_RESULTS] written\nFALSE.",
]

READ_FOR_CERTAIN = {
    "react": f"Thought: I write it.\nAction: write_file\nAction Input: {GIVEN}",
    "react, bold": f"**Thought:** I write it.\n\n**Action:** write_file\n**Action Input:** {GIVEN}",
    "react, a fence": f"Thought: So.\nAction: write_file\nAction Input:\n```json\n{GIVEN}\n```",
    "tool and args": f"Tool: write_file\nArgs: {GIVEN}",
    "tool name and parameters": f"Tool Name: write_file\nParameters: {GIVEN}",
    "tags": f"<tool_call>\n{OBJECT}\n</tool_call>",
    "a fence": f"```json\n{OBJECT}\n```",
    "an object": OBJECT,
    "a patch": PATCH,
}
ASKED_FOR = {
    "react after words": f"You write:\n\nAction: write_file\nAction Input: {GIVEN}",
    "react without an object": "Thought: So.\nAction: write_file\nAction Input: a.py, x = 1",
    "yaml in a fence": f"```yaml\n{YAML}\n```",
    "a list in yaml": f"```yaml\n- {YAML.replace(chr(10), chr(10) + '  ')}\n```",
    "words and yaml": f"I write it.\n\n{YAML}",
    "a fence after words": f"I do it:\n\n```json\n{OBJECT}\n```",
    "python": 'write_file(path="a.py", text="x = 1")',
    "the name and a key": "So: write_file with path=a.py and text=x",
}


def _play(reply: str) -> Played:
    return play([says(reply), DONE], ScriptedTools(specs=PATCHES))


def _seen(played: Played) -> str:
    said = [said.text for said in played.of(Said)]
    return "".join([*said, *(event.text for event in played.of(TextArrived))])


@pytest.mark.parametrize("invention", ["", *INVENTIONS])
@pytest.mark.parametrize("name", READ_FOR_CERTAIN)
def test_the_call_before_an_invented_result_is_run_and_the_rest_is_not_kept(
    name: str, invention: str
) -> None:
    played = _play(READ_FOR_CERTAIN[name] + invention)
    assert [(call.name, dict(call.arguments)) for call in played.tools.ran] == [
        ("write_patch", {"diff": f"{PATCH}\n"}) if name == "a patch" else ("write_file", WRITE)
    ]
    assert "FALSE" not in "".join(said.text for said in played.of(Said))
    assert "Observation" not in "".join(said.text for said in played.of(Said))


@pytest.mark.parametrize("invention", ["", *INVENTIONS])
@pytest.mark.parametrize("name", ASKED_FOR)
def test_a_call_that_is_not_certain_is_asked_for_and_the_invention_is_no_answer(
    name: str, invention: str
) -> None:
    played = _play(ASKED_FOR[name] + invention)
    assert played.tools.ran == []
    assert [bool(nudge) for nudge in nudges(played)] == [False, True]
    assert played.of(Said) == [Said("The off-by-one in a.py is fixed.")]


@pytest.mark.parametrize(
    "answer",
    [
        "Observation: the tests fail on Mondays.\n\nNothing else is known.",
        "The tool answers in <tool_response> tags.\n\nTool output: as it was printed.",
        f"The log has:\n\n> Action: write_file\n> Action Input: {GIVEN}\n> Observation: written\n\nSo it was.",
        "Name: read\nInput: a line\nObservation: none",
        "Action: none\nArguments: {}\nObservation: none is needed.",
    ],
)
def test_a_result_without_a_call_before_it_is_part_of_the_answer(answer: str) -> None:
    played = _play(answer)
    assert played.of(Said) == [Said(answer)]
    assert "".join(event.text for event in played.of(TextArrived)) == answer


@pytest.mark.parametrize("finish", ["stop", "tool_calls", "length", "unknown", None])
@pytest.mark.parametrize("name", ["react", "react, a fence", "tool and args"])
def test_only_the_whole_call_in_lines_is_run_wherever_its_text_ends(
    name: str, finish: Finish | None
) -> None:
    whole = READ_FOR_CERTAIN[name]
    for at in range(len(whole)):
        for call in parse(ModelReply(whole[:at], finish=finish), SPECS, prints=True).calls:
            assert isinstance(call, BadCall) or call.arguments == WRITE


def test_a_call_in_lines_that_only_reads_is_run_after_words_too() -> None:
    text = 'I look at it first.\nAction: read_file\nAction Input: {"path": "a.py"}'
    found = parse(ModelReply(text, finish="stop"), SPECS)
    assert found.calls == (ToolCall("call_1", "read_file", {"path": "a.py"}, "printed as text"),)
    assert found.text == "I look at it first."


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        ("LIMIT is 3.<|im_end|>", "LIMIT is 3."),
        ("LIMIT is 3.<|im_end|>\n<|im_start|>user\nSet it to 5.<|im_end|>", "LIMIT is 3."),
        ("Use `<|im_end|>` here.", "Use `<|im_end|>` here."),
    ],
)
def test_what_is_shown_at_the_end_of_a_step_is_the_text_of_the_answer(
    reply: str, shown: str
) -> None:
    played = play([says(reply)])
    assert played.of(Said) == [Said(shown)]
    assert "".join(event.text for event in played.of(TextArrived)) == shown
