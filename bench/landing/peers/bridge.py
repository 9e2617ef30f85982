"""A peer in a process of its own: one JSON object a line, in and out. One that hangs is killed and started anew."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from pathlib import Path
from typing import Any, Final

_WARM_UP_SECONDS: Final = 120.0
_EASY: Final = {
    "before": "a\nb\n",
    "old": "a",
    "new": "c",
    "diff": "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-a\n+c\n b\n",
    "patch": "*** Begin Patch\n*** Update File: @@FILE@@\n@@\n-a\n+c\n*** End Patch",
}
"""A question that every tool answers at once, to load it with."""


class BridgeDownError(Exception):
    """The peer's process hung or ended; the next question starts another one."""


class Bridge:
    """A process that answers questions, started with the first of them."""

    def __init__(self, command: list[str], limit_seconds: float) -> None:
        self._command = command
        self._limit = limit_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._warm: set[str] = set()

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer; `BridgeDownError` after the time limit or where the process ended."""
        tool = question["tool"]
        if self._process is None or self._process.poll() is not None:
            self._start()
        if tool not in self._warm:
            # Modules are loaded outside of the measured time.
            self._exchange({**question, **_EASY}, _WARM_UP_SECONDS)
            self._warm.add(tool)
        return self._exchange(question, self._limit)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _start(self) -> None:
        self.close()
        self._warm = set()
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def _exchange(self, question: dict[str, Any], limit: float) -> dict[str, Any]:
        try:
            return self._answer(question, time.monotonic() + limit)
        except (BrokenPipeError, json.JSONDecodeError) as error:
            self.close()
            raise BridgeDownError("the process ended") from error
        except TimeoutError as error:
            self.close()
            raise BridgeDownError(f"no answer within {limit:.0f} s") from error

    def _answer(self, question: dict[str, Any], deadline: float) -> dict[str, Any]:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(question).encode() + b"\n")
        process.stdin.flush()
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select(
                [process.stdout], [], [], max(0.0, deadline - time.monotonic())
            )
            if not ready:
                raise TimeoutError
            part = os.read(process.stdout.fileno(), 1 << 20)
            if not part:
                raise BrokenPipeError
            line += part
        answer: dict[str, Any] = json.loads(line)
        return answer


INSTALLED = Path(__file__).with_name("installed")
NODE_MODULES = INSTALLED / "node" / "node_modules"
AIDER_PYTHON = INSTALLED / "aider" / "bin" / "python"


def node_bridge(limit_seconds: float) -> Bridge:
    """The npm packages."""
    script = Path(__file__).with_name("node_bridge.mjs")
    return Bridge(["node", str(script), str(NODE_MODULES)], limit_seconds)


def aider_bridge(limit_seconds: float) -> Bridge:
    """Aider in its own Python."""
    script = Path(__file__).with_name("aider_bridge.py")
    return Bridge([str(AIDER_PYTHON), str(script)], limit_seconds)
