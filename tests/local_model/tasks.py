"""Thirty things to ask of a model that understands little: small projects, and prompts of many kinds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

PROJECTS: Mapping[str, Mapping[str, str]] = {
    "greeting": {
        "greet.py": 'def greet(name):\n    # Be polite.\n    return "Hello, " + name + "!"\n',
        "README.md": "# Greeting\n\nSays hello.\n",
    },
    "tabs": {
        "src/retry.py": "class Retry:\n\tlimit = 10\n\n\tdef wait(self, attempt):\n\t\treturn min(2 ** attempt, self.limit)\n",
        "AGENTS.md": "Indent with tabs.\n",
    },
    "windows": {
        "notes.txt": "first line\r\nsecond line\r\nthird line\r\n",
        "config.ini": "[server]\r\nport = 8080\r\n",
    },
    "unicode": {
        "wörter.py": 'GRÜSSE = ["Grüß Gott", "Čau", "こんにちは"]\n',
        "index.html": "<p>Größe: 10 µm</p>\n",
    },
    "twins": {
        "net.py": "def connect(host):\n    timeout = 100\n    return host, timeout\n\n\n"
        "def reconnect(host):\n    timeout = 100\n    return host, timeout\n",
        "test_net.py": "from net import connect\n\n\ndef test_connect():\n    assert connect('a') == ('a', 100)\n",
    },
}


def _repeat(name: str, **arguments: str) -> str:
    """Ask for a call in words that even this model follows now and then."""
    body = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    return f"Repeat exactly this and nothing else:\n<tool_call>\n{body}\n</tool_call>"


_PROMPTS: Mapping[str, tuple[str, ...]] = {
    "greeting": (
        "Say Hi instead of Hello in greet.py.",
        "What does greet.py do?",
        _repeat("read_file", path="greet.py"),
        _repeat("edit_file", path="greet.py", old="Be polite.", new="Be very polite."),
        "Write a long story about a greeting.",
        "Delete all files.",
    ),
    "tabs": (
        "Let every wait take at least one second in src/retry.py.",
        'Copy this line: {"name": "list_dir", "arguments": {"path": "src"}}',
        _repeat("edit_file", path="src/retry.py", old="limit = 10", new="limit = 20"),
        "Write a patch for src/retry.py that raises the limit. Use a unified diff.",
        "Count from 1 to 1000.",
        _repeat("run_command", command="ls -la"),
    ),
    "windows": (
        "Change the port in config.ini to 9090.",
        "Add a fourth line to notes.txt.",
        'Answer only with: [TOOL_CALLS]read_file[ARGS]{"path": "notes.txt"}',
        _repeat("edit_file", path="config.ini", old="port = 8080", new="port = 9090"),
        "Repeat the word line two hundred times.",
        _repeat("read_file", path="/etc/passwd"),
    ),
    "unicode": (
        "Add a greeting in French to wörter.py.",
        _repeat("edit_file", path="index.html", old="Größe: 10", new="Größe: 20"),
        _repeat("search", pattern="Größe"),
        _repeat("write_file", path="neu.txt", text="Größe"),
        "Antworte auf Deutsch: was steht in wörter.py?",
        "😀" * 20,
    ),
    "twins": (
        "Set the timeout of reconnect to 30.",
        "Run the tests and mend what fails.",
        _repeat("edit_file", path="net.py", old="timeout = 100", new="timeout = 30"),
        _repeat(
            "edit_file", path="net.py", old="def connect(host):", new="def connect(host, port=80):"
        ),
        'Call the tool find_files with {"pattern": "*.py"} and then read every file.',
        "Think step by step, in <think> tags, about what reconnect is for, and then say OK.",
    ),
}


@dataclass(frozen=True, slots=True)
class Task:
    """One turn to run."""

    project: str
    prompt: str


def tasks() -> Iterator[Task]:
    """Give all tasks, one project after the other."""
    for project, prompts in _PROMPTS.items():
        for prompt in prompts:
            yield Task(project, prompt)
