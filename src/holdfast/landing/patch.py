"""Land one file's share of a diff: every hunk against the original text, all or none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.formats.hunks import FileDiff, Hunk, Malformed
from holdfast.landing.formats.unified import read_diff
from holdfast.landing.ladder.elision import unpaired_gap
from holdfast.landing.ladder.ladder import LadderOutcome, LadderPlan, climb
from holdfast.landing.ladder.strict_match import Bounds, Hint, find_window, find_windows
from holdfast.landing.placement import AlreadyApplied, Placement
from holdfast.landing.projection.splices import Splice, landed, overlap, splice_of
from holdfast.landing.text.edit_script import EditScript, ScriptEdit, kept_lines
from holdfast.landing.text.languages import language_of
from holdfast.landing.text.line_keys import indent_width, key_of
from holdfast.landing.text.lines import Doc, is_blank
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import RUNGS, Outcome, Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    return land_hunks(Doc(text, language_of(path)), files[0].hunks)


def _read(request: Patch, path: str | None) -> tuple[FileDiff, ...] | Malformed:
    """Return the diff.

    A header may name the file by its absolute path, if that ends in the path we know.
    """
    files = read_diff(request.diff, unwrap=request.unwrap)
    if isinstance(files, Malformed) and path:
        lenient = read_diff(request.diff, unwrap=request.unwrap, judge_paths=False)
        if not isinstance(lenient, Malformed) and all(_names(file, path) for file in lenient):
            return lenient
    return files


def _names(file: FileDiff, path: str) -> bool:
    names = [name for name in (file.old_path, file.new_path) if name]
    return all(name.endswith(f"/{path}") and ".." not in name.split("/") for name in names)


def _land_new_file(text: str, diff: FileDiff, path: str | None) -> Outcome:
    """Land a diff that creates a file: only + lines, and no text yet."""
    if any(
        line.mark in "-?" or (line.mark == " " and line.text)
        for hunk in diff.hunks
        for line in hunk.lines
    ):
        return land_hunks(Doc(text, language_of(path)), diff.hunks)
    lines = [line for hunk in diff.hunks for line in hunk.lines]
    new = "\n".join(line.text for line in lines) + (
        "\n" if lines and not lines[-1].no_newline else ""
    )
    if new == text:
        return refusals.already_applied(1)
    if text:
        return refusals.plain(
            "conflict", "the diff creates the file, but it exists with another text; send an edit."
        )
    return landed(text, [Splice(0, len(text), new)], "exact")


@dataclass(frozen=True, slots=True)
class _Placed:
    hunk: Hunk
    script: EditScript
    found: LadderOutcome


def land_hunks(doc: Doc, hunks: Sequence[Hunk]) -> Outcome:
    """Land hunks that come in any order; all are matched against the original."""
    doc.expect(len(hunks))
    placed = [_place(doc, hunk) for hunk in hunks]
    for number, one in enumerate(placed, 1):
        refusal = _refusal(doc, one)
        if refusal is not None:
            return _numbered(refusal, number, placed)
    plans = [one.found for one in placed if isinstance(one.found, LadderPlan)]
    splices = [splice for one in placed for splice in _splices(doc, one)]
    if not splices:
        return refusals.already_applied(plans[0].lines.start + 1)
    if overlap(splices):
        return refusals.overlap([plan.splices[0].first + 1 for plan in plans if plan.splices])
    rung = max((plan.rung for plan in plans), key=RUNGS.index)
    return landed(doc.text, splices, rung, min(plan.similarity for plan in plans))


def _place(doc: Doc, hunk: Hunk) -> _Placed:
    script = script_of_hunk(hunk)
    if all(is_blank(line) for line in script.old):
        return _Placed(hunk, script, _standing_insert(doc, script))
    near = hunk.start - 1 if hunk.start else None
    sections = _scopes(doc, (hunk.section,)) if hunk.section.strip() else ()
    hint = Hint(near=near, within=sections[0] if len(sections) == 1 else None)
    bounds = Bounds(within=_scopes(doc, hunk.anchors) if hunk.anchors else None, at_end=hunk.at_end)
    script = _with_markers_found(doc, script, hint, bounds)
    return _Placed(hunk, script, climb(doc, script, hint, bounds))


def _standing_insert(doc: Doc, script: EditScript) -> LadderOutcome:
    """Return the outcome of a hunk without context.

    It has no place, but it may be applied already.
    """
    keys = [line for line in script.new if not is_blank(line)]
    places = find_windows(doc, keys)
    return AlreadyApplied(places[0].first) if places else LadderPlan((), "exact", 1.0, range(0))


def _refusal(doc: Doc, one: _Placed) -> Refused | None:
    if all(is_blank(line) for line in one.script.old) and isinstance(one.found, LadderPlan):
        return refusals.plain(
            "malformed",
            "a hunk of the diff has no line to find its place by; add the line above or below it as context.",
        )
    gap = unpaired_gap(one.script.old, one.script.new)
    if gap is not None:
        return refusals.unpaired_gap(gap)
    if isinstance(one.found, LadderPlan):
        return None
    return refusals.of(doc, one.script, one.found)


def _numbered(refusal: Refused, number: int, placed: Sequence[_Placed]) -> Refused:
    """Return the refusal with the number of its hunk, where there are several."""
    if len(placed) == 1:
        return refusal
    if refusal.reason == "already_applied" and not all(
        isinstance(one.found, AlreadyApplied) for one in placed
    ):
        line = refusal.candidates[0]
        sentence = (
            f"hunk {number} is already applied (line {line}), others are not; send only the others."
        )
        return replace(refusal, reason="conflict", message=sentence)
    return replace(refusal, message=f"hunk {number}: {refusal.message}")


def script_of_hunk(hunk: Hunk) -> EditScript:
    """Return the hunk's old and new lines, and its edits just as it marks them."""
    old: list[str] = []
    new: list[str] = []
    edits: list[ScriptEdit] = []
    for line in hunk.lines:
        if line.mark in " ?":
            old.append(line.text)
            new.append(line.text)
            continue
        if not edits or edits[-1].o2 != len(old) or edits[-1].n2 != len(new):
            edits.append(ScriptEdit(len(old), len(old), len(new), len(new)))
        (old if line.mark == "-" else new).append(line.text)
        edits[-1] = ScriptEdit(edits[-1].o1, len(old), edits[-1].n1, len(new))
    return EditScript(tuple(old), tuple(new), tuple(edits))


def _with_markers_found(doc: Doc, script: EditScript, hint: Hint, bounds: Bounds) -> EditScript:
    """Return the script with context lines that are one blank short as the file has them.

    The blank was the lost marker.
    """
    place = find_window(doc, script.old, hint, bounds)
    if not isinstance(place, Placement):
        return script
    old, new = list(script.old), list(script.new)
    for n, j in kept_lines(script):
        i = place.pairs[j]
        if i is not None and doc.lines[i] == f" {old[j]}":
            old[j] = new[n] = doc.lines[i]
    return EditScript(tuple(old), tuple(new), script.edits)


_CLOSERS = ("}", ")", "]", "end", "fi", "done", "esac")


def _scopes(doc: Doc, anchors: Sequence[str]) -> tuple[range, ...]:
    """Return the blocks that the anchors open, each within those of the anchor before it.

    More than one if it repeats.
    """
    scopes: tuple[range, ...] = (range(len(doc.lines)),)
    for anchor in anchors:
        key = key_of(anchor)
        scopes = tuple(
            _block(doc, i) for lines in scopes for i in lines if _is_anchor(doc.keys[i], key)
        )
    return scopes


def _is_anchor(key: str, anchor: str) -> bool:
    """Return whether an anchor is the line or its beginning: git cuts long section lines short."""
    return bool(anchor) and (key == anchor or (len(anchor) > 3 and key.startswith(anchor)))


def _block(doc: Doc, opener: int) -> range:
    """Return the opener and the lines indented deeper than it."""
    depth = indent_width(doc.lines[opener])
    for i in range(opener + 1, len(doc.lines)):
        if (
            doc.keys[i]
            and indent_width(doc.lines[i]) <= depth
            and not doc.keys[i].startswith(_CLOSERS)
        ):
            return range(opener, i)
    return range(opener, len(doc.lines))


def _splices(doc: Doc, one: _Placed) -> list[Splice]:
    if not isinstance(one.found, LadderPlan):
        return []
    wants = _ends_in_newline(one.hunk)
    splices = [splice_of(doc, splice, ends_in_newline=wants) for splice in one.found.splices]
    if wants is None or any(splice.last == len(doc.lines) for splice in one.found.splices):
        return splices
    # Only the newline at the end differs: the lines are the same, so there is no line to splice.
    if wants and doc.ends and not doc.ends[-1]:
        return [*splices, Splice(len(doc.text), len(doc.text), doc.newline)]
    if not wants and doc.ends and doc.ends[-1]:
        return [*splices, Splice(len(doc.text) - len(doc.ends[-1]), len(doc.text), "")]
    return splices


def _ends_in_newline(hunk: Hunk) -> bool | None:
    """Return whether the hunk says that the file ends in a newline.

    None where it does not mention it.
    """
    if not any(line.no_newline for line in hunk.lines):
        return None
    after = [line for line in hunk.lines if line.mark != "-"]
    return not (after and after[-1].no_newline)
