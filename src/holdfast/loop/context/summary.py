"""The message that replaces the head of a history: its task, a summary, and the ledger.

The summary is written by a model, or composed without one. The task and the ledger are facts.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from holdfast.loop.context.ledger import MODIFIED, READ, Ledger, render, strip_sections
from holdfast.loop.ports import ModelRequest
from holdfast.vocab.transcript import AssistantSaid, Message, SystemText, ToolAnswered, UserText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.vocab.tool_calls import ToolCall

TEMPLATE = """## Goal
## Constraints
## Progress
### Done
### In Progress
### Blocked
## Key Decisions
## Errors & Fixes
## Next Steps
## Relevant Files"""

_RULES = (
    "You write down the state of a coding task so that another model can go on with it without "
    "the conversation. Write only what the conversation shows: exact paths, names, commands and "
    "error messages. Call no tool."
)
# Stored summaries begin with this sentence: a changed one would no longer recognise them.
_INTRO = "The conversation so far was longer than fits; this stands for its beginning."
_TASK = "# Task"
_SUMMARY = "# Summary"
_MARK = 32  # about the length of the line that replaces the text left out
_OUTRO = "Go on with the task from here. Read a file again before you edit it."


def request_summary(
    head: Sequence[Message], ledger: Ledger, room: int, max_tokens: int
) -> ModelRequest:
    """Return the request for a summary of these messages, in at most about `room` characters."""
    files = render(ledger, room // 5)
    transcript = "\n\n".join(_transcribe(message) for message in head)
    conversation = clip(transcript, room - len(files), keep_end=0.75)
    prompt = (
        f"<conversation>\n{conversation}\n</conversation>\n\n{files}\n\n"
        "Summarise the conversation above under exactly these headings, short lines, no other "
        "text. Keep the parts of an earlier summary that are still true. "
        f'Leave out "{READ}" and "{MODIFIED}": they are kept.\n\n'
        f"{TEMPLATE}"
    )
    return ModelRequest((SystemText(_RULES), UserText(prompt)), max_tokens=max_tokens)


def follows_template(text: str) -> bool:
    """Return whether any heading of the template is in the text."""
    return any(heading in text for heading in TEMPLATE.split("\n"))


def compose_summary(body: str, prompts: Sequence[str], ledger: Ledger, room: int) -> str:
    """Return the message that replaces the head: the user's task, the summary, and the ledger."""
    kept = clip(strip_sections(body).strip(), room, keep_end=0.3)
    task = _tasks(prompts, room * 3 // 2)
    parts = [
        _INTRO,
        f"{_TASK}\n{task}",
        f"{_SUMMARY}\n{kept}",
        render(ledger, room),
        _OUTRO,
    ]
    return "\n\n".join(parts)


def summarise_without_model(head: Sequence[Message], room: int) -> str:
    """Return the calls and the first lines of their answers, latest preferred, as a summary."""
    earlier = ""
    answers: dict[str, str] = {}
    calls: list[ToolCall] = []
    last_text = ""
    for message in head:
        match message:
            case UserText():
                earlier = earlier or _earlier_summary(message)
            case ToolAnswered():
                answers[message.call_id] = message.text
            case AssistantSaid():
                calls += message.calls
                last_text = message.text.strip() or last_text

    done = []
    for call in calls:
        answer = _first_line(answers.get(call.id, ""))
        done.append(f"- {call.name} {_subject(call)}: {answer}")

    parts = [
        clip(earlier, room // 3, keep_end=0.5),
        "## Progress\n### Done",
        _latest(done, room // 2),
    ]
    if last_text:
        parts.append(f"## Next Steps\n{clip(last_text, room // 6, keep_end=0.5)}")

    return "\n".join(filter(None, parts))


def clip(text: str, room: int, keep_end: float) -> str:
    r"""Return the text within `room` characters: its beginning, and a share `keep_end` of its end.

    >>> clip("0123456789" * 20, 60, keep_end=0.5)
    '01234567890123\n[172 characters left out]\n67890123456789'
    """
    if len(text) <= room:
        return text

    kept = max(0, room - _MARK)
    from_end = round(kept * keep_end)
    beginning = text[: kept - from_end]
    end = text[len(text) - from_end :]
    return f"{beginning}\n[{len(text) - kept} characters left out]\n{end}"


def _transcribe(message: Message) -> str:
    match message:
        case SystemText():
            return ""
        case UserText(text):
            return f"USER: {clip(text, 6000, keep_end=0.5)}"
        case ToolAnswered(name=name, text=text):
            return f"ANSWER OF {name}: {clip(text, 600, keep_end=0.3)}"
        case AssistantSaid(text, calls):
            lines = [f"MODEL: {clip(text, 1500, keep_end=0.5)}"]
            for call in calls:
                arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
                lines.append(f"CALL OF {call.name} WITH {clip(arguments, 400, keep_end=0.3)}")
            return "\n".join(lines)


def _tasks(prompts: Sequence[str], room: int) -> str:
    """Return the user's prompts, verbatim if they fit; otherwise the first and the last."""
    if not prompts:
        return "(see the summary)"
    if sum(map(len, prompts)) <= room:
        return "\n\n".join(prompts)
    if len(prompts) == 1:
        return clip(prompts[0], room, keep_end=0.3)

    first = clip(prompts[0], room // 3, keep_end=0.3)
    last = clip(prompts[-1], room // 2, keep_end=0.3)
    return f"{first}\n\n[{len(prompts) - 2} messages of the user left out]\n\n{last}"


def _earlier_summary(message: UserText) -> str:
    """Return the summary in a message of `compose_summary`, or "" for any other message."""
    if not message.text.startswith(_INTRO):
        return ""
    _, _, after = message.text.partition(f"\n{_SUMMARY}\n")
    return after.rpartition(f"\n{READ}\n")[0].strip()


def _subject(call: ToolCall) -> str:
    """Return the first line of a call's first text argument, or ""."""
    for value in call.arguments.values():
        if isinstance(value, str):
            return _first_line(value)
    return ""


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:100]


def _latest(lines: Sequence[str], room: int) -> str:
    """Return the last lines that fit, each only once."""
    kept: list[str] = []
    for line in dict.fromkeys(reversed(lines)):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)

    return "\n".join(reversed(kept))
