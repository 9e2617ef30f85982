"""Land one file's share of a diff: every hunk against the original text, all or none."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, filterfalse, groupby
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.formats.hunks import FileDiff, Hunk, Malformed, text_of
from holdfast.landing.formats.unified import read_diff
from holdfast.landing.ladder.strict_match import Bounds, hint_at
from holdfast.landing.new_text import undone_warning
from holdfast.landing.placement import Nowhere
from holdfast.landing.plans import find_plan, land_plans, plan_or_refusal
from holdfast.landing.projection.splices import Splice, landed
from holdfast.landing.readers.diff_marks import (
    judge_lost_pluses,
    with_plain_marks,
    without_second_marks,
)
from holdfast.landing.text.edit_script import EditScript, ScriptEdit, kept_lines, script_of
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.line_keys import indent_of, indent_width, key_of
from holdfast.landing.text.lines import Doc, is_blank, solid_lines
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.outcomes import Landed, Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdfast.landing.ladder.ladder import LadderPlan
    from holdfast.vocab.outcomes import Outcome
    from holdfast.vocab.requests import Patch


def land_patch(text: str, request: Patch, path: str | None = None) -> Outcome:
    """Land all hunks, or refuse with the reason of the first that cannot land."""
    files = _read(request, path)
    if isinstance(files, Malformed):
        return refusals.plain("malformed", files.message)
    if len(files) != 1:
        return refusals.plain(
            "malformed", "the diff is about several files; send one file's share at a time."
        )
    if not text or files[0].old_path is None:
        return _land_new_file(text, files[0], path)

    doc = Doc(text, language_of(path))
    hunks = with_plain_marks(doc, files[0].hunks)
    if isinstance(hunks, Refused):
        return hunks
    second = without_second_marks(doc, hunks)
    if second is None:
        return land_hunks(doc, hunks)

    undone, plain = second
    outcome = land_hunks(doc, plain)
    if isinstance(outcome, Landed):
        outcome = replace(outcome, rung="unmangled", warning=undone_warning([undone]))
    return outcome


def _read(request: Patch, path: str | None) -> tuple[FileDiff, ...] | Malformed:
    """Return the diff.

    A header may name the file by its absolute path, if that ends in the path we know.
    """
    files = read_diff(request.diff, unwrap=request.unwrap)
    if not isinstance(files, Malformed):
        return files
    if not path:
        return files

    lenient = read_diff(request.diff, unwrap=request.unwrap, judge_paths=False)
    if isinstance(lenient, Malformed):
        return files

    for file in lenient:
        for name in filter(None, (file.old_path, file.new_path)):
            if not name.endswith(f"/{path}"):
                return files
            if ".." in name.split("/"):
                return files

    return lenient


def _land_new_file(text: str, diff: FileDiff, path: str | None) -> Outcome:
    """Land a diff that creates a file: only + lines, and no text yet."""
    lines = list(chain.from_iterable(hunk.lines for hunk in diff.hunks))
    for line in lines:
        # An empty line among added ones is an empty line that lost its `+`.
        if line.mark != "+" and (line.mark, line.text) != (" ", ""):
            return land_hunks(Doc(text, language_of(path)), diff.hunks)

    new = text_of(lines, "\n")
    if new == text:
        return refusals.already_applied(1)
    if text:
        return refusals.plain(
            "conflict", "the diff creates the file, but it exists with another text; send an edit."
        )

    return landed(text, [Splice(0, len(text), new)], "exact")


def land_hunks(doc: Doc, hunks: Sequence[Hunk]) -> Outcome:
    """Land hunks that come in any order; all are matched against the original."""
    doc.expect(len(hunks))
    found = [_plan(doc, hunk) for hunk in hunks]
    plans: list[LadderPlan] = []
    for hunk, plan in zip(hunks, found, strict=True):
        if isinstance(plan, Refused):
            return _numbered(plan, len(plans) + 1, found)
        plans.append(_with_file_end(doc, hunk, plan))

    return land_plans(doc, plans)


def _plan(doc: Doc, hunk: Hunk) -> LadderPlan | Refused:
    refused = judge_lost_pluses(doc, hunk)
    if refused is not None:
        return refused
    script = _script_of_hunk(doc, hunk)
    if not solid_lines(script.old):
        return _judge_unplaced(doc, script)

    hint = replace(hint_at(hunk.start or None), within=_section(doc, hunk))
    bounds = Bounds(_scopes_of_hunk(doc, hunk, script), hunk.at_end)
    plan = find_plan(doc, _with_markers_found(doc, script), hint, bounds)
    if not isinstance(plan, Refused):
        return plan
    # Only the indentation is in doubt, and there is one.
    is_known = all(map(doc.has, solid_lines(script.old)))
    if not is_known or not any(map(indent_of, script.old)):
        return plan

    whole = find_plan(doc, _script_of_hunk(doc, _with_lost_markers(hunk)), hint, bounds)
    if isinstance(whole, Refused):
        return plan
    return whole


def _with_lost_markers(hunk: Hunk) -> Hunk:
    """Return the hunk with the first blank of each context line as a part of it: the marker was lost."""
    lines = list(hunk.lines)
    for n, line in enumerate(lines):
        if line.mark != " " or not line.text:
            continue
        lines[n] = replace(line, text=f" {line.text}")
    return replace(hunk, lines=tuple(lines))


def _section(doc: Doc, hunk: Hunk) -> range:
    """Return the block that the text behind the second `@@` opens, if there is just one; else no lines."""
    scopes = _scopes(doc, (hunk.section,))
    if len(scopes) != 1:
        return range(0)
    return scopes[0]


def _judge_unplaced(doc: Doc, script: EditScript) -> Refused:
    """Return the refusal of a hunk without context: its lines are in the file already, or it has no place."""
    refusal = plan_or_refusal(doc, script, Nowhere())
    if isinstance(refusal, Refused) and refusal.reason == "already_applied":
        return refusal
    return refusals.plain(
        "malformed",
        "a hunk of the diff has no line to find its place by; add the line above or below it as context.",
    )


def _numbered(refusal: Refused, number: int, found: Sequence[LadderPlan | Refused]) -> Refused:
    """Return the refusal with the number of its hunk, where there are several."""
    if len(found) == 1:
        return refusal

    numbered = replace(refusal, message=f"hunk {number}: {refusal.message}")
    if refusal.reason != "already_applied":
        return numbered
    reasons = [one.reason for one in found if isinstance(one, Refused)]
    if reasons == [refusal.reason] * len(found):
        return numbered

    line = refusal.candidates[0]
    sentence = (
        f"hunk {number} is already applied (line {line}), others are not; send only the others."
    )
    return replace(refusal, reason="conflict", message=sentence)


def _script_of_hunk(doc: Doc, hunk: Hunk) -> EditScript:
    """Return the hunk's old and new lines, and its edits as it marks them.

    A line that is removed and added again stays, if the file has it.
    """
    old: list[str] = []
    new: list[str] = []
    edits: list[ScriptEdit] = []
    for changed, lines in groupby(hunk.lines, lambda line: line.mark in "+-"):
        o1, n1 = len(old), len(new)
        for line in lines:
            if line.mark != "+":
                old.append(line.text)
            if line.mark != "-":
                new.append(line.text)
        if not changed:
            continue
        changes: Sequence[ScriptEdit] = (ScriptEdit(0, len(old) - o1, 0, len(new) - n1),)
        if all(map(doc.has, solid_lines(old[o1:]))):
            changes = script_of(old[o1:], new[n1:]).edits
        for edit in changes:
            moved = ScriptEdit(o1 + edit.o1, o1 + edit.o2, n1 + edit.n1, n1 + edit.n2)
            edits.append(moved)

    return EditScript(tuple(old), tuple(new), tuple(edits))


def _with_markers_found(doc: Doc, script: EditScript) -> EditScript:
    """Return the script with context lines that are one blank short as the file has them, if fewer lines differ otherwise.

    The blank was the lost marker, or a blank of each line, if added lines fit the file only with it.
    """
    old, new = list(script.old), list(script.new)
    short = 0
    for n, j in kept_lines(script):
        if doc.has_line(old[j]):
            continue
        with_blank = f" {old[j]}"
        if doc.has_line(with_blank):
            old[j] = new[n] = with_blank
            short += 1

    others = list(filterfalse(doc.has_line, filter(doc.has, old)))
    if len(others) >= short:
        return script

    added = [n for n in script.added if not is_blank(new[n])]
    indents = [indent_of(new[n]) for n in added]
    if _fit_only_with_blank(doc, indents):
        for n in added:
            new[n] = f" {new[n]}"
    return EditScript(tuple(old), tuple(new), script.edits)


def _fit_only_with_blank(doc: Doc, indents: Sequence[str]) -> bool:
    """Return whether the file indents no line by any of these, and some by each of these and a blank."""
    if doc.indents.intersection(indents):
        return False
    deeper = [f" {indent}" for indent in indents]
    return doc.indents.issuperset(deeper)


_CLOSERS = ("}", ")", "]", "end", "fi", "done", "esac")


def _scopes_of_hunk(doc: Doc, hunk: Hunk, script: EditScript) -> tuple[range, ...]:
    """Return the blocks that the anchors of the hunk open; all below an anchor, if the hunk begins no deeper than that.

    Then the anchor is the line that git writes there: the last one above that opens a block.
    """
    scopes = _scopes(doc, hunk.anchors)
    if not hunk.anchors:
        return scopes
    first = solid_lines(script.old)[0]
    if not doc.has_line(first):
        return scopes
    for scope in scopes:
        anchor, *below = map(indent_width, solid_lines(doc.lines[scope.start : scope.stop]))
        if anchor < indent_width(first):
            return scopes
        # Below a heading nothing is deeper, and the indentation of the hunk says nothing.
        if max(below, default=anchor) <= anchor:
            return scopes
    return tuple(range(scope.start, len(doc.lines)) for scope in scopes)


def _scopes(doc: Doc, anchors: Sequence[str]) -> tuple[range, ...]:
    """Return the blocks that the anchors open, each within those of the anchor before it.

    More than one if it repeats.
    """
    scopes: tuple[range, ...] = (range(len(doc.lines)),)
    for anchor in anchors:
        openers = _find_anchor(doc, scopes, key_of(anchor))
        scopes = tuple(_block(doc, i) for i in openers)

    return scopes


def _find_anchor(doc: Doc, scopes: Sequence[range], anchor: str) -> Iterator[int]:
    """Yield the lines that are the anchor or begin with it: git cuts long section lines short."""
    if not anchor:
        return

    is_long = len(anchor) > 3
    for i in chain.from_iterable(scopes):
        key = doc.keys[i]
        is_longer = is_long and key.startswith(anchor)
        if is_longer or key == anchor:
            yield i


def _block(doc: Doc, opener: int) -> range:
    """Return the opener and the lines indented deeper than it.

    Where none is, as below a heading, all lines up to the next one that begins with the same mark.
    """
    depth = indent_width(doc.lines[opener])
    mark = _MARK.match(doc.keys[opener])
    is_flat: bool | None = None
    for i in range(opener + 1, len(doc.lines)):
        key = doc.keys[i]
        if not key:
            continue
        is_inside = key.startswith(_CLOSERS) or indent_width(doc.lines[i]) > depth
        if is_flat is None:
            is_flat = not is_inside
        if is_inside:
            continue
        if not is_flat:
            return range(opener, i)
        if mark is not None and key.startswith(mark.group()):
            return range(opener, i)

    return range(opener, len(doc.lines))


_MARK = lazy_pattern(r"\\\w+|[^\w\s]+")
"""What a heading or a section begins with."""


def _with_file_end(doc: Doc, hunk: Hunk, plan: LadderPlan) -> LadderPlan:
    """Return the plan with the newline at the end of the file, or without, as the hunk says."""
    # A mark below a hunk that ends above the last line of the file says nothing about the file's end.
    if (doc.solid or [0])[-1] >= plan.lines.stop:
        return plan
    wants = _ends_in_newline(hunk)
    if wants in {None, not doc.ends_open}:
        return plan

    size = len(doc.text)
    *others, last = (Splice(0, 0, ""), *plan.splices)
    if last.end != size:
        # Only the newline at the end differs: it is no line to splice.
        others, last = [*others, last], Splice(size - len(doc.ends[-1]), size, doc.ends[-1])
    new = last.new + doc.newline
    if not wants:
        new = last.new.removesuffix("\n").removesuffix("\r")
    return replace(plan, splices=(*others[1:], replace(last, new=new)))


def _ends_in_newline(hunk: Hunk) -> bool | None:
    """Return whether the hunk says that the file ends in a newline.

    None where it does not mention it: a line that stays has its newline or none, whatever a note says.
    """
    if not any(line.no_newline for line in hunk.lines):
        return None
    for line in reversed(hunk.lines):
        if line.mark == "+":
            return not line.no_newline
        if line.mark == " ":
            return None
    return True
