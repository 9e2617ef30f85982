"""A diff, read backwards."""

from __future__ import annotations

import re

_HUNK = re.compile(r"@@ -(\S+) \+(\S+) @@(.*)", re.DOTALL)


def reverse_diff(diff: str) -> str:
    r"""Give the diff that takes another one back.

    >>> reverse_diff("@@ -1 +1,2 @@\n-a\n+b\n+c\n")
    '@@ -1,2 +1 @@\n-b\n-c\n+a\n'
    """
    out: list[str] = []
    old: list[str] = []
    new: list[str] = []
    last = out
    for line in re.findall(r"[^\n]*\n|[^\n]+", diff):
        mark = line[:1]
        if mark == "\\":  # no newline at the end of the line above
            last.append(line)
            continue
        if mark in "+-":
            last = old if mark == "+" else new
            last.append(("-" if mark == "+" else "+") + line[1:])
            continue
        out += old + new
        old, new = [], []
        hunk = _HUNK.match(line)
        out.append(f"@@ -{hunk[2]} +{hunk[1]} @@{hunk[3]}" if hunk else line)
        last = out
    return "".join(out + old + new)
