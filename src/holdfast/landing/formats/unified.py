"""Unified diffs, as `git diff`, `diff -u` and careful models write them."""

from __future__ import annotations

from holdfast.landing.formats.diff_scanner import DiffLines, FileSection, read_bare
from holdfast.landing.formats.hunks import FileDiff, Malformed, MalformedError, fault_as_value
from holdfast.landing.formats.indented_reply import without_indentation
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


@fault_as_value
def read_shares(
    text: str, *, unwrap: bool = False, judge_paths: bool = True
) -> tuple[FileSection, ...]:
    """Return what `read_diff` returns, each with its own lines."""
    if unwrap:
        text = without_indentation(text)
    lines, ends = split_lines(text.removeprefix("\ufeff"))
    source = DiffLines(lines, ends, judge_paths=judge_paths)
    try:
        return read_bare(source)
    except MalformedError:
        # The sentence is about the wrapper, and this caller may have nothing against one wrapper.
        unwrapped = read_wrapped(source) if unwrap else None
        if unwrapped is None:
            raise
        return unwrapped
