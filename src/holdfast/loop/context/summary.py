"""The text that stands for the head of a history: asked of a model, or made without one; task and ledger are ours."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from holdfast.loop.context.ledger import MODIFIED, READ, Ledger, render, strip_sections
from holdfast.loop.ports import ModelRequest
from holdfast.vocab.tool_calls import ToolCall
from holdfast.vocab.transcript import AssistantSaid, Message, SystemText, ToolAnswered, UserText

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
    "You write down the state of a coding task so that another model can go on with it without the conversation. "
    "Write only what the conversation shows: exact paths, names, commands and error messages. Call no tool."
)
_INTRO = "The conversation so far was longer than fits; this stands for its beginning."
_TASK = "# Task"
_SUMMARY = "# Summary"
_MARK = 32  # about as long is the line that stands for what was cut out
_OUTRO = "Go on with the task from here. Read a file again before you edit it."


def ask_for_summary(
    head: Sequence[Message], ledger: Ledger, room: int, max_tokens: int
) -> ModelRequest:
    """Give the question for a summary of these messages, in at most about `room` characters."""
    files = render(ledger, room // 5)
    told = clip("\n\n".join(_tell(message) for message in head), room - len(files), keep_end=0.75)
    prompt = (
        f"<conversation>\n{told}\n</conversation>\n\n{files}\n\n"
        f"Summarise the conversation above under exactly these headings, short lines, no other text. "
        f'Keep what an earlier summary says that still holds. Leave out "{READ}" and "{MODIFIED}": they are kept.\n\n'
        f"{TEMPLATE}"
    )
    return ModelRequest((SystemText(_RULES), UserText(prompt)), max_tokens=max_tokens)


def follows_template(text: str) -> bool:
    """Whether some heading of the template is in the text."""
    return any(heading in text for heading in TEMPLATE.split("\n"))


def settle(body: str, prompts: Sequence[str], ledger: Ledger, room: int) -> str:
    """Give the message that stands for the head: what the user asked, the summary, and the ledger as it really is."""
    kept = clip(strip_sections(body).strip(), room, keep_end=0.3)
    task = _tasks(prompts, room * 3 // 2)
    return "\n\n".join(
        (_INTRO, f"{_TASK}\n{task}", f"{_SUMMARY}\n{kept}", render(ledger, room), _OUTRO)
    )


def summarise_plainly(head: Sequence[Message], room: int) -> str:
    """Give a summary without a model: what was called and how each answer began, the latest first to stay."""
    earlier = next((body for message in head if (body := _earlier(message))), "")
    answers = {
        message.call_id: message.text for message in head if isinstance(message, ToolAnswered)
    }
    calls = [
        call for message in head if isinstance(message, AssistantSaid) for call in message.calls
    ]
    done = [
        f"- {call.name} {_subject(call)}: {_first_line(answers.get(call.id, ''))}" for call in calls
    ]
    said = [
        message.text
        for message in head
        if isinstance(message, AssistantSaid) and message.text.strip()
    ]
    parts = [
        clip(earlier, room // 3, keep_end=0.5),
        "## Progress\n### Done",
        _latest(done, room // 2),
        f"## Next Steps\n{clip(said[-1].strip(), room // 6, keep_end=0.5)}" if said else "",
    ]
    return "\n".join(part for part in parts if part)


def clip(text: str, room: int, keep_end: float) -> str:
    r"""Give the text within `room` characters: its beginning, and its end to the share `keep_end`.

    >>> clip("0123456789" * 20, 60, keep_end=0.5)
    '01234567890123\n[172 characters left out]\n67890123456789'
    """
    if len(text) <= room:
        return text
    left = max(0, room - _MARK)
    end = round(left * keep_end)
    return (
        f"{text[: left - end]}\n[{len(text) - left} characters left out]\n{text[len(text) - end :]}"
    )


def _tell(message: Message) -> str:
    match message:
        case SystemText():
            return ""
        case UserText(text):
            return f"USER: {clip(text, 6000, keep_end=0.5)}"
        case ToolAnswered(name=name, text=text):
            return f"ANSWER OF {name}: {clip(text, 600, keep_end=0.3)}"
        case AssistantSaid(text, calls):
            made = (
                f"ASKED FOR {call.name} WITH {clip(_arguments(call), 400, keep_end=0.3)}"
                for call in calls
            )
            return "\n".join((f"MODEL: {clip(text, 1500, keep_end=0.5)}", *made))


def _tasks(prompts: Sequence[str], room: int) -> str:
    """What the user asked, verbatim where it fits; the first and the last words have the first claim."""
    if not prompts:
        return "(see the summary)"
    if sum(map(len, prompts)) <= room:
        return "\n\n".join(prompts)
    if len(prompts) == 1:
        return clip(prompts[0], room, keep_end=0.3)
    first, last = (
        clip(prompts[0], room // 3, keep_end=0.3),
        clip(prompts[-1], room // 2, keep_end=0.3),
    )
    return f"{first}\n\n[{len(prompts) - 2} messages of the user left out]\n\n{last}"


def _earlier(message: Message) -> str:
    """The summary inside a message that `settle` made, else nothing."""
    if not isinstance(message, UserText) or not message.text.startswith(_INTRO):
        return ""
    _, _, after = message.text.partition(f"\n{_SUMMARY}\n")
    return after.rpartition(f"\n{READ}\n")[0].strip()


def _arguments(call: ToolCall) -> str:
    return json.dumps(dict(call.arguments), ensure_ascii=False)


def _subject(call: ToolCall) -> str:
    """What a call is about, in a few words: its first plain argument."""
    return next(
        (_first_line(value) for value in call.arguments.values() if isinstance(value, str)), ""
    )


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:100]


def _latest(lines: Iterable[str], room: int) -> str:
    """The last lines that fit; a line that came before with the same words is said once."""
    kept: list[str] = []
    for line in dict.fromkeys(reversed(list(lines))):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join(reversed(kept))
