"""The reverse of a unified diff."""

from __future__ import annotations

import re

from holdfast.vocab.lazy_pattern import lazy_pattern

_HUNK = lazy_pattern(r"\A@@ -(\S+) \+(\S+) @@(.*)", re.DOTALL)


def reverse_diff(diff: str) -> str:
    r"""Return the diff that undoes another one.

    >>> reverse_diff("@@ -1 +1,2 @@\n-a\n+b\n+c\n")
    '@@ -1,2 +1 @@\n-b\n-c\n+a\n'
    """
    result: list[str] = []
    removed: list[str] = []
    added: list[str] = []
    last = result
    for line in re.findall(r"[^\n]*\n|[^\n]+", diff):
        sign, rest = line[:1], line[1:]
        if sign == "\\":  # no newline at the end of the line above
            last.append(line)
        elif sign == "+":
            removed.append(f"-{rest}")
            last = removed
        elif sign == "-":
            added.append(f"+{rest}")
            last = added
        else:
            result += removed + added
            removed, added = [], []
            result.append(_HUNK.sub(r"@@ -\2 +\1 @@\3", line))
            last = result

    return "".join(result + removed + added)
