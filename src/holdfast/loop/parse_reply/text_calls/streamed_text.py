"""Hold back the text of a stream from where a printed call may begin; leave out thoughts."""

from __future__ import annotations

import re
from typing import Final

from holdfast.loop.parse_reply.control_tokens import TOKEN
from holdfast.loop.parse_reply.text_calls.scan import CALL_OPENER
from holdfast.loop.parse_reply.text_calls.xml_named_tags import NESTED
from holdfast.loop.parse_reply.thinking import open_thought

_CANDIDATE = re.compile(
    r"[<\[](?=[A-Za-z|｜‖]|\Z)|^[ \t]*(?=[{`\[]|Action[ \t]*:|\Z)|to=functions\.|functools\["
    r"|^[Aft]\S{0,12}\Z|\bt(?:o(?:=\w{0,9})?)?\Z",  # the beginning of one of these words
    re.MULTILINE,
)
"""A place where a call begins, or where the text ends and may go on as a call."""
_JSON: Final = (
    r"(?:\[\s*)?\{\s*[\"'](?:name|tool|tool_name|type|function|action|tool_calls)[\"']\s*:"
)
_BLOCK = re.compile(
    r"[ \t]*(?:Action[ \t]*:[ \t]*)?"
    rf"(?:`{{3,}}[ \t]*(?:json|tool_call|tool|python)?[ \t]*\r?\n\s*)?{_JSON}"
    r"|[ \t]*`{3,}[ \t]*tool_code\b"
    rf"|{NESTED}"
)
_PYTHONIC = re.compile(r"\[\w{1,64}\(\w{1,64}\s*=")
"""Llama's list of calls; inside of a line it is any Python."""
_LONGEST: Final = 80
"""Enough characters to know whether a call begins at a candidate, or a thought at the beginning."""
_MAY_BE_THOUGHT = re.compile(r"\s*(?:[<\[◁]|\Z)")


class StreamedText:
    r"""The text of one reply while it arrives. `in_call` is whether a call has begun.

    >>> streamed = StreamedText()
    >>> streamed.feed("I look.\n<tool_"), streamed.feed("call>\n{"), streamed.held
    ('I look.\n', '', '<tool_call>\n{')
    """

    def __init__(self) -> None:
        """Start with no text."""
        self._held: list[str] = []
        self._last = "\n"
        self._begun = False
        self._closer: re.Pattern[str] | None = None
        self.in_call = False

    @property
    def held(self) -> str:
        """The text that was not shown yet."""
        return "".join(self._held)

    def feed(self, text: str) -> str:
        """Add text; return what can be shown now."""
        self._held.append(text)
        if self.in_call or not self._has_begun():
            return ""

        waiting = self.held
        end = self._end_of_plain(waiting)
        self._held = [waiting[end:]]
        self._last = waiting[end - 1 : end] or self._last
        return TOKEN.sub("", waiting[:end])

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

    def _end_of_plain(self, text: str) -> int:
        """Return the place where a call begins, or may begin; else the end of the text."""
        at = 0
        while (found := _CANDIDATE.search(text, at)) is not None:
            at = found.start()
            if self._begins_call(text, at):
                self.in_call = True
                return at
            if len(text) - at < _LONGEST:
                return at
            at = found.end() + 1

        return len(text)

    def _begins_call(self, text: str, at: int) -> bool:
        if CALL_OPENER.match(text, at) or _BLOCK.match(text, at):
            return True

        before = text[at - 1 : at] or self._last
        return before == "\n" and _PYTHONIC.match(text, at) is not None
