"""Small files of fourteen kinds, true edits of each, written in six forms with drifts: which of them land.

An edit lands as the true file or is refused, never as another one.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import pytest

from holdfast import Landed, LineEdit, LineEdits, Patch, Refused, Replace, WriteFile, land
from tests.samples import WHOLE

pytestmark = pytest.mark.slow  # seconds together: `make quick` does without

FILES = {
    "a.py": (
        "import os\n\n\nclass Store:\n    def load(self, name):\n        path = self.root / name\n"
        "        # Read it all.\n        with open(path) as file:\n            return file.read()\n\n"
        '    def save(self, name, text):\n        if not name:\n            raise ValueError("no name")\n'
        "        self.count += 1\n        return text\n"
    ),
    "a.ts": (
        'import { readFile } from "fs";\n\nexport class Store {\n  private count = 0;\n\n'
        "  load(name: string): string {\n    const path = join(this.root, name);\n    if (!path) {\n"
        '      throw new Error("no path");\n    }\n    return readFile(path);\n  }\n\n'
        "  save(name: string): void {\n    this.count += 1;\n    this.names.push(name);\n  }\n}\n"
    ),
    "a.go": (
        "package main\n\ntype Store struct {\n\troot string\n\tsize int\n}\n\n"
        'func (s *Store) Load(name string) error {\n\tpath := s.root + name\n\tif path == "" {\n'
        '\t\treturn errors.New("no path")\n\t}\n\ts.size++\n\treturn nil\n}\n\n'
        "func (s *Store) Close() {\n\ts.size = 0\n}\n"
    ),
    "a.rs": (
        "pub fn load(name: &str) -> Result<String> {\n    let path = root().join(name);\n    match read(&path) {\n"
        "        Ok(text) => Ok(text),\n        Err(error) => {\n            log(&error);\n            Err(error)\n"
        '        }\n    }\n}\n\nfn root() -> PathBuf {\n    PathBuf::from("data")\n}\n'
    ),
    "a.c": (
        '#include <stdio.h>\n\nstatic int size = 4;\n\nint load(const char *name)\n{\n    FILE *file = fopen(name, "r");\n'
        "    if (!file) {\n        return -1;\n    }\n    size += 1;\n    fclose(file);\n    return size;\n}\n"
    ),
    "a.html": (
        '<!doctype html>\n<html>\n  <body>\n    <ul class="menu">\n      <li>Home</li>\n      <li>About us</li>\n'
        '      <li>Contact</li>\n    </ul>\n    <p id="end">The end.</p>\n  </body>\n</html>\n'
    ),
    "a.css": (
        "body {\n  margin: 0;\n  color: black;\n}\n\n.menu {\n  display: flex;\n  gap: 4px;\n}\n\n"
        ".menu a {\n  color: navy;\n  padding: 2px;\n}\n"
    ),
    "a.yaml": (
        "name: build\non:\n  push:\n    branches: [main]\njobs:\n  test:\n    runs-on: ubuntu\n    steps:\n"
        "      - name: checkout\n        uses: actions/checkout\n      - name: install\n        run: make setup\n"
        "      - name: test\n        run: make test\n"
    ),
    "a.toml": (
        '[project]\nname = "store"\nversion = "1.2"\n\n[tool.lint]\nwidth = 100\nselect = [\n    "one",\n    "two",\n]\n\n'
        '[tool.types]\nstrict = true\nfiles = "src"\n'
    ),
    "a.json": (
        '{\n  "name": "store",\n  "version": 3,\n  "scripts": {\n    "test": "jest",\n    "build": "tsc",\n'
        '    "lint": "eslint"\n  },\n  "private": true\n}\n'
    ),
    "a.md": (
        "# Store\n\nKeeps files by name.\n\n## Install\n\nRun `make setup` first.\nIt takes a minute.\n\n"
        "- one thing\n- another thing\n- a last thing\n\n## Use\n\nCall `load` with a name.\n"
    ),
    "Makefile": (
        "SRC = src\n\nall: build\n\nbuild:\n\tmkdir -p out\n\tcp -r $(SRC) out\n\ttouch out/done\n\n"
        "clean:\n\trm -rf out\n\trm -f log\n"
    ),
    "a.sql": (
        "create table store (\n    id integer primary key,\n    name text not null,\n    size integer\n);\n\n"
        "select name, size\nfrom store\nwhere size > 10\norder by name;\n"
    ),
    "a.sh": (
        '#!/bin/sh\nset -e\n\nload() {\n    path="$ROOT/$1"\n    if [ ! -f "$path" ]; then\n        echo "no file" >&2\n'
        '        return 1\n    fi\n    cat "$path"\n}\n\nload "$@"\n'
    ),
}  # fmt: skip
# By file: the line that is changed and its new text; the line below which lines are new, and these; lines that vanish.
EDITS: dict[str, tuple[tuple[int, str], tuple[int, str], tuple[int, int]]] = {
    "a.py": ((14, "        self.count += 2"), (6, "        self.check(path)\n        self.touch(path)"), (12, 13)),
    "a.ts": ((15, "    this.count += 2;"), (7, "    this.check(path);\n    this.touch(path);"), (8, 10)),
    "a.go": ((13, "\ts.size += 2"), (9, "\tcheck(path)\n\ttouch(path)"), (10, 12)),
    "a.rs": ((6, "            warn(&error);"), (2, "    check(&path);\n    touch(&path);"), (6, 6)),
    "a.c": ((11, "    size += 2;"), (7, "    check(file);\n    touch(file);"), (8, 10)),
    "a.html": ((6, "      <li>About them</li>"), (5, "      <li>News</li>\n      <li>Shop</li>"), (7, 7)),
    "a.css": ((7, "  display: grid;"), (2, "  padding: 0;\n  border: none;"), (13, 13)),
    "a.yaml": ((12, "        run: make install"), (7, "    timeout: 20\n    shell: bash"), (11, 12)),
    "a.toml": ((6, "width = 88"), (8, '    "new",\n    "newer",'), (14, 14)),
    "a.json": ((5, '    "test": "vitest",'), (3, '  "license": "MIT",\n  "type": "module",'), (6, 6)),
    "a.md": ((8, "It takes two minutes."), (11, "- something new\n- something newer"), (7, 8)),
    "Makefile": ((7, "\tcp -a $(SRC) out"), (6, "\tmkdir -p tmp\n\tmkdir -p log"), (8, 8)),
    "a.sql": ((9, "where size > 20"), (3, "    owner text,\n    state text,"), (9, 9)),
    "a.sh": ((7, '        echo "no such file" >&2'), (5, '    check "$path"\n    touch "$path"'), (6, 9)),
}  # fmt: skip

BLOCKS: dict[str, tuple[int, str]] = {
    "a.py": (6, "        if path:\n            check(path)\n            touch(path)"),
    "a.ts": (7, "    if (this.ok) {\n      check(path);\n    }"),
    "a.go": (9, "\tif ok {\n\t\tcheck(path)\n\t}"),
    "a.rs": (2, "    if ok {\n        check(&path);\n    }"),
    "a.c": (7, "    if (ok) {\n        check(file);\n    }"),
    "a.toml": (14, "more = [\n    1,\n    2,\n]"),
    "a.json": (3, '  "new": {\n    "deep": [\n      1\n    ]\n  },'),
    "a.sh": (5, '    if true; then\n        echo "new"\n    fi'),
}
"""By file: the line below which a block is new."""


@dataclass(frozen=True)
class Edit:
    """Lines `start` to `stop` (from 0, the last not included) become `new`; `above` and `below` are shown around them."""

    path: str
    start: int
    stop: int
    new: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        return FILES[self.path].split("\n")[:-1]

    @property
    def above(self) -> list[str]:
        return self.lines[max(0, self.start - 2) : self.start]

    @property
    def below(self) -> list[str]:
        return self.lines[self.stop : self.stop + 2]

    @property
    def old(self) -> list[str]:
        return self.lines[self.start : self.stop]

    @property
    def after(self) -> list[str]:
        return [*self.lines[: self.start], *self.new, *self.lines[self.stop :]]


def edits() -> Iterator[Edit]:
    for path, (changed, inserted, gone) in EDITS.items():
        yield Edit(path, changed[0] - 1, changed[0], (changed[1],))
        yield Edit(path, inserted[0], inserted[0], tuple(inserted[1].split("\n")))
        yield Edit(path, gone[0] - 1, gone[1], ())
    for path, (line, block) in BLOCKS.items():
        yield Edit(path, line, line, tuple(block.split("\n")))


# ------------------------------------------------------------------------------------------------------------- drifts

Lines = list[str]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _dedent(lines: Lines) -> Lines:
    """Return the lines without the indentation of the first one, where they have it."""
    shared = _indent(next(filter(str.strip, lines), ""))
    return [line.removeprefix(shared) for line in lines]


def _deeper(lines: Lines) -> Lines:
    return [f"  {line}" if line else line for line in lines]


def _other_indent(lines: Lines) -> Lines:
    """Return tabs for blanks, or blanks for tabs."""

    def one(line: str) -> str:
        indent = _indent(line)
        other = indent.replace("\t", "    ") if "\t" in indent else indent.replace("  ", "\t")
        return other + line.lstrip()

    return [one(line) for line in lines]


def _curly(lines: Lines) -> Lines:
    return [line.replace("'", "\u2019").replace('"', "\u201d") for line in lines]


def _hard_blanks(lines: Lines) -> Lines:
    return [line.replace(" ", "\u00a0") for line in lines]


def _scaled(lines: Lines, *, times: int, parts: int) -> Lines:
    """Return the lines with another width of a level; tabs become blanks."""
    wide = [_indent(line).replace("\t", "    ") for line in lines]
    if any(len(indent) % 4 for indent in wide):
        return lines  # half of a narrow level is none
    widths = [len(indent) * times // parts for indent in wide]
    return [" " * width + line.lstrip() for width, line in zip(widths, lines, strict=True)]


REQUEST_DRIFTS: dict[str, Callable[[Lines], Lines]] = {
    "as it is": list,
    "dedented": _dedent,
    "deeper": _deeper,
    "other indentation": _other_indent,
    "narrow levels": lambda lines: _scaled(lines, times=1, parts=2),
    "wide levels": lambda lines: _scaled(lines, times=2, parts=1),
    "curly quotes": _curly,
    "hard blanks": _hard_blanks,
    "entities": lambda lines: [
        line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for line in lines
    ],
    "markdown escapes": lambda lines: [line.replace("_", "\\_").replace("*", "\\*") for line in lines],
}  # fmt: skip
"""What happens to all lines that a model writes."""


def _typo(line: str) -> str:
    """Return the line with one letter twice, in the middle of its longest word."""
    words = sorted(filter(str.isalpha, line.replace("(", " ").replace(".", " ").split()), key=len)
    if not words or len(words[-1]) < 4:
        return line
    word = words[-1]
    at = len(word) // 2
    return line.replace(word, word[:at] + word[at - 1] + word[at:], 1)


CONTEXT_DRIFTS: dict[str, Callable[[Lines], Lines]] = {
    "as it is": list,
    "trailing blanks": lambda lines: [f"{line}  " for line in lines],
    "a typo beside it": lambda lines: [*map(_typo, lines)],
    "no blank lines": lambda lines: [*filter(str.strip, lines)],
    "blank lines": lambda lines: [line for shown in lines for line in (shown, "")][:-1],
    "other case": lambda lines: [*map(str.capitalize, lines)],
}
"""What happens to the lines above and below the edit."""
FILE_DRIFTS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "\\r\\n": lambda text: text.replace("\n", "\r\n"),
    "open end": lambda text: text.removesuffix("\n"),
    "mark of the encoding": lambda text: f"\ufeff{text}",
    "trailing blanks": str,
}
"""How the file is written."""


def _with_blanks(line: str) -> str:
    """Return the line as it is in a file with trailing blanks: behind every line that ends a sentence or opens a block."""
    return f"{line}  " if line.endswith((";", ":", "{")) else line


# -------------------------------------------------------------------------------------------------------------- forms

Request = Replace | Patch | LineEdits
Form = Callable[[Edit, Lines, Lines, Lines, Lines], Request]


def _joined(*parts: Lines) -> str:
    return "".join(f"{line}\n" for part in parts for line in part)


def _replace(edit: Edit, above: Lines, old: Lines, new: Lines, below: Lines) -> Replace:
    return Replace(_joined(above, old, below), _joined(above, new, below))


def _open_replace(edit: Edit, above: Lines, old: Lines, new: Lines, below: Lines) -> Replace:
    return Replace(_joined(above, old, below)[:-1], _joined(above, new, below)[:-1])


def _body(above: Lines, old: Lines, new: Lines, below: Lines) -> str:
    marked = [(" ", above), ("-", old), ("+", new), (" ", below)]
    return "".join(f"{mark}{line}\n" for mark, lines in marked for line in lines)


def _patch(edit: Edit, above: Lines, old: Lines, new: Lines, below: Lines) -> Patch:
    first = edit.start - len(above) + 1
    sizes = len(above) + len(below)
    header = f"@@ -{first},{sizes + len(old)} +{first},{sizes + len(new)} @@"
    name = edit.path
    return Patch(f"--- a/{name}\n+++ b/{name}\n{header}\n{_body(above, old, new, below)}")


def _bare_patch(edit: Edit, above: Lines, old: Lines, new: Lines, below: Lines) -> Patch:
    return Patch(f"@@\n{_body(above, old, new, below)}")


def _line_edit(edit: Edit, above: Lines, old: Lines, new: Lines, below: Lines) -> LineEdits:
    first = edit.start - len(edit.above) + 1
    last = edit.stop + len(edit.below)
    one = LineEdit(first, last, _joined(above, new, below), _joined(above, old, below))
    return LineEdits((one,))


def _late_line_edit(edit: Edit, above: Lines, old: Lines, new: Lines, below: Lines) -> LineEdits:
    """Return the edit as it is when three lines above it were added meanwhile."""
    (one,) = _line_edit(edit, above, old, new, below).edits
    return LineEdits((LineEdit(one.start + 3, one.end + 3, one.new, one.old),))


FORMS: dict[str, Form] = {
    "replace": _replace,
    "replace, no newline": _open_replace,
    "patch": _patch,
    "bare patch": _bare_patch,
    "line edit": _line_edit,
    "late line edit": _late_line_edit,
}


@dataclass(frozen=True)
class Drift:
    """What went wrong in all lines of a request, in those around the edit, and how the file is written."""

    everywhere: str = "as it is"
    beside: str = "as it is"
    file: str = "plain"


def request_of(edit: Edit, drift: Drift, form: str) -> Request:
    beside = CONTEXT_DRIFTS[drift.beside]
    everywhere = REQUEST_DRIFTS[drift.everywhere]
    above, below = beside(edit.above), beside(edit.below)
    drifted = everywhere([*above, *edit.old, *below])
    rewritten = everywhere([*above, *edit.new, *below])
    up, down = len(above), len(below)
    return FORMS[form](
        edit,
        drifted[:up],
        drifted[up : len(drifted) - down],
        rewritten[up : len(rewritten) - down],
        drifted[len(drifted) - down :],
    )


def file_of(edit: Edit, drift: Drift) -> tuple[str, str]:
    """Return the file before and after the edit."""
    spelled = _with_blanks if drift.file == "trailing blanks" else str
    before = [spelled(line) for line in edit.lines]
    after = [*before[: edit.start], *edit.new, *before[edit.stop :]]
    write = FILE_DRIFTS[drift.file]
    return write(_joined(before)), write(_joined(after))


def verdict(edit: Edit, drift: Drift, form: str) -> str:
    """Return `L` for the true file, `-` for a refusal, `W` for any other file."""
    before, after = file_of(edit, drift)
    outcome = land(before, request_of(edit, drift, form), edit.path)
    if isinstance(outcome, Refused):
        return "-"
    return "L" if outcome.text == after else "W"


# --------------------------------------------------------------------------------------------------------------- tests

EDIT_LIST = tuple(edits())


def some_edits(*row: str) -> Sequence[Edit]:
    """Return a dozen of the edits, others for each row, and all in `make soak`."""
    if WHOLE:
        return EDIT_LIST
    return random.Random(" ".join(row)).sample(EDIT_LIST, 12)


CLEAR = ("as it is", "trailing blanks", "blank lines")
"""What happens beside an edit and is of no weight: each edit lands in spite of it."""
RUNGS = {
    "as it is": {"exact"},
    "dedented": {"exact", "whitespace"},
    "deeper": {"whitespace"},
    "other indentation": {"exact", "whitespace", "unmangled"},
    "narrow levels": {"exact", "whitespace", "unmangled"},
    "wide levels": {"exact", "whitespace", "unmangled"},
    "curly quotes": {"exact", "unicode"},
    "hard blanks": {"unicode"},
    "entities": {"exact", "unmangled"},
    "markdown escapes": {"exact", "unmangled"},
}
"""The rungs on which an edit lands if all its lines have drifted so; exact, where nothing in them could drift."""


def is_unclear(edit: Edit, everywhere: str) -> bool:
    """Return whether a new block is in other levels than the file's, and no line beside it shows how they are written there."""
    if everywhere not in {"other indentation", "narrow levels", "wide levels"}:
        return False
    shown = [*edit.above, *edit.old, *edit.below]
    return not any(map(_indent, shown))


def reason_of(outcome: Landed | Refused) -> str:
    return "landed" if outcome.landed else outcome.reason


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("everywhere", REQUEST_DRIFTS)
def test_an_edit_lands_as_the_true_file_on_the_rung_of_its_drift_and_only_once(
    everywhere: str, form: str
) -> None:
    drift = Drift(everywhere)
    for edit in some_edits(everywhere, form):
        before, after = file_of(edit, drift)
        request = request_of(edit, drift, form)
        outcome = land(before, request, edit.path)
        if isinstance(outcome, Refused) and is_unclear(edit, everywhere):
            continue
        assert isinstance(outcome, Landed), (edit, outcome)
        assert outcome.text == after, edit
        assert (outcome.rung in RUNGS[everywhere], outcome.similarity) == (True, 1.0), edit
        again = "already_applied" if edit.new else "not_found"
        assert reason_of(land(after, request, edit.path)) == again, edit


@pytest.mark.parametrize("file", FILE_DRIFTS)
@pytest.mark.parametrize("everywhere", REQUEST_DRIFTS)
def test_an_edit_lands_as_the_true_file_however_the_file_is_written(
    everywhere: str, file: str
) -> None:
    for beside, form in product(CLEAR, FORMS):
        for edit in some_edits(everywhere, file, beside, form)[-3:]:
            drift = Drift(everywhere, beside, file)
            # Blank lines may mean something where there is little else.
            doubtful = beside == "blank lines" or is_unclear(edit, everywhere)
            allowed = "L-" if doubtful else "L"
            assert verdict(edit, drift, form) in allowed, (edit, drift, form)


DOUBTFUL = {
    "a typo beside it": "L--------L-L---LLL------L--LLLL--LLL------------L-",
    "other case": "LLLLLLL-----L--L--L-LLLLL--LLLLL-----L-L--LL----L-",
    "no blank lines": "L" * 50,
}
"""For each edit whether it lands if the lines beside it have drifted so. The engine may come to land more of them."""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("beside", DOUBTFUL)
def test_an_edit_beside_doubtful_lines_lands_as_the_true_file_or_is_refused(
    beside: str, form: str
) -> None:
    drift = Drift(beside=beside)
    found = [verdict(edit, drift, form) for edit in EDIT_LIST]
    assert "W" not in found
    if form.endswith("line edit") and beside == "no blank lines":
        return  # fewer lines than the range
    lost = [
        edit
        for edit, now, then in zip(EDIT_LIST, found, DOUBTFUL[beside], strict=True)
        if now == "-" and then == "L"
    ]
    assert lost == []


def _other_number(line: str) -> str:
    return re.sub(r"\d+", lambda number: str(int(number.group()) + 3), line)


def _other_word(line: str) -> str:
    return re.sub(r"[A-Za-z]{4,}", "zebra", line, count=1)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("change", [_other_number, _other_word])
@pytest.mark.parametrize("everywhere", REQUEST_DRIFTS)
def test_an_edit_of_a_line_that_the_file_does_not_have_is_refused(
    everywhere: str, change: Callable[[str], str], form: str
) -> None:
    for edit in some_edits(everywhere, form, change.__name__):
        others = list(map(change, edit.old))
        if others == edit.old:
            continue
        drift = REQUEST_DRIFTS[everywhere]
        lines = (edit.above, others, list(edit.new), edit.below)
        request = FORMS[form](edit, *map(drift, lines))
        outcome = land(FILES[edit.path], request, edit.path)
        assert isinstance(outcome, Refused), edit
        assert outcome.reason == "not_found", edit
        # What the file has there, with its numbers.
        shown = [f"{number}| {line}" for number, line in enumerate(edit.lines, 1)]
        assert set(filter(None, outcome.closest.split("\n"))) <= set(shown), edit
        if everywhere != "entities":
            assert shown[edit.start] in outcome.closest, edit


@pytest.mark.parametrize("form", FORMS)
def test_the_diff_of_an_edit_lands_as_the_edit_and_its_span_is_the_edited_place(form: str) -> None:
    for edit in EDIT_LIST:
        before, after = file_of(edit, Drift())
        outcome = land(before, request_of(edit, Drift(), form), edit.path)
        assert isinstance(outcome, Landed)
        shown = land(before, Patch(outcome.diff), edit.path)
        assert isinstance(shown, Landed)
        assert (shown.text, shown.rung, shown.diff) == (after, "exact", outcome.diff)
        for span in outcome.spans:
            first = before.count("\n", 0, span.start)
            last = before.count("\n", 0, span.end)
            assert span.line == first + 1
            assert (first >= edit.start - 2, last <= edit.stop + 2) == (True, True), (edit, span)


WRITTEN: dict[str, Callable[[str, Lines], str]] = {
    "plain": lambda path, lines: _joined(lines),
    "a fence": lambda path, lines: f"```\n{_joined(lines)}```\n",
    "a fence with a language": lambda path, lines: f"```{path[2:]}\n{_joined(lines)}```",
    "a name and a fence": lambda path, lines: f"{path}\n```\n{_joined(lines)}```\n",
    "a name above": lambda path, lines: f"// {path}\n{_joined(lines)}",
    "a tag": lambda path, lines: f"<file>\n{_joined(lines)}</file>\n",
    "numbers": lambda path, lines: _joined([f"{n:4}| {line}" for n, line in enumerate(lines, 1)]),
    "numbers and tabs": lambda path, lines: _joined(
        [f"{n:6}\t{line}" for n, line in enumerate(lines, 1)]
    ),
    "marks of a diff": lambda path, lines: _joined([f"+{line}" for line in lines]),
    "marks and blanks": lambda path, lines: _joined([f"+ {line}" for line in lines]),
    "marks of a quote": lambda path, lines: _joined([f"> {line}" for line in lines]),
    "deeper": lambda path, lines: _joined([f"    {line}" if line else line for line in lines]),
    "\\r\\n": lambda path, lines: _joined(lines).replace("\n", "\r\n"),
    "an open end": lambda path, lines: _joined(lines)[:-1],
    "a mark of the encoding": lambda path, lines: f"\ufeff{_joined(lines)}",
    "escaped": lambda path, lines: _joined(lines)[:-1].replace("\n", "\\n"),
    "entities": lambda path, lines: _joined(REQUEST_DRIFTS["entities"](lines)),
    "curly quotes": lambda path, lines: _joined(_curly(lines)),
}
"""How a model writes a whole file."""
REFUSED = {"a name above"}
CONTENT_OF_PROSE = {
    "marks of a diff",
    "marks and blanks",
    "marks of a quote",
    "deeper",
    "a name and a fence",
}
"""Items of a list, a quotation, code, a block in a fence: in a text for people a whole file may be meant so."""


@pytest.mark.parametrize("file", ["plain", "\\r\\n", "open end"])
@pytest.mark.parametrize("written", WRITTEN)
def test_a_whole_file_is_written_as_the_true_file_whatever_is_around_or_before_its_lines(
    written: str, file: str
) -> None:
    for edit in some_edits(written, file):
        before, after = file_of(edit, Drift(file=file))
        whole = WRITTEN[written](edit.path, edit.after)
        outcome = land(before, WriteFile(whole), edit.path)
        if written in REFUSED or (edit.path == "a.md" and written in CONTENT_OF_PROSE):
            assert isinstance(outcome, Refused), edit
            assert outcome.reason == "malformed"
            continue
        if isinstance(outcome, Refused) and written in {"entities", "curly quotes"}:
            kept = set(edit.lines).intersection(edit.after)
            proofs = [line for line in kept if WRITTEN[written](edit.path, [line]) != f"{line}\n"]
            assert len(proofs) < 2, (edit, outcome)
            continue
        assert isinstance(outcome, Landed), (edit, outcome)
        assert outcome.text == after, edit


WRAPPED: dict[str, Callable[[Lines, int], str]] = {
    "a fence": lambda lines, first: f"```\n{_joined(lines)}```",
    "numbers": lambda lines, first: _joined(
        [f"{n:4}| {line}" for n, line in enumerate(lines, first)]
    ),
    "numbers and colons": lambda lines, first: _joined(
        [f"{n}: {line}" for n, line in enumerate(lines, first)]
    ),
    "marks of a quote": lambda lines, first: _joined([f"> {line}" for line in lines]),
    "escaped": lambda lines, first: _joined(lines)[:-1].replace("\n", "\\n"),
}


@pytest.mark.parametrize("wrapped", WRAPPED)
def test_a_replacement_lands_whatever_is_around_or_before_its_lines(wrapped: str) -> None:
    wrap = WRAPPED[wrapped]
    for edit in EDIT_LIST:
        first = edit.start - len(edit.above) + 1
        old = wrap([*edit.above, *edit.old, *edit.below], first)
        new = wrap([*edit.above, *edit.new, *edit.below], first)
        outcome = land(FILES[edit.path], Replace(old, new), edit.path)
        assert isinstance(outcome, Landed), (edit, outcome)
        assert outcome.text == _joined(edit.after), edit


LINE_BY_LINE = [
    name for name in REQUEST_DRIFTS if name not in {"dedented", "narrow levels", "wide levels"}
]


@pytest.mark.parametrize("everywhere", LINE_BY_LINE)
def test_all_edits_of_a_file_land_at_once_or_none(everywhere: str) -> None:
    """Each changes another place, so the diff has a hunk for each."""
    drift = REQUEST_DRIFTS[everywhere]
    for path, (changed, inserted, _) in EDITS.items():
        first, second = sorted(
            [
                Edit(path, changed[0] - 1, changed[0], (changed[1],)),
                Edit(path, inserted[0], inserted[0], tuple(inserted[1].split("\n"))),
            ],
            key=lambda edit: edit.start,
        )
        if first.stop + 2 > second.start - 2:
            continue
        hunks = "".join(
            f"@@\n{_body(*map(drift, (edit.above, edit.old, list(edit.new), edit.below)))}"
            for edit in (first, second)
        )
        lines = first.lines
        true = [
            *lines[: first.start],
            *first.new,
            *lines[first.stop : second.start],
            *second.new,
            *lines[second.stop :],
        ]
        outcome = land(FILES[path], Patch(hunks), path)
        assert isinstance(outcome, Landed), path
        assert outcome.text == _joined(true), path
        spoiled = Patch(hunks.replace(drift([first.above[0]])[0], "nothing like it (9, 9)", 1))
        assert land(FILES[path], spoiled, path).landed is False, path
