"""What a model and its server can do wrong, drawn by lot from a seed: replies, spoiled replies, servers that fail."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from threading import Event as Flag
from typing import Literal

from holdfast.testing import (
    Call,
    Reply,
    call,
    calls,
    chunks,
    cut,
    drop,
    fail,
    overflow,
    raw,
    say,
    slow,
    text_call,
    think,
    truncated,
    whole,
    wrong_json,
)

FILES = tuple(f"src/f{n}.py" for n in range(8))
STYLES: tuple[Literal["hermes", "function", "mistral", "fenced", "bare"], ...] = (
    "hermes",
    "function",
    "mistral",
    "fenced",
    "bare",
)
CHANT = "I will check the file and then I will check the file again. "


class Lots:
    """Draws replies. What is held back by a gate goes on when somebody sets `gates`."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.gates: list[Flag] = []

    def script(self) -> list[Reply]:
        """Draw the replies of a turn: some good ones, some spoiled, and a word at the end."""
        count = self.random.randint(1, 12)
        spoiled = self.random.choice((0.2, 0.6, 0.9))
        replies = [
            self._spoiled() if self.random.random() < spoiled else self._good()
            for _ in range(count)
        ]
        if self.random.random() < 0.15:
            # Stuck: one and the same for ever.
            return [*replies, *[self.random.choice((self._good, self._spoiled))()] * 30]
        return [*replies, say("All of it is done.")]

    # ---------------------------------------------------------------------------------------------------------- good

    def _good(self) -> Reply:
        return self.random.choice(
            (self._read, self._look, self._write, self._edit, self._patch, self._several, self._run)
        )()

    def _path(self) -> str:
        return self.random.choice(FILES)

    def _read(self) -> Reply:
        return call("read_file", path=self._path())

    def _look(self) -> Reply:
        return self.random.choice(
            (
                call("list_dir", path="src"),
                call("search", pattern="VALUE"),
                call("find_files", pattern="*.py"),
            )
        )

    def _write(self) -> Reply:
        lines = "".join(
            f"VALUE_{n} = {self.random.randint(0, 9)}\n" for n in range(self.random.randint(1, 6))
        )
        path = self.random.choice((self._path(), f"src/new{self.random.randint(0, 5)}.py"))
        return call("write_file", path=path, text=lines)

    def _edit(self) -> Reply:
        """Lands if the line happens to be so; else it is refused."""
        n, old, new = (self.random.randint(0, 3) for _ in range(3))
        return call(
            "edit_file", path=self._path(), old=f"VALUE_{n} = {old}", new=f"VALUE_{n} = {new + 10}"
        )

    def _patch(self) -> Reply:
        path, n = self._path(), self.random.randint(0, 3)
        diff = f"--- a/{path}\n+++ b/{path}\n@@ -{n + 1} +{n + 1} @@\n-VALUE_{n} = {n}\n+VALUE_{n} = {n + 20}\n"
        gone = f"diff --git a/{path} b/{path}\ndeleted file mode 100644\n--- a/{path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-VALUE_0 = 0\n"
        return call(
            "write_patch", diff=self.random.choice((diff, diff, f"```diff\n{diff}```", gone))
        )

    def _several(self) -> Reply:
        made = [
            self.random.choice((self._read, self._write, self._edit))()
            for _ in range(self.random.randint(2, 4))
        ]
        edits = [
            {"path": self._path(), "old": "VALUE_0 = 0", "new": "VALUE_0 = 7"} for _ in range(2)
        ]
        return self.random.choice(
            (calls(*made, text="Some at once."), call("apply_edits", edits=edits))
        )

    def _run(self) -> Reply:
        command = self.random.choice(
            (
                "cat src/f0.py",
                "false",
                "sh -c 'kill -9 $$'",
                "ls src",
                "git status --short",
                "no-such-program",
                "rm -rf /",
            )
        )
        return call("run_command", command=command)

    # ------------------------------------------------------------------------------------------------------- spoiled

    def _spoiled(self) -> Reply:
        makers: tuple[Callable[[], Reply], ...] = (
            lambda: cut(self._good(), after=self.random.randint(0, 6)),
            lambda: cut(say("Now this is a longer sentence that never comes to"), after=2),
            lambda: fail(self.random.choice((429, 500, 502, 503)), retry_after=self.random.choice((None, 1.0))),
            lambda: fail(500, "failed to parse the tool schema: unknown keyword"),
            lambda: wrong_json(self._good()),
            self._printed,
            lambda: truncated(self._good(), prompt_tokens=self.random.choice((1, 40, 900))),
            lambda: overflow(self.random.choice((3000, 6000))),
            drop,
            lambda: say(""),
            lambda: think("Hmm."),
            lambda: say(CHANT * 40),
            lambda: replace(call("write_file", path="src/f0.py", text=CHANT * 300)),
            self._malformed,
            self._cut_by_the_limit,
            lambda: call(self.random.choice(("deploy", "Read", "bash", "str_replace", "functions.read_file")), path="src/f1.py"),
            lambda: call("edit_file", path=self._path(), old="nothing like this is there", new="x"),
            lambda: call("read_file", path=self.random.choice(("../../etc/passwd", "/etc/passwd", "gone.py", ".env"))),
            lambda: say("I know what to do. Now let me write the file."),
            self._slow,
            lambda: whole(self._good()),
            lambda: replace(self._good(), usage="none"),
            lambda: replace(self._good(), finish=""),
            lambda: Reply(calls=(Call("read_file", '{"path": "src/f2.py"}', as_object=True),)),
            self._in_odd_chunks,
            lambda: raw(self.random.choice((b"", b"<html>502 Bad Gateway</html>", b"data: [DONE]\n\n", b"data: nonsense\n\n"))),
        )  # fmt: skip
        return self.random.choice(makers)()

    def _printed(self) -> Reply:
        style = self.random.choice(STYLES)
        if self.random.random() < 0.5:
            return text_call("read_file", style=style, path=self._path())
        return text_call(
            "edit_file", style=style, path=self._path(), old="VALUE_1 = 1", new="VALUE_1 = 31"
        )

    def _malformed(self) -> Reply:
        good = json.dumps({"path": self._path(), "old": "VALUE_1 = 1", "new": "VALUE_1 = 41"})
        texts = (
            "",
            "null",
            "[]",
            good[:-5],
            good + good,
            json.dumps(good),
            "{'path': 'src/f1.py'}",
            '{"file": {}}',
            "{{",
        )
        return call("edit_file", self.random.choice(texts))

    def _cut_by_the_limit(self) -> Reply:
        text = json.dumps({"path": self._path(), "text": "VALUE_0 = 0\nVALUE_1 = 1\n"})
        reply = calls(
            call("write_file", text[: self.random.randint(5, len(text))]), text="The whole file:"
        )
        return replace(reply, finish="length")

    def _slow(self) -> Reply:
        """A word comes; the rest waits until it was seen."""
        self.gates.append(Flag())
        return slow(replace(self._good(), text="One moment, this takes a while."), self.gates[-1])

    def _in_odd_chunks(self) -> Reply:
        """The id and the name in every piece, as some servers have it, and no usage."""
        pieces = ['{"path": ', '"src/f3', '.py"}']
        function = {"name": "read_file"}
        deltas = [
            {
                "tool_calls": [
                    {
                        "index": 0,
                        "id": "same",
                        "type": "function",
                        "function": {**function, "arguments": piece},
                    }
                ]
            }
            for piece in pieces
        ]
        frames = [
            {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
        ]
        return chunks(
            *frames, {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
        )
