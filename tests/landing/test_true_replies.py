"""The true edits of `test_true_edits` as whole replies: four notations, several files, and what a model puts around them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from holdfast import Landed, LineEdit, LineEdits, Refused, Replace, WriteFile, land, land_reply
from tests.landing.test_true_edits import BLOCKS, EDITS, FILES, Edit, edits

pytestmark = pytest.mark.slow  # seconds together: `make quick` does without

LIST = tuple(edits())
CHANGES = [LIST[n] for n in range(0, 3 * len(EDITS), 3)]
INSERTIONS = [LIST[n] for n in range(1, 3 * len(EDITS), 3)]
DELETIONS = [LIST[n] for n in range(2, 3 * len(EDITS), 3)]


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _old(edit: Edit) -> str:
    return _joined([*edit.above, *edit.old, *edit.below])


def _new(edit: Edit) -> str:
    return _joined([*edit.above, *edit.new, *edit.below])


def _body(edit: Edit) -> str:
    marked = [(" ", edit.above), ("-", edit.old), ("+", edit.new), (" ", edit.below)]
    return "".join(f"{mark}{line}\n" for mark, lines in marked for line in lines)


def _numbers(edit: Edit) -> str:
    first = edit.start - len(edit.above) + 1
    shown = len(edit.above) + len(edit.below)
    return f"@@ -{first},{shown + len(edit.old)} +{first},{shown + len(edit.new)} @@"


def _unified(edit: Edit) -> str:
    return f"--- a/{edit.path}\n+++ b/{edit.path}\n{_numbers(edit)}\n{_body(edit)}"


def _block(edit: Edit) -> str:
    return f"{edit.path}\n<<<<<<< SEARCH\n{_old(edit)}=======\n{_new(edit)}>>>>>>> REPLACE\n"


NOTATIONS: dict[str, Callable[[Edit], str]] = {
    "unified": _unified,
    "unified, of git": lambda edit: (
        f"diff --git a/{edit.path} b/{edit.path}\nindex 83db48f..bf2a7c1 100644\n{_unified(edit)}"
    ),
    "unified, with times": lambda edit: (
        f"--- {edit.path}\t2026-01-02 10:11:12.000000000 +0100\n"
        f"+++ {edit.path}\t2026-01-02 10:12:13.000000000 +0100\n{_numbers(edit)}\n{_body(edit)}"
    ),
    "unified, quoted": lambda edit: (
        f'--- "a/{edit.path}"\n+++ "b/{edit.path}"\n{_numbers(edit)}\n{_body(edit)}'
    ),
    "unified, with a heading": lambda edit: _unified(edit).replace(" @@\n", " @@ def other():\n"),
    "unified, no numbers": lambda edit: _unified(edit).replace(_numbers(edit), "@@"),
    "unified, wrong counts": lambda edit: _unified(edit).replace(_numbers(edit), "@@ -1,9 +1,2 @@"),
    "blocks": _block,
    "blocks, the name in the fence": lambda edit: (
        f"{edit.path}\n```\n{_block(edit).partition(chr(10))[2]}```\n"
    ),
    "blocks, long marks": lambda edit: (
        _block(edit).replace("<<<<<<<", "<" * 9).replace("=======", "=" * 9).replace(">>>>>>>", ">" * 9)
    ),
}  # fmt: skip
"""Notations in which the edits of several files follow each other."""
AROUND: dict[str, Callable[[str], str]] = {
    "nothing": str,
    "\\r\\n": lambda reply: reply.replace("\n", "\r\n"),
    "an open end": lambda reply: reply.removesuffix("\n"),
    "blank lines": lambda reply: f"\n\n{reply}\n\n",
}


def _true(several: list[Edit]) -> dict[str, str]:
    return {edit.path: _joined(edit.after) for edit in several}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("several", [CHANGES, INSERTIONS, DELETIONS], ids=["new", "more", "less"])
@pytest.mark.parametrize("notation", NOTATIONS)
def test_the_edits_of_fourteen_files_land_in_one_reply(
    notation: str, several: list[Edit], around: str
) -> None:
    reply = AROUND[around]("".join(map(NOTATIONS[notation], several)))
    result = land_reply(reply, FILES)
    assert not isinstance(result, Refused), result
    assert result.files == _true(several)


@pytest.mark.parametrize("notation", NOTATIONS)
def test_the_edit_of_one_file_lands_in_a_fence_with_words_around_it(notation: str) -> None:
    for edit in LIST:
        if notation == "blocks, the name in the fence" or edit.path == "a.md":
            continue
        written = NOTATIONS[notation](edit)
        reply = f"I change it:\n\n```diff\n{written}```\n\nThat is all.\n"
        result = land_reply(reply, FILES, unwrap=True)
        assert not isinstance(result, Refused), (edit, result)
        assert result.files == _true([edit]), edit


@pytest.mark.parametrize("several", [CHANGES, INSERTIONS, DELETIONS], ids=["new", "more", "less"])
def test_the_edits_of_fourteen_files_land_in_one_patch_of_its_own_notation(
    several: list[Edit],
) -> None:
    parts = "".join(f"*** Update File: {edit.path}\n@@\n{_body(edit)}" for edit in several)
    for reply in (
        f"*** Begin Patch\n{parts}*** End Patch\n",
        f"*** Begin Patch\n{parts}*** End Patch",
    ):
        result = land_reply(reply, FILES)
        assert not isinstance(result, Refused), result
        assert result.files == _true(several)


@pytest.mark.parametrize("indent", [None, 2])
def test_edits_land_as_json_flat_and_nested(indent: int | None) -> None:
    for edit in LIST:
        first, last = edit.start - len(edit.above) + 1, edit.stop + len(edit.below)
        texts = {"oldText": _old(edit), "newText": _new(edit)}
        flat = {"path": edit.path, "edits": [{"start": first, "end": last, **texts}]}
        nested = {"path": edit.path, "edits": [{"range": {"start": first, "end": last}, **texts}]}
        within = {"edits": [{"path": edit.path, "range": {"start": first, "end": last}, **texts}]}
        named = {"path": edit.path, "old": _old(edit), "new": _new(edit)}
        for reply in (flat, nested, within, named, [flat], [nested]):
            result = land_reply(json.dumps(reply, indent=indent), FILES)
            assert not isinstance(result, Refused), (edit, reply, result)
            assert result.files == _true([edit]), edit


@pytest.mark.parametrize("notation", NOTATIONS)
def test_one_spoiled_edit_refuses_all_and_its_file_is_named(notation: str) -> None:
    for number, edit in enumerate(CHANGES):
        others = [one for one in CHANGES if one is not edit]
        written = NOTATIONS[notation](edit).replace(edit.old[0], "nothing like it (9, 9)")
        parts = list(map(NOTATIONS[notation], others))
        parts.insert(number, written)
        result = land_reply("".join(parts), FILES)
        assert isinstance(result, Refused), edit
        assert result.message.startswith(f"{edit.path}: "), (edit, result.message)


# -------------------------------------------------------------------------------------------------------- placeholders

COMMENTS = {
    "a.py": "# {}",
    "a.ts": "// {}",
    "a.go": "// {}",
    "a.rs": "// {}",
    "a.c": "/* {} */",
    "a.html": "<!-- {} -->",
    "a.css": "/* {} */",
    "a.yaml": "# {}",
    "a.toml": "# {}",
    "Makefile": "# {}",
    "a.sql": "-- {}",
    "a.sh": "# {}",
}
WORDS = ["...", "rest of the file", "... existing code ...", "(unchanged)", "as before", "other lines here"]  # fmt: skip


@pytest.mark.parametrize("words", WORDS)
def test_a_comment_in_the_place_of_the_end_of_a_file_is_refused(words: str) -> None:
    for path, comment in COMMENTS.items():
        lines = FILES[path].split("\n")[:-1]
        half = len(lines) // 2
        placeholder = comment.format(words)
        whole = WriteFile(_joined([*lines[:half], placeholder]))
        assert _reason(land(FILES[path], whole, path)) == "elision", path
        replaced = Replace(FILES[path], _joined([*lines[:half], placeholder]))
        assert _reason(land(FILES[path], replaced, path)) == "elision", path
        edit = LineEdit(half + 1, len(lines), f"{placeholder}\n", _joined(lines[half:]))
        assert _reason(land(FILES[path], LineEdits((edit,)), path)) == "elision", path


def _reason(outcome: Landed | Refused) -> str:
    return "landed" if outcome.landed else outcome.reason


@pytest.mark.parametrize(
    "words", ["existing names stay", "the rest comes later", "Other files: none."]
)
def test_an_honest_comment_above_lines_that_stay_is_written(words: str) -> None:
    for path, comment in COMMENTS.items():
        line = EDITS[path][1][0]
        lines = FILES[path].split("\n")[:-1]
        indent = lines[line - 1][: len(lines[line - 1]) - len(lines[line - 1].lstrip())]
        new = [*lines[:line], indent + comment.format(words), *lines[line:]]
        outcome = land(FILES[path], WriteFile(_joined(new)), path)
        assert isinstance(outcome, Landed), (path, outcome)
        assert outcome.text == _joined(new), path
        shown = lines[max(0, line - 2) : line]
        added = [*shown, indent + comment.format(words)]
        outcome = land(FILES[path], Replace(_joined(shown), _joined(added)), path)
        assert isinstance(outcome, Landed), (path, outcome)
        assert outcome.text == _joined(new), path


# ------------------------------------------------------------------------------------------------------------- copies


@pytest.mark.parametrize("path", FILES)
def test_of_a_file_that_is_there_twice_the_copy_is_edited_that_a_number_names(path: str) -> None:
    text = FILES[path] + "\n" + FILES[path]
    size = FILES[path].count("\n") + 1
    several = [edit for edit in LIST if edit.path == path]
    for edit in several:
        request = Replace(_old(edit), _new(edit))
        outcome = land(text, request)
        assert isinstance(outcome, Refused), edit
        first = edit.start - len(edit.above) + 1
        assert (outcome.reason, outcome.candidates) == ("ambiguous", (first, first + size)), edit

        after = _joined(edit.after)
        upper = land(text, Replace(_old(edit), _new(edit), near_line=first))
        lower = land(text, Replace(_old(edit), _new(edit), near_line=first + size))
        both = land(text, Replace(_old(edit), _new(edit), every=True))
        assert isinstance(upper, Landed), upper
        assert isinstance(lower, Landed), lower
        assert isinstance(both, Landed), both
        assert upper.text == f"{after}\n{FILES[path]}", edit
        assert lower.text == f"{FILES[path]}\n{after}", edit
        assert both.text == f"{after}\n{after}", edit
    assert len(several) == 3 + (path in BLOCKS)


# --------------------------------------------------------------------------------------------------- parts of lines


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_replacement_may_begin_and_end_inside_of_lines(newline: str) -> None:
    for edit in CHANGES:
        before = FILES[edit.path].replace("\n", newline)
        after = _joined(edit.after).replace("\n", newline)
        (old,), (new,) = edit.old, edit.new
        above = edit.above[-1]
        parts = [
            (old.strip(), new.strip()),
            (f"{above.lstrip()}\n{old}", f"{above.lstrip()}\n{new}"),
            (f"{above[len(above) // 2 :]}\n{old}", f"{above[len(above) // 2 :]}\n{new}"),
            (f"{old}\n{edit.below[0][:3]}", f"{new}\n{edit.below[0][:3]}"),
        ]
        for shown, meant in parts:
            if before.replace("\r\n", "\n").count(shown) != 1:
                continue
            outcome = land(before, Replace(shown, meant), edit.path)
            assert isinstance(outcome, Landed), (edit, shown, outcome)
            assert outcome.text == after, (edit, shown)
