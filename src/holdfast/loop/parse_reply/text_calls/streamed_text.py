"""Hold back the text of a stream while it may be a printed call; leave out thoughts.

Text is shown once it is certain that it belongs to no call in any notation that is read or asked
for. The readers' own patterns say where a call may begin; the readers say whether a block is one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from holdfast.loop.parse_reply.control_tokens import TOKEN
from holdfast.loop.parse_reply.quoted_parts import FENCE, OPEN_FENCE, fence_closer
from holdfast.loop.parse_reply.text_calls.block_openers import (
    EDIT,
    FENCE_LABELS,
    KEYED,
    LINE,
    OBJECT,
    any_of,
    open_words,
    words_before_key,
)
from holdfast.loop.parse_reply.text_calls.labelled_lines import OPEN_LABEL
from holdfast.loop.parse_reply.text_calls.last_block import LABELLED_FENCE
from holdfast.loop.parse_reply.text_calls.scan import CALL_OPENER, QUOTES
from holdfast.loop.parse_reply.thinking import open_thought
from holdfast.loop.parse_reply.tool_names import find_tool
from holdfast.syntax.spans import skip
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.vocab.tool_calls import ToolSpec

_LONGEST: Final = 80
"""Enough characters to know whether a call begins at a place, or a thought at the beginning."""
_MAY_BE_THOUGHT = lazy_pattern(r"\s*(?:[<\[◁]|\Z)")
_MARK: Final = r"(?P<mark>[<\[](?=[A-Za-z|｜‖]|\Z)|to=functions\.|functions\.|functools\[|✿)"
_WORDS: Final = ("to=functions.", "functions.", "functools[")
"""The words of `_MARK`, of which the end of a text may have the beginning."""
_IN_FENCE = lazy_pattern(rf"\n|{_MARK}")
# The end of a text in which a line has begun that may go on as the beginning of a call.
_OPEN_LINE = lazy_pattern(
    rf"[ \t]*(?:-[ \t]*)?\*{{0,3}}(?:[\w.(]*|\[\s*(?:\w*|\{{\s*)|\{{\s*|{OPEN_LABEL})\Z",
    re.IGNORECASE,
)
# The same where nothing is before it: any key may name a tool, and an edit may begin.
_OPEN_START = lazy_pattern(
    r"[^\s:{}\[\]#]{0,41}(?::[ \t]*[\"']?\w{0,64})?\Z|[*<-]+(?: \w*){0,2}\s*\Z|--- [^\n]*\n?\+*\Z"
    r"|diff -*\w*\Z|\S+\r?\n<{0,9}(?: \w*)?\Z"
)
_OPEN_BODY = lazy_pattern(r"[^\n:]{0,41}(?::[ \t]*[\"']?\w{0,64})?\Z")
_OPEN_CLOSER = lazy_pattern(r" {0,3}[`~]*[ \t\r]*\Z")
_EDIT = lazy_pattern(rf"{EDIT}|--- \S|<{{5,9}} SEARCH|\S+\r?\n<{{5,9}} SEARCH")
_KEYED = lazy_pattern(rf"(?:-[ \t]+)?{KEYED}(?=\s)")
_BLANKS = lazy_pattern(r"\s*")
_BLANK = lazy_pattern(r"[ \t\r]*$", re.MULTILINE)
_BLANK_LINE = lazy_pattern(r"[ \t\r]*")
_BEHIND_COLON = lazy_pattern(r":[ \t*\"']{0,3}\Z")
_NEVER = lazy_pattern(r"(?!)")


@dataclass(slots=True)
class _Block:
    """Text that may be a call until a line matches `closer`, and two others are before it.

    A blank line may be between the line that names a tool and the line with its arguments.
    """

    closer: re.Pattern[str]
    size: int = 0
    lines: int = 0
    line: str = ""

    def feed(self, text: str) -> int | None:
        """Add text; return how long the block is, or None if it goes on."""
        *whole, rest = text.split("\n")
        for part in whole:
            line = self.line + part
            self.size += len(part) + 1
            self.line = ""
            if self.closer.fullmatch(line) and self.lines >= 2:
                return self.size
            self.lines += bool(line.strip())
        self.size += len(rest)
        self.line += rest
        if len(self.line) > _LONGEST:
            self.line = "…"  # no line that ends a block is so long
        return None


@dataclass(frozen=True, slots=True)
class _Mentions:
    """Patterns for the names of tools outside of fences.

    `outside` matches each place to judge, `with_key` a name before a key of an argument, and
    `open_name` a name at the end of the text.
    """

    outside: re.Pattern[str]
    with_key: re.Pattern[str]
    open_name: re.Pattern[str]


@lru_cache(maxsize=8)
def _mentions_of(names: tuple[str, ...], keys: tuple[str, ...]) -> _Mentions:
    # Once for the tools of a turn: each reply has the same.
    name = any_of(names)
    open_word = open_words([*_WORDS, *names])
    return _Mentions(
        re.compile(rf"\n|{_MARK}|(?P<tool>{name})|{open_word}"),
        re.compile(name + words_before_key(keys)),
        re.compile(rf"{name}\W{{0,20}}(?:\w{{1,20}}\W{{1,20}}){{0,2}}\w{{0,20}}\s*\Z"),
    )


class StreamedText:
    r"""The text of one reply while it arrives. `is_call` is whether a block of text is a call.

    >>> streamed = StreamedText((), bool)
    >>> streamed.feed("I look.\n<tool_"), streamed.feed("call>\n{"), streamed.held
    ('I look.\n', '', '<tool_call>\n{')
    """

    def __init__(self, specs: Sequence[ToolSpec], is_call: Callable[[str], bool]) -> None:
        """Start with no text."""
        self._specs = specs
        self._is_call = is_call
        self._held: list[str] = []
        self._begun = False
        self._closer: re.Pattern[str] | None = None
        self._block: _Block | None = None
        self._fence: re.Pattern[str] | None = None
        self._last = "\n"
        self._is_first = True
        names = tuple(spec.name for spec in specs)
        keys = tuple(key for spec in specs for key in spec.schema.get("properties", ()))
        self._mentions = _mentions_of(names, keys)

    @property
    def in_call(self) -> bool:
        """Whether a call has begun, or a block that may be one."""
        return self._block is not None

    @property
    def held(self) -> str:
        """The text that was not shown yet."""
        return "".join(self._held)

    def feed(self, text: str) -> str:
        """Add text; return what can be shown now."""
        self._held.append(text)
        if not self._has_begun():
            return ""

        shown: list[str] = []
        new = text
        while True:
            if self._block is not None:
                size = self._block.feed(new)
                if size is None:
                    break
                self._block = None
                if self._is_call(self.held[:size]):
                    self._block = _Block(_NEVER)
                    break
                shown.append(self._take(size))
            shown.append(self._take(self._end_of_plain()))
            if self._block is None:
                break
            new = self.held

        return "".join(shown)

    def end(self) -> str:
        """Return the rest of a text that is over, if it is certain that no call began in it."""
        if self._block is not None or not self._begun:
            return ""
        waiting = self.held
        if re.search(_MARK, waiting):
            return ""

        return self._take(len(waiting))

    def _has_begun(self) -> bool:
        """Return whether the thoughts with which a reply may begin are over, and leave them out."""
        while not self._begun:
            if self._closer is not None:
                # Nothing of a thought is kept but what may be the beginning of its end.
                waiting = self.held
                closed = self._closer.search(waiting)
                if closed is None:
                    self._held = [waiting[-_LONGEST:]]
                    return False
                self._held = [waiting[closed.end() :]]
                self._closer = None
            waiting = self.held
            opened = open_thought(waiting)
            if opened is not None:
                start, self._closer = opened
                self._held = [waiting[start:]]
            elif len(waiting) < _LONGEST and _MAY_BE_THOUGHT.match(waiting):
                return False
            else:
                self._begun = True

        return True

    def _take(self, end: int) -> str:
        """Return what is shown of the held text up to `end`, and hold the rest."""
        waiting = self.held
        plain = waiting[:end]
        self._held = [waiting[end:]]
        if plain:
            self._last = plain[-1]
        if plain.strip():
            self._is_first = False
        return TOKEN.sub("", plain)

    def _end_of_plain(self) -> int:
        """Return how much of the held text is certainly no call. A block may begin there."""
        # The last character that was shown is before the text: a line may begin behind it.
        text = self._last + self.held
        at = int(self._last != "\n")
        while (found := self._next_place(text, at)) is not None:
            start = found.start()
            if found.group() == "\n":
                start = found.end()
            if self._stops_at(text, start, found):
                return start - 1
            at = found.end()

        return len(text) - 1

    def _next_place(self, text: str, at: int) -> re.Match[str] | None:
        """Return the next place where a call may begin, or a line."""
        if self._fence is not None:
            return _IN_FENCE.search(text, at)
        return self._mentions.outside.search(text, at)

    def _stops_at(self, text: str, at: int, found: re.Match[str]) -> bool:
        """Return whether the text may be a call from `at` on, or is too short to know that."""
        if found.group() == "\n":
            if self._fence is not None:
                return self._stops_in_fence(text, at, self._fence)
            return self._stops_at_line(text, at)
        if found.lastgroup == "mark":
            return self._stops_at_mark(text, at)
        if found.lastgroup == "tool":
            return self._stops_at_name(text, at)

        return True  # a word that may go on

    def _stops_at_mark(self, text: str, at: int) -> bool:
        opener = CALL_OPENER.match(text, at)
        if opener is None:
            return len(text) - at < _LONGEST
        if text[at - 1] in QUOTES and opener.lastgroup != "speaker":
            return False  # the reader takes it for a mention
        if opener.lastgroup == "inner" and not self._is_known(opener.group("nested")):
            return False

        return self._begin(_NEVER)

    def _stops_at_name(self, text: str, at: int) -> bool:
        if text[at - 1] in QUOTES:
            return False
        if _BEHIND_COLON.search(text, max(0, at - 4), at) or self._mentions.with_key.match(
            text, at
        ):
            return self._begin(_BLANK_LINE)

        return self._mentions.open_name.match(text, at) is not None

    def _stops_at_line(self, text: str, at: int) -> bool:
        first = self._is_first
        label_end = skip(LABELLED_FENCE, text, at)
        fence = FENCE.match(text, label_end)
        if fence is not None:
            return self._stops_at_fence(text, fence)
        if OBJECT.match(text, at) or (first and _EDIT.match(text, at)):
            return self._begin(_NEVER)
        if self._names_tool(text, at, first=first):
            return self._begin(_BLANK_LINE)
        if OPEN_FENCE.match(text, label_end) or self._may_go_on(text, at, first=first):
            return True

        self._is_first = first and _BLANK.match(text, at) is not None
        return False

    def _stops_at_fence(self, text: str, fence: re.Match[str]) -> bool:
        """Judge a fence by its label and the beginning of its body."""
        closer = fence_closer(fence.group("run"))
        body = skip(_BLANKS, text, fence.end())
        if fence.group("label").strip() in FENCE_LABELS or OBJECT.match(text, body):
            return self._begin(closer)
        if self._is_first and _EDIT.match(text, body):
            return self._begin(closer)
        if self._names_tool(text, body, first=True):
            return self._begin(closer)
        is_short = len(text) - fence.end() < _LONGEST
        if is_short and _OPEN_BODY.match(text, body):
            return True
        if is_short and self._may_go_on(text, body, first=self._is_first):
            return True

        self._fence = closer
        self._is_first = False
        return False

    def _stops_in_fence(self, text: str, at: int, closer: re.Pattern[str]) -> bool:
        """Judge a line of a fence that is shown; the last one ends the fence."""
        end = text.find("\n", at)
        if end < 0:
            return _OPEN_CLOSER.match(text, at) is not None
        if closer.fullmatch(text, at, end):
            self._fence = None
        return False

    def _begin(self, closer: re.Pattern[str]) -> bool:
        self._block = _Block(closer)
        return True

    def _names_tool(self, text: str, at: int, *, first: bool) -> bool:
        """Return whether a line begins like a call of one of the tools."""
        opener = LINE.match(text, at)
        if opener is None and first:
            opener = _KEYED.match(text, at)
        return opener is not None and self._is_known(opener.group(opener.lastgroup or 0))

    def _may_go_on(self, text: str, at: int, *, first: bool) -> bool:
        """Return whether the text ends in a line that may still become the beginning of a call."""
        if len(text) - at >= _LONGEST:
            return False
        if first and _OPEN_START.match(text, at):
            return True
        return _OPEN_LINE.match(text, at) is not None

    def _is_known(self, name: str) -> bool:
        return find_tool(name, self._specs) is not None
