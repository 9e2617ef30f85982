"""Unified diffs, as `git diff`, `diff -u` and careful models write them."""

from __future__ import annotations

import re

from holdfast.landing.formats.diff_scanner import DiffLines, FileSection, read_scan
from holdfast.landing.formats.hunks import FileDiff, Malformed, MalformedError, fault_as_value
from holdfast.landing.formats.wrappers import read_wrapped
from holdfast.landing.text.lines import split_lines
from holdfast.vocab.lazy_pattern import lazy_pattern


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


_END = lazy_pattern(
    r"^(?:\*\*\* End Patch[ \t]*\r?\n?(?=(?:`{3,}|~{3,})?\s*\Z)|-- \r?\n[0-9]+\.[0-9.]+\s*\Z)",
    re.MULTILINE,
)
"""The end of another notation, or of what `git format-patch` writes: no line of a diff begins so."""


@fault_as_value
def read_shares(
    text: str, *, unwrap: bool = False, judge_paths: bool = True
) -> tuple[FileSection, ...]:
    """Return what `read_diff` returns, each with its own lines."""
    text = _END.sub("", text.removeprefix("\ufeff"))
    lines, ends = split_lines(text)
    source = DiffLines(lines, ends, judge_paths=judge_paths)
    try:
        return read_scan(source, strict=True).shares(source)
    except MalformedError:
        if not unwrap:
            raise
        return read_wrapped(source)
