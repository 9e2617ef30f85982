"""Texts of any length that a careless reader would take quadratic time for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal, TypeAlias

Reader: TypeAlias = Literal["notation", "unwrapped notation", "arguments", "answer"]
"""What reads the text: `parse` without or with unwrapping; or `normalise` and `classify`, as arguments or an answer."""


@dataclass(frozen=True, slots=True)
class LongText:
    """A head, a piece that is repeated behind it, and a tail."""

    name: str
    reader: Reader
    head: str
    piece: str
    tail: str = ""

    def of(self, size: int) -> str:
        """Return the text with `size` characters of whole pieces, or a few less."""
        return self.head + self.piece * (size // len(self.piece)) + self.tail


_HEADS: Final = {
    "nothing": "",
    "a diff": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n",
    "a block": "a.py\n<<<<<<< SEARCH\n",
    "a patch": "*** Begin Patch\n*** Update File: a\n",
}
_PIECES: Final = (
    "@", "=", "<", "-", "`", "[", " ", "\n", "@@\n", "=======\n", "<<<<<<< SEARCH\n", ">>>>>>> REPLACE\n", "```diff\n",
)  # fmt: skip


def _notations() -> Iterator[LongText]:
    readers: tuple[Reader, ...] = ("notation", "unwrapped notation")
    for reader, (head, text), piece in product(readers, _HEADS.items(), _PIECES):
        yield LongText(f"{piece!r} behind {head}", reader, text, piece)


NOTATIONS: Final = tuple(_notations())

REPLIES: Final = (
    LongText("a cut string", "arguments", '{"path": "a.py", "text": "', "line\\n"),
    LongText("a cut string with quotes", "arguments", '{"path": "a.py", "text": "', '\\"x'),
    LongText("a cut string in single quotes", "arguments", "{'path': 'a.py', 'text': '", "\\'x"),
    LongText("a cut list of numbers", "arguments", '{"path": [', "1, "),
    LongText("raw line breaks, cut", "arguments", '{"path": "a.py", "text": "', "line\n"),
    LongText("digits", "arguments", '{"path": ', "1"),
    LongText("the letter e", "arguments", "{", "e", "x"),
    LongText("objects side by side", "arguments", "", '{"path": "a"}'),
    LongText("opening brackets", "arguments", "", '{"a":'),
    LongText("tags behind arguments", "arguments", '{"path": "a"}', "<a "),
    LongText("markers", "answer", "", "<tool_call>"),
    LongText("markers with objects", "answer", "", '<tool_call>{"name": "'),
    LongText("functions", "answer", "", "<function=write_file>\n"),
    LongText("parameters", "answer", "<function=write_file>\n", "<parameter=text>"),
    LongText(
        "closed parameters", "answer", "<function=write_file>\n", "<parameter=text>x</parameter>"
    ),
    LongText("values", "answer", "<tool_call>write_file\n", "<arg_key>a</arg_key><arg_value>"),
    LongText("backticks", "answer", "", "` `` ``` "),
    LongText("fences", "answer", "", "````\n```\n"),
    LongText("blanks", "answer", "", " "),
    LongText("line ends", "answer", "", "\n"),
    LongText("angle brackets", "answer", "", "<"),
    LongText("thoughts", "answer", "", "<think>"),
    LongText("ends of thoughts", "answer", "", "x </think> "),
    LongText("nested", "answer", "", "<write_file>\n<path>"),
    LongText("nested fields", "answer", "<write_file>\n", "<path>a</path>"),
    LongText("channels", "answer", "", "<|channel|>commentary<|message|>{"),
    LongText("recipients", "answer", "", "commentary to=functions.read_file json "),
    LongText("quotes", "answer", "", "> a\n"),
    LongText("python", "answer", "[", 'read_file(path="a"), '),
    LongText("bare objects", "answer", "", '{"name": "read_file", "arguments": {"path": "a"}}\n'),
    LongText("sentences", "answer", "", "Let me read the file. "),
    LongText("one long word", "answer", "", "a"),
    LongText("comments", "arguments", '{"path": "a", ', "// x\n"),
    LongText("openings of comments", "arguments", '{"path": "a", ', "/* "),
    LongText("line ends in a fence", "answer", "```\n", "\n", "x\n```"),
    LongText("tool code", "answer", "```tool_code\n", 'write_file(text="""', "\n```"),
    LongText("opened lists", "answer", "", "[\n"),
    LongText("opened objects", "answer", "", '{"a": "read_file",\n'),
    LongText(
        "stutters", "answer", "", '<tool_call>{"name": "read_file", "arguments": {}}</tool_call>\n'
    ),
    LongText("a long answer", "answer", "Now I will read it: ", "word "),
)
