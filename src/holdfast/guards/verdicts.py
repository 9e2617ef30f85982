"""What a command's output says about success, as far as its words tell."""

from __future__ import annotations

import re

_BAD = re.compile(
    r"\b(?:fail(?:ed|ure|ures|s|ing)?|errors?|errored|exceptions?|traceback|panic(?:ked)?|abort(?:ed)?|cannot|undefined|"
    r"not found|no such|denied|refused|timed? ?out|mismatch|wrong|expected|"
    r"exit(?:ed)?(?: with)?(?: the)?(?: exit)?(?: code| status)?[ :=]+-?[1-9]\d*)\b",
    re.IGNORECASE,
)
_NO_HARM = re.compile(r"\b(?:0|no|without) (?:failed|failures?|errors?|problems?|issues?)\b", re.IGNORECASE)
_GOOD = re.compile(
    r"\b(?:pass(?:ed|es)?|ok|success(?:ful|fully)?|succeeded|up[ -]to[ -]date|clean|compiled|finished|"
    r"0 errors?|no (?:issues?|errors?|problems?))\b",
    re.IGNORECASE,
)
_FILLERS = re.compile(
    r"\b(?:the|command|exit(?:ed)?|ended|with|code|status|0|no|output|printed|nothing|done|in|it|was|and|there|"
    r"\d+(?:\.\d+)? ?(?:m?s|seconds?))\b|\W",
    re.IGNORECASE,
)
_LOOK = 4_000
"""How much of the end is looked at: that is where the verdict of a test run or a compiler stands."""


def is_fine(output: str) -> bool:
    """Whether a command's output says that all is well, or says nothing: then to see it again is no bad sign.

    >>> is_fine("12 passed in 0.1s"), is_fine("All checks passed!"), is_fine("exit code 0, no output")
    (True, True, True)
    >>> is_fine("1 failed, 11 passed in 0.1s"), is_fine("undefined"), is_fine("hello")
    (False, False, False)
    """
    said = output[-_LOOK:]
    if _BAD.search(_NO_HARM.sub("", said)):
        return False
    return bool(_GOOD.search(said)) or not _FILLERS.sub("", said)
