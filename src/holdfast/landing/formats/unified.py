"""Unified diffs, as `git diff`, `diff -u` and careful models write them."""

from __future__ import annotations

import re

from holdfast.landing.formats.diff_scanner import DiffLines, FileSection, read_bare
from holdfast.landing.formats.hunks import FileDiff, Malformed, MalformedError, fault_as_value
from holdfast.landing.formats.wrappers import read_wrapped
from holdfast.landing.text.lines import split_lines


def read_diff(
    text: str, *, unwrap: bool = False, judge_paths: bool = True
) -> tuple[FileDiff, ...] | Malformed:
    r"""Return the diff file by file, or an error that says how to write it.

    `unwrap` accepts one clean wrapper: a fence, a pair of tags, or prose before and behind.
    `judge_paths=False` is for a caller who knows the file anyway: the header may then name any
    path.

    >>> diff = read_diff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
    >>> diff[0].new_path, [line.mark + line.text for line in diff[0].hunks[0].lines]
    ('x', ['-a', '+b'])
    """
    shares = read_shares(text, unwrap=unwrap, judge_paths=judge_paths)
    if isinstance(shares, Malformed):
        return shares
    return tuple(share.diff for share in shares)


_END = re.compile(r"^\*\*\* End Patch[ \t]*\r?\n?(?=(?:`{3,}|~{3,})?\s*\Z)", re.MULTILINE)
"""The end of another notation; no line of a diff begins so."""
_NEW_NAME = re.compile(r"^\+\+\+ (?:b/)?(.*\n)(?=@@)", re.MULTILINE)


def _with_both_names(text: str) -> str:
    """Return the diff with a line for the old name above its first hunk, where only the new one is there."""
    found = _NEW_NAME.search(text)
    if found is None:
        return text
    above, below = text[: found.start()], text[found.start() :]
    if re.search(r"^(?:---|@@)", above, re.MULTILINE):
        return text
    return f"{above}--- a/{found[1]}{below}"


@fault_as_value
def read_shares(
    text: str, *, unwrap: bool = False, judge_paths: bool = True
) -> tuple[FileSection, ...]:
    """Return what `read_diff` returns, each with its own lines."""
    text = _with_both_names(_END.sub("", text.removeprefix("\ufeff")))
    lines, ends = split_lines(text)
    source = DiffLines(lines, ends, judge_paths=judge_paths)
    try:
        return read_bare(source)
    except MalformedError:
        # The sentence is about the wrapper, and this caller may have nothing against one wrapper.
        unwrapped = None
        if unwrap:
            unwrapped = read_wrapped(source)
        if unwrapped is None:
            raise
        return unwrapped
