"""Forty refusals, and for each the corrected request that its words lead to: it lands."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from holdfast import Landed, LineEdit, LineEdits, Patch, Refused, Replace, WriteFile, land
from holdfast.vocab.requests import Request

Cure = Callable[[Refused], Request]

PY = '''\
"""A small shop."""

TAX = 0.2


def price_of(item, count):
    # Prices have no tax.
    total = item.price * count
    total = total + total * TAX
    return round(total, 2)


def label_of(item):
    name = item.name.strip()
    return name.title()


def print_all(items):
    for item in items:
        name = label_of(item)
        print(name, price_of(item, 1))
    print("done")
'''
CSS = "#main {\n  color: red;\n  margin: 0;\n}\n\n#side {\n  color: red;\n  margin: 4px;\n}\n"
YAML = "jobs:\n  build:\n    runs-on: ubuntu-22\n    steps:\n      - run: make\n  test:\n    runs-on: ubuntu-22\n    steps:\n      - run: make test\n"
FILES = {"a.py": PY, "a.css": CSS, "a.yaml": YAML}


def shown_lines(outcome: Refused) -> list[str]:
    """Return the lines that the refusal shows, without their numbers."""
    return [line.split("| ", 1)[1] for line in outcome.closest.split("\n") if "| " in line]


def copy(was: str, becomes: str, size: int = 1) -> Cure:
    """Copy the shown line that has `was` in it, and the `size - 1` lines above it."""

    def cure(outcome: Refused) -> Request:
        lines = shown_lines(outcome)
        at = next(n for n, line in enumerate(lines) if was in line)
        old = "\n".join(lines[max(0, at - size + 1) : at + 1]) + "\n"
        return Replace(old, old.replace(was, becomes))

    return cure


def send(request: Request) -> Cure:
    return lambda _: request


def edits(*parts: LineEdit) -> LineEdits:
    return LineEdits(parts)


def misspelt(line: str, was: str, becomes: str) -> tuple[Request, str, Cure]:
    """A removed line that is misspelt: the closest line is shown, and copied."""
    return (
        Replace(line + "\n", line.replace("total", "sum") + "\n"),
        "not_found",
        copy(was, becomes),
    )


CASES: list[tuple[str, Request, str, Cure]] = [
    ("a.py", *misspelt("    total = itm.price * count", "item.price", "item.cost")),
    ("a.py", *misspelt("    total = total + totl * TAX", "* TAX", "* (1 + TAX)")),
    ("a.py", *misspelt("    return round(total, 3)", "total, 2", "total, 4")),
    (
        "a.py",
        Replace("    name = item.nam.strip()\n", "    name = item.name\n"),
        "not_found",
        copy(".strip()", ""),
    ),
    (
        "a.py",
        Replace("    print('finished')\n", "    print('end')\n"),
        "not_found",
        copy('"done"', '"end"'),
    ),
    ("a.py", Replace("TAX = 0.3\n", "TAX = 0.4\n"), "not_found", copy("0.2", "0.4")),
    (
        "a.py",
        Replace("def price_off(item, count):\n", "def cost(item, count):\n"),
        "not_found",
        copy("price_of", "cost"),
    ),
    (
        "a.py",
        Replace(
            "def prices(item, count):\n    # Prices have no tax.\n    total = item.price * count\n",
            "def prices(item, count):\n    # Prices have no tax.\n    total = item.cost * count\n",
        ),
        "not_found",
        copy("item.price", "item.cost", 3),
    ),
    (
        "a.py",
        Replace(
            "def label_for(item):\n    name = item.name.strip()\n    return name.title()\n",
            "def label_for(item):\n    name = item.name.strip()\n    return name.lower()\n",
        ),
        "not_found",
        copy("title", "lower", 3),
    ),
    (
        "a.css",
        Replace(
            "#sidebar {\n  color: red;\n  margin: 4px;\n",
            "#sidebar {\n  color: red;\n  margin: 8px;\n",
        ),
        "not_found",
        copy("4px", "8px", 3),
    ),
    ("a.css", Replace("  margin: 5px;\n", "  margin: 8px;\n"), "not_found", copy("4px", "8px")),
    (
        "a.yaml",
        Replace(
            "  deploy:\n    runs-on: ubuntu-22\n    steps:\n      - run: make test\n",
            "  deploy:\n    runs-on: ubuntu-22\n    steps:\n      - run: make all\n",
        ),
        "not_found",
        copy("make test", "make all", 4),
    ),
    (
        "a.yaml",
        Replace("      - run: make tests\n", "      - run: make all\n"),
        "not_found",
        copy("make test", "make all"),
    ),
    (
        "a.py",
        Patch("@@ -1 +1 @@\n-    return name.titel()\n+    return name\n"),
        "not_found",
        copy(".title()", ""),
    ),
    (
        "a.py",
        Patch(
            "@@ -5,3 +5,3 @@\n def prices(item, count):\n     # Prices have no tax.\n-    total = item.price * count\n+    total = 0\n"
        ),
        "not_found",
        copy("item.price * count", "0", 3),
    ),
    (
        "a.css",
        Patch("@@ -1,3 +1,3 @@\n #foot {\n   color: red;\n-  margin: 0;\n+  margin: 1px;\n"),
        "not_found",
        copy("margin: 0", "margin: 1px", 3),
    ),
    (
        "a.css",
        Replace("  color: red;\n", "  color: blue;\n"),
        "ambiguous",
        copy("  color: red", "  color: blue", 2),
    ),
    (
        "a.yaml",
        Replace("    runs-on: ubuntu-22\n", "    runs-on: ubuntu-24\n"),
        "ambiguous",
        copy("ubuntu-22", "ubuntu-24", 2),
    ),
    (
        "a.yaml",
        Replace("    steps:\n", "    steps: # all\n"),
        "ambiguous",
        send(Replace("    steps:\n", "    steps: # all\n", near_line=4)),
    ),
    (
        "a.yaml",
        Replace("    steps:\n", "    steps: # all\n"),
        "ambiguous",
        send(Replace("    steps:\n", "    steps: # all\n", every=True)),
    ),
    ("a.py", Replace("item", "thing"), "ambiguous", send(Replace("item", "thing", every=True))),
    (
        "a.css",
        Patch("@@ @@\n-  color: red;\n+  color: blue;\n"),
        "ambiguous",
        copy("  color: red", "  color: blue", 2),
    ),
    (
        "a.css",
        edits(LineEdit(4, 4, "  color: blue;\n", old="  color: red;\n")),
        "ambiguous",
        send(edits(LineEdit(2, 2, "  color: blue;\n", old="  color: red;\n"))),
    ),
    (
        "a.py",
        edits(LineEdit(8, 9, "    total = 0\n", old="    return round(total, 2)\n")),
        "conflict",
        send(edits(LineEdit(10, 10, "    total = 0\n", old="    return round(total, 2)\n"))),
    ),
    (
        "a.py",
        edits(LineEdit(8, 7, "    total = 0\n", old="    return round(total, 2)\n")),
        "conflict",
        send(edits(LineEdit(10, 10, "    total = 0\n", old="    return round(total, 2)\n"))),
    ),
    (
        "a.py",
        edits(LineEdit(10, 10, "    return total\n")),
        "stale",
        send(edits(LineEdit(10, 10, "    return total\n", old="    return round(total, 2)\n"))),
    ),
    (
        "a.py",
        LineEdits((LineEdit(10, 10, "    return total\n"),), shown="x\n" * 12),
        "stale",
        copy("round(total, 2)", "total"),
    ),
    (
        "a.py",
        LineEdits((LineEdit(99, 99, "x\n"),), shown=PY),
        "out_of_bounds",
        send(LineEdits((LineEdit(10, 10, "    return total\n"),), shown=PY)),
    ),
    (
        "a.py",
        edits(LineEdit(9, 3, "x\n", old="y")),
        "out_of_bounds",
        send(edits(LineEdit(3, 3, "TAX = 0.5\n", old="TAX = 0.2\n"))),
    ),
    (
        "a.py",
        edits(
            LineEdit(3, 3, "TAX = 1\n", old="TAX = 0.2\n"),
            LineEdit(3, 3, "TAX = 2\n", old="TAX = 0.2\n"),
        ),
        "overlap",
        send(edits(LineEdit(3, 3, "TAX = 1\n", old="TAX = 0.2\n"))),
    ),
    (
        "a.py",
        Replace("TAX = 0.2\n", "TAX = 0.2\n"),
        "no_change",
        send(Replace("TAX = 0.2\n", "TAX = 0.3\n")),
    ),
    ("a.py", edits(), "no_change", send(edits(LineEdit(3, 3, "TAX = 1\n", old="TAX = 0.2\n")))),
    ("a.py", WriteFile(PY), "no_change", send(WriteFile(PY.replace("0.2", "0.3")))),
    ("a.py", Replace("", "TAX = 1\n"), "empty_old", send(Replace("TAX = 0.2\n", "TAX = 1\n"))),
    ("a.py", Replace("  \n", "TAX = 1\n"), "empty_old", send(Replace("TAX = 0.2\n", "TAX = 1\n"))),
    (
        "a.py",
        WriteFile('"""A small shop."""\n\n# ... rest of the file unchanged ...\n'),
        "elision",
        send(Replace('"""A small shop."""\n', '"""A shop."""\n')),
    ),
    (
        "a.py",
        Replace("    name = item.name.strip()\n    return name.title()\n", "    # unchanged\n"),
        "elision",
        send(Replace("    return name.title()\n", "    return name\n")),
    ),
    (
        "a.py",
        WriteFile("```python\nTAX = 0.3\n```\n"),
        "malformed",
        send(WriteFile(PY.replace("0.2", "0.3"))),
    ),
    (
        "a.py",
        Patch("change the tax"),
        "malformed",
        send(Patch("@@ -3 +3 @@\n-TAX = 0.2\n+TAX = 0.3\n")),
    ),
    (
        "a.py",
        Patch("@@ -3,0 +3 @@\n+TAX_FREE = 0\n"),
        "malformed",
        send(Patch("@@ -3 +3,2 @@\n TAX = 0.2\n+TAX_FREE = 0\n")),
    ),
    (
        "a.py",
        Replace("2| \n3| TAX = 0.2\n", "2| \n3| TAX = (0.2\n"),
        "syntax",
        send(Replace("TAX = 0.2\n", "TAX = (0.2)\n")),
    ),
    (
        "a.py",
        Replace("TAX = 0.1\n", "TAX = 0.2\n"),
        "already_applied",
        send(Replace("TAX = 0.2\n", "TAX = 0.25\n")),
    ),
]


def test_there_are_forty() -> None:
    assert len(CASES) >= 40


@pytest.mark.parametrize(("path", "request_", "reason", "cure"), CASES)
def test_a_model_can_correct_itself_from_the_refusal(
    path: str, request_: Request, reason: str, cure: Cure
) -> None:
    outcome = land(FILES[path], request_, path)
    assert isinstance(outcome, Refused), outcome
    assert outcome.reason == reason, outcome.message
    corrected = land(FILES[path], cure(outcome), path)
    assert isinstance(corrected, Landed), corrected.message


def test_the_closest_lines_are_not_a_short_common_line() -> None:
    text = "/*\n * Licence text of this file\n */\n\nint total(void)\n{\n    return count_all(items);\n}\n"
    outcome = land(
        text, Replace("    return count_all(item);\n */\n", "    return 0;\n */\n"), "a.c"
    )
    assert isinstance(outcome, Refused)
    assert "count_all(items)" in outcome.closest


def test_a_syntax_refusal_shows_the_lines_that_would_be_written() -> None:
    outcome = land("def f():\n    run()\n", Replace("2|     run()\n", "2|     run(\n"), path="a.py")
    assert isinstance(outcome, Refused)
    assert outcome.reason == "syntax"
    assert outcome.closest == "    run("
