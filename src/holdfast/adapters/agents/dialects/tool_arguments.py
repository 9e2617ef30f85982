"""What the arguments of a tool say about a call, whichever agent the tool belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import unified_diff
from typing import Any

from holdfast.vocab.agent_events import AgentCall, PlanEntry, PlanStated

_PATHS = ("file_path", "filePath", "path", "notebook_path", "filename", "absolute_path")
_COMMANDS = ("command", "cmd", "commands", "script")
_OLD = ("old_string", "oldString", "old_text", "oldText", "old_str", "before")
_NEW = ("new_string", "newString", "new_text", "newText", "new_str", "after", "content")
_KINDS = {
    "execute": ("bash", "shell", "command", "exec", "terminal"),
    "edit": ("write", "edit", "patch", "replace", "create_file"),
    "read": ("read", "view", "cat"),
    "search": ("grep", "glob", "search", "find", "list", "tree", "ls"),
    "fetch": ("fetch", "web"),
    "think": ("task", "agent", "think", "delegate", "skill"),
}
"""Parts of the names of tools, by kind; the first kind that fits counts."""
_LONGEST_TITLE = 200


def describe_tool(call_id: str, tool: str, arguments: Mapping[str, Any]) -> AgentCall:
    r"""Return a call of a tool, as far as its name and its arguments say.

    >>> describe_tool("1", "Bash", {"command": "make test"}).title
    'make test'
    >>> call = describe_tool("1", "Edit", {"file_path": "a", "old_string": "x", "new_string": "y"})
    >>> call.title, call.tool_kind, call.paths, call.diff
    ('Edit a', 'edit', ('a',), '--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n')
    """
    path = _first_text(arguments, _PATHS)
    title = _first_text(arguments, _COMMANDS) or f"{tool} {path}".strip()
    diff = ""
    new = _first_text(arguments, _NEW)
    if path and new:
        diff = make_diff(path, _first_text(arguments, _OLD), new)

    return AgentCall(
        call_id,
        title[:_LONGEST_TITLE],
        tool_kind=kind_of_tool(tool),
        paths=(path,) if path else (),
        diff=diff,
    )


def kind_of_tool(tool: str) -> str:
    """Return the kind of a tool by its name.

    >>> kind_of_tool("run_shell_command"), kind_of_tool("developer__write"), kind_of_tool("x")
    ('execute', 'edit', 'other')
    """
    name = tool.lower()
    for kind, parts in _KINDS.items():
        if any(part in name for part in parts):
            return kind
    return "other"


def plan_of(tool: str, arguments: Mapping[str, Any]) -> PlanStated | None:
    """Return the plan that a call of a to-do tool states; None for other tools."""
    if tool.lower().replace("_", "") != "todowrite":
        return None

    todos = arguments.get("todos")
    if not isinstance(todos, list):
        return None

    entries = []
    for todo in todos:
        text = (
            _first_text(todo, ("content", "text", "title")) if isinstance(todo, Mapping) else todo
        )
        status = todo.get("status", "pending") if isinstance(todo, Mapping) else "pending"
        entries.append(PlanEntry(str(text), str(status)))

    return PlanStated(tuple(entries))


def make_diff(path: str, old: str, new: str) -> str:
    """Return the change of a text as a unified diff."""
    before, after = old.split("\n"), new.split("\n")
    # What ends with a newline has an empty last part, and what is empty has no line.
    before = before[:-1] if before[-1] == "" else before
    after = after[:-1] if after[-1] == "" else after
    lines = unified_diff(before, after, path, path, lineterm="")
    return "".join(f"{line}\n" for line in lines)


def _first_text(arguments: Mapping[str, Any], names: tuple[str, ...]) -> str:
    for name in names:
        value = arguments.get(name)
        if isinstance(value, list):
            value = " ".join(map(str, value))
        if isinstance(value, str) and value:
            return value

    return ""
