"""A scripted model for any agent: it reads the task from the prompt and the tools from the request.

A prompt has a line `HOLDFAST-TASK write PATH TEXT`, `HOLDFAST-TASK run COMMAND`, `HOLDFAST-TASK say
TEXT`, `HOLDFAST-TASK wait` or `HOLDFAST-TASK fail STATUS`. The last one of the last user message counts; requests without one (for
a title, for memory) are answered with a text.
"""

from __future__ import annotations

import json
import re
import shlex
import threading
from typing import TYPE_CHECKING, Any

from holdfast.testing import call, fail, hang, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from holdfast.testing import RecordedRequest, Reply

_TASK = re.compile(r"HOLDFAST-TASK ([^\n]+)")
_WRITERS = ("Write", "write_file", "write")
_SHELLS = (
    "exec_command",
    "shell_command",
    "shell",
    "bash",
    "Bash",
    "run_shell_command",
    "run_commands",
)


class ScriptedCoder:
    """The script of a server: a function of the request. `release` ends all tasks that wait.

    `worktrees` is the folder with the one worktree that the agent works in: some tools want absolute
    paths.
    """

    def __init__(self, worktrees: Path) -> None:
        self._worktrees = worktrees
        self.release = threading.Event()
        self.waiting = threading.Event()

    def __call__(self, request: RecordedRequest) -> Reply:
        """Return the reply to a request."""
        task, answered = _task_of(request)
        if not task or not _tools(request):
            return say("A title")
        word, _, rest = task.partition(" ")
        match word:
            case "fail":
                return fail(int(rest), "the scripted model fails")
            case "wait":
                self.waiting.set()
                return hang(self.release, say("Waited."))
            case "write" if not answered:
                path, _, text = rest.partition(" ")
                return _write(_tools(request), str(self._find_worktree() / path), text)
            case "run" if not answered:
                return _run(_tools(request), rest)
            case "say":
                return say(rest)
        return say("Done.")

    def _find_worktree(self) -> Path:
        return next(path for path in self._worktrees.iterdir() if (path / ".git").exists())


def texts_of(message: Mapping[str, Any]) -> str:
    """Return the texts of a message, in whichever API."""
    content = message.get("content", message.get("parts", ""))
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))


def _task_of(request: RecordedRequest) -> tuple[str, bool]:
    """Return the task of the last user message, and whether a tool has answered since."""
    answered = False
    for message in reversed(request.messages):
        if _is_tool_result(message):
            answered = True
            continue
        if message.get("role") != "user":
            continue
        found = _TASK.findall(texts_of(message))
        if not found and _is_context(message):
            continue
        return (found[-1].strip().strip('"') if found else "", answered)
    return "", answered


def _is_context(message: Mapping[str, Any]) -> bool:
    """Return whether an agent, not the user, has written this message."""
    return texts_of(message).lstrip().startswith(("<", "# AGENTS", "Your tool", "This is the"))


def _is_tool_result(message: Mapping[str, Any]) -> bool:
    if message.get("role") == "tool" or message.get("type") == "function_call_output":
        return True
    text = json.dumps(message.get("content", message.get("parts", "")))
    return '"tool_result"' in text or '"functionResponse"' in text


def _tools(request: RecordedRequest) -> dict[str, Mapping[str, Any]]:
    """Return the properties of each tool, by its name."""
    return dict(_each_tool(request.body.get("tools") or ()))


def _each_tool(tools: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for tool in tools:
        for inner in tool.get("functionDeclarations", [tool.get("function", tool)]):
            schema = (
                inner.get("parameters")
                or inner.get("input_schema")
                or inner.get("parametersJsonSchema")
                or {}
            )
            yield str(inner.get("name", "")), schema.get("properties", {})


def _write(tools: Mapping[str, Mapping[str, Any]], path: str, text: str) -> Reply:
    for name in _WRITERS:
        if name in tools:
            fields = tools[name]
            where = next((each for each in fields if "path" in each.lower()), "path")
            return call(name, {where: path, "content": text + "\n"})
    return _run(tools, f"printf '%s\\n' {shlex.quote(text)} > {shlex.quote(path)}")


def _run(tools: Mapping[str, Mapping[str, Any]], command: str) -> Reply:
    for name in _SHELLS:
        if name in tools:
            field = next(each for each in ("cmd", "command", "commands") if each in tools[name])
            more = {"description": "Run it"} if "description" in tools[name] else {}
            if field == "commands":
                return call(name, {field: [command]})
            if tools[name][field].get("type") == "array":
                return call(name, {field: ["bash", "-lc", command]})
            return call(name, {field: command, **more})
    return say(f"No tool for it: {', '.join(tools)}")
