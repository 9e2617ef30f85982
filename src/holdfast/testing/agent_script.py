"""The line language that tells a scripted agent what to do: each line of a prompt is one action.

docs/testing.md lists the actions. What an agent says goes through a `Voice`, which knows the
notation of its transport.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from holdfast.usecases.agents.ports import TRANSCRIPT_END
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

_MEGABYTE = 1_000_000
_TICK = 0.01
_WRITER = """\
import itertools, pathlib, sys, time
for number in itertools.count():
    pathlib.Path(sys.argv[1]).write_text(f"{number}\\n")
    time.sleep(0.01)
"""


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A tool call of a scripted agent; `old` is None for a new file."""

    id: str
    title: str
    kind: str
    status: str = "pending"
    path: str = ""
    old: str | None = None
    new: str = ""
    command: str = ""
    output: str = ""


@dataclass(frozen=True, slots=True)
class ScriptedEnd:
    """How a turn ends: by its stop reason, or by an error with its code and its message."""

    stop: str = "end_turn"
    error: str = ""
    code: int = 0


class Voice(Protocol):
    """What a scripted agent can tell and ask, in the notation of its transport."""

    def say(self, text: str) -> None:
        """Send a piece of text."""

    def think(self, text: str) -> None:
        """Send a piece of reasoning."""

    def report(self, call: ScriptedCall) -> None:
        """Send the state of a tool call."""

    def plan(self, entries: Sequence[str]) -> None:
        """Send a plan, the first entry of which is being done."""

    def fill_context(self, used: int, size: int) -> None:
        """Send how many tokens are in the context, and how many fit into it."""

    def ask(self, call: ScriptedCall) -> bool:
        """Ask for permission; return whether it was granted."""

    def unknown(self) -> None:
        """Send what is valid in the notation, and has a kind that no client knows."""

    def send_raw(self, data: bytes) -> None:
        """Write bytes to the output as they are."""


class ScriptedMemory:
    """What a scripted agent remembers of a conversation, and whether it heeds a cancel."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.stubborn = False
        self.tokens = (0, 0)


class ScriptedTurn:
    """One turn: the actions of a prompt, done in a directory."""

    def __init__(
        self, prompt: str, directory: Path, voice: Voice, memory: ScriptedMemory, mode: str = ""
    ) -> None:
        before, found, message = prompt.rpartition(TRANSCRIPT_END + "\n")
        self._transcript = before if found else ""
        self._lines = [line for line in message.split("\n") if line.strip()]
        self._directory = directory
        self._voice = voice
        self._memory = memory
        self._mode = mode
        self._numbers = itertools.count(1)
        self.cancelled = threading.Event()

    def run(self) -> ScriptedEnd:
        """Do one action after the other; return how the turn ends."""
        for line in self._lines:
            word, _, rest = line.strip().partition(" ")
            action = getattr(self, f"_do_{word.replace('-', '_')}", None)
            if action is None:
                self._voice.say(f"Unknown action: {line}\n")
                continue
            end: ScriptedEnd | None = action(rest.replace("\\n", "\n"))
            if self._is_cancelled():
                return ScriptedEnd("cancelled")
            if end is not None:
                return end

        return ScriptedEnd()

    def _is_cancelled(self) -> bool:
        return self.cancelled.is_set() and not self._memory.stubborn

    def _wait(self, seconds: float) -> bool:
        """Wait; return False as soon as the turn is cancelled."""
        if self._memory.stubborn:
            threading.Event().wait(seconds)
            return True
        return not self.cancelled.wait(seconds)

    def _new_call(self, title: str, kind: str, **fields: str | None) -> ScriptedCall:
        return ScriptedCall(f"call-{next(self._numbers)}", title, kind, **fields)  # type: ignore[arg-type]

    # ------------------------------------------------------------------------------- speech

    def _do_say(self, text: str) -> None:
        self._voice.say(text + "\n")

    def _do_think(self, text: str) -> None:
        self._voice.think(text + "\n")

    def _do_slow(self, text: str) -> None:
        """Say `text` 5 times with pauses of 0.2 seconds, or as `slow COUNT SECONDS` says."""
        count, _, seconds = (text or "5 0.2").partition(" ")
        for number in range(int(count)):
            self._voice.say(f"{number} ")
            if not self._wait(float(seconds or 0.2)):
                return

    def _do_big(self, text: str) -> None:
        self._voice.say("x" * (int(text or 10) * _MEGABYTE))

    def _do_flood(self, text: str) -> None:
        for number in range(int(text or 10_000)):
            self._voice.say(f"{number} ")

    def _do_plan(self, text: str) -> None:
        self._voice.plan([entry.strip() for entry in text.split(";")])

    def _do_unknown(self, _text: str) -> None:
        self._voice.unknown()

    def _do_usage(self, text: str) -> None:
        prompt, completion, *context = map(int, text.split())
        self._memory.tokens = (prompt, completion)
        if context:
            self._voice.fill_context(*context)

    # ------------------------------------------------------------------------------- tools

    def _do_write(self, text: str) -> None:
        name, _, content = text.partition(" ")
        call = self._editing(name, content)
        self._voice.report(call)
        self._carry_out(call)

    def _do_permission(self, text: str) -> None:
        """Ask before a write; the call is first reported in the question, as qwen and gemini do."""
        name, _, content = text.partition(" ")
        call = self._editing(name, content)
        self._ask_first(call)

    def _do_ask(self, command: str) -> None:
        self._ask_first(self._new_call(command, "execute", command=command))

    def _do_run(self, command: str) -> None:
        call = self._new_call(command, "execute", command=command)
        self._voice.report(call)
        self._carry_out(call)

    def _do_delete(self, name: str) -> None:
        (self._directory / name).unlink()

    def _do_read(self, name: str) -> None:
        self._voice.say((self._directory / name).read_text())

    def _do_rewrite(self, name: str) -> None:
        for number in itertools.count():
            (self._directory / name).write_text(f"{number}\n")
            if not self._wait(_TICK):
                return

    def _editing(self, name: str, content: str) -> ScriptedCall:
        path = self._directory / name
        old = path.read_text() if path.exists() else None
        new = content + "\n"
        return self._new_call(f"Write {name}", "edit", path=str(path), old=old, new=new)

    def _ask_first(self, call: ScriptedCall) -> None:
        if self._voice.ask(call):
            self._carry_out(call)
            return
        self._voice.report(replace(call, status="failed", output="not permitted"))
        self._voice.say(f"Not permitted: {call.title}\n")

    def _carry_out(self, call: ScriptedCall) -> None:
        self._voice.report(replace(call, status="in_progress"))
        if call.path:
            Path(call.path).parent.mkdir(parents=True, exist_ok=True)
            Path(call.path).write_text(call.new)
            output, status = "", "completed"
        else:
            ran = subprocess.run(  # noqa: S602 - the script of a test says what to run
                call.command,
                shell=True,
                cwd=self._directory,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            output = ran.stdout
            status = "failed" if ran.returncode else "completed"

        self._voice.report(replace(call, status=status, output=output))

    # ------------------------------------------------------------------------------- memory

    def _do_remember(self, text: str) -> None:
        self._memory.words.append(text)

    def _do_recall(self, _text: str) -> None:
        self._voice.say(f"Remembered: {', '.join(self._memory.words) or 'nothing'}\n")

    def _do_transcript(self, _text: str) -> None:
        self._voice.say(f"Transcript: {self._transcript.strip() or 'none'}\n")

    def _do_env(self, name: str) -> None:
        self._voice.say(f"{name}={os.environ.get(name, '')}\n")

    def _do_mode(self, _text: str) -> None:
        self._voice.say(f"Mode: {self._mode or 'none'}\n")

    def _do_pid(self, _text: str) -> None:
        self._voice.say(f"{os.getpid()}\n")

    # ------------------------------------------------------------------------------- faults

    def _do_stderr(self, text: str) -> None:
        """Write so many kilobytes to standard error, in lines."""
        for _ in range(int(text or 1000)):
            sys.stderr.write("e" * 999 + "\n")
        sys.stderr.write("the end of stderr\n")
        sys.stderr.flush()

    def _do_junk(self, _text: str) -> None:
        self._voice.send_raw(b"Warning: this is not JSON\n\n[1, 2]\n\xff\xfe\x00\n{}\n")
        self._voice.send_raw(b'{"jsonrpc": "2.0", "id": [4], "result": 1}\n')
        self._voice.send_raw(b'{"jsonrpc": "2.0", "id": 99, "error": "text"}\n"half\n')

    def _do_half(self, _text: str) -> None:
        """Write a valid message in two halves."""
        self._voice.send_raw(b'{"jsonrpc": "2.0", "method": "_vendor/half", ')
        self._wait(10 * _TICK)
        self._voice.send_raw(b'"params": {}}\n')

    def _do_cut(self, _text: str) -> None:
        """End in the middle of a line."""
        self._voice.send_raw(b'{"jsonrpc": "2.0", "method": "session/upd')
        os.kill(os.getpid(), signal.SIGKILL)

    def _do_crash(self, text: str) -> None:
        if text:
            os._exit(int(text))
        os.kill(os.getpid(), signal.SIGKILL)

    def _do_close(self, _text: str) -> None:
        """Close the output, and live on."""
        sys.stdout.flush()
        os.close(1)
        self._memory.stubborn = True
        threading.Event().wait()

    def _do_hang(self, _text: str) -> None:
        while self._wait(60.0):
            continue

    def _do_ignore_cancel(self, _text: str) -> None:
        self._memory.stubborn = True

    def _do_escape(self, name: str) -> None:
        """Start a process in a session of its own, with our output, that keeps writing a file.

        Go on when the process has begun to write.
        """
        path = self._directory / name
        path.unlink(missing_ok=True)
        words = [sys.executable, "-I", "-S", "-c", _WRITER, str(path)]
        subprocess.Popen(words, start_new_session=True, stdin=subprocess.DEVNULL)  # noqa: S603 - a fixed list of words
        while not path.exists() and self._wait(_TICK):
            continue

    def _do_stop(self, reason: str) -> ScriptedEnd:
        return ScriptedEnd(reason)

    def _do_error(self, message: str) -> ScriptedEnd:
        return ScriptedEnd(error=message, code=-32603)

    def _do_login(self, _text: str) -> ScriptedEnd:
        return ScriptedEnd(error="Authentication required", code=-32000)
