"""What a person sees of a printed call, piece by piece: its words, and nothing of the call or of what the model invents behind it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from holdfast.loop.ports import FinishPiece, TextPiece
from holdfast.vocab.events import Said, TextArrived
from tests.loop.parse_reply.offered import SPECS as OFFERED
from tests.loop.playing import DONE, SPECS, Pieces, Played, ScriptedTools, play

CLOSING = "The off-by-one in a.py is fixed."
TOOLS = (*SPECS, replace(SPECS[2], name="write_patch", schema=OFFERED[5].schema))
WRITE = json.dumps({"path": "a.py", "text": "SECRET = 1\n"})
OBJECT = json.dumps({"name": "write_file", "arguments": {"path": "a.py", "text": "SECRET\n"}})
YAML = "path: a.py\n    text: SECRET"

# The reply, and what may be seen of it.
REPLIES = {
    "react": (f"Thought: I write it.\nAction: write_file\nAction Input: {WRITE}\nObservation: SECRET\nFinal Answer: SECRET.", "Thought: I write it.\n"),
    "react, bold, with blank lines": (f"**Thought:** I write it.\n\n**Action:** write_file\n\n**Action Input:** {WRITE}\n\n**Observation:** SECRET\n\nSECRET.", "**Thought:** I write it.\n\n"),
    "an action without an object": ("I write it.\n\nAction: write_file\nAction Input: a.py, SECRET\n\nObservation: SECRET\n\nSECRET.", "I write it.\n\n"),
    "an action that is an object": (f"I do it now.\nAction:\n```json\n{OBJECT}\n```\nObservation: SECRET", "I do it now.\nAction:\n"),
    "tool and args": (f"Tool: write_file\nArgs: {WRITE}\n\nTool result: SECRET", ""),
    "tool and args, then a false answer": (f"I write it.\n\nTool: write_file\nArgs: {WRITE}\n\nSECRET is set now.", "I write it.\n\n"),
    "a list in yaml": (f"Two steps:\n\n```yaml\n- tool: write_file\n  args:\n    {YAML}\n```\n\nObservation: SECRET", "Two steps:\n\n"),
    "yaml without a fence": (f"I write it.\n\ntool: write_file\nargs:\n    {YAML}\n", "I write it.\n\n"),
    "yaml with keys of its own": (f"```yaml\noutil: write_file\nvaleurs:\n    {YAML}\n```\n", ""),
    "a response of its own": (f"I write.\n<tool_call>\n{OBJECT}\n</tool_call>\n<tool_response>\nSECRET\n</tool_response>\nSECRET.", "I write.\n"),
    "a fence and a response of its own": (f"```json\n{OBJECT}\n```\n<tool_response>\nSECRET\n</tool_response>\nSECRET.", ""),
    "tags of the names": ("I write.\n<write_file>\n<path>a.py</path>\n<text>SECRET</text>\n</write_file>", "I write.\n"),
    "a cut patch": ("*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+SECRET\n", ""),
    "a cut patch in a fence": ("```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a\n+SECRET\n", ""),
    "a cut block": ("a.py\n<<<<<<< SEARCH\na\n=======\nSECRET\n", ""),
    "a cut block in a fence": ("```\na.py\n<<<<<<< SEARCH\na\n=======\nSECRET\n", ""),
    "python": ('I write it:\n\nwrite_file(path="a.py", text="SECRET")', "I write it:\n\n"),
}  # fmt: skip


def _pieces(text: str, size: int) -> Pieces:
    parts = [TextPiece(text[at : at + size]) for at in range(0, len(text), size)]
    return (*parts, FinishPiece("stop"))


def _play(reply: str, size: int) -> Played:
    return play([_pieces(reply, size), DONE], ScriptedTools(specs=TOOLS))


def _shown(played: Played) -> list[str]:
    return [event.text for event in played.of(TextArrived)]


@pytest.mark.parametrize("size", [1, 5, 10_000])
@pytest.mark.parametrize("name", REPLIES)
def test_nothing_of_a_call_or_an_invention_is_seen_however_it_is_split(
    name: str, size: int
) -> None:
    reply, words = REPLIES[name]
    played = _play(reply, size)
    assert "".join(_shown(played)).replace(CLOSING, "") == words
    assert "SECRET" not in "".join(said.text for said in played.of(Said))


ANSWER = """\
The limit is in `app.py`. This is how it is read:

```python
LIMIT = 3

def retry(attempt):
    return attempt < LIMIT
```

- Note: the limit counts from zero.
- It is used by one function.

The settings are these, and nobody reads them:

```json
{"version": 1, "files": ["a.py"]}
```

So `retry` is called three times.
"""


def test_an_answer_with_fences_is_shown_line_by_line() -> None:
    played = _play(ANSWER, 1)
    assert "".join(_shown(played)) == ANSWER
    for part in _shown(played):
        # A fence is shown with its first line, and JSON, which may be a call, when it is over.
        assert part.count("\n") <= 2 or '"version"' in part
    assert len(_shown(played)) > len(ANSWER) / 3


@pytest.mark.parametrize(
    "text",
    [
        "The limit is three, and it is used by one function only, which counts from zero.",
        "```python\nx = 1\ny = 2\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "限制是三，只有一个函数使用它，从零开始计数。",
    ],
)
def test_prose_and_code_are_seen_as_they_come(text: str) -> None:
    played = play([_pieces(text * 3, 1)], ScriptedTools(specs=TOOLS))
    assert "".join(_shown(played)) == text * 3
    # The first word of a message may be the key before a tool's name.
    assert max(map(len, _shown(played))) <= 42


@pytest.mark.parametrize(
    "answer",
    [
        "You search for the pattern: it is in a.py.\n\nNothing else is known of it.",
        "A call is `<tool_call>{}</tool_call>`, and a tool answers in <tool_response> tags.",
        '{"files": ["a.py", "b.py"]}',
        "--- a rule\n\nAnd words behind it.",
        "Tool: none was needed\n\nThe answer is 4.",
    ],
)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_what_turns_out_to_be_the_answer_is_seen_whole(answer: str, size: int) -> None:
    played = play([_pieces(answer, size)], ScriptedTools(specs=TOOLS))
    assert played.of(Said) == [Said(answer)]
    assert "".join(_shown(played)) == answer
