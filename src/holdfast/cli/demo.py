"""`holdfast demo`: a guided run on a temporary project, each step checked."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

_RETRY = """\
class Retry:
\tlimit = 10

\tdef wait(self, attempt):
\t\t# Twice as long each time.
\t\tdelay = 2 ** attempt
\t\tself.log(delay)
\t\treturn min(delay, self.limit)
"""
_GREET = """\
def greet(name):
    # Be polite.
    return "Hello, " + name + "!"
"""
_NET = """\
def connect(host):
    timeout = 100
    return open_socket(host, timeout)


def reconnect(host):
    timeout = 100
    return open_socket(host, timeout)
"""

_WITH_BLANKS = """\
Here is the change:

src/retry.py
<<<<<<< SEARCH
    def wait(self, attempt):
        # Wait twice as long every time
        delay = 2 ** attempt
        self.log(delay)
        return min(delay, self.limit)
=======
    def wait(self, attempt):
        # Wait twice as long every time
        delay = 2 ** attempt
        self.log(delay)
        return max(1, min(delay, self.limit))
>>>>>>> REPLACE
"""
_CURLY = """\
src/greet.py
<<<<<<< SEARCH
    return “Hello, ” + name + “!”
=======
    return “Good day, ” + name + “!”
>>>>>>> REPLACE
"""
_STALE = """\
--- a/src/net.py
+++ b/src/net.py
@@ -41,3 +41,3 @@
 def reconnect(host):
-    timeout = 100
+    timeout = 30
     return open_socket(host, timeout)
"""
_TWICE = """\
src/net.py
<<<<<<< SEARCH
    return open_socket(host, timeout)
=======
    return open_socket(host, timeout, keep_alive=True)
>>>>>>> REPLACE
"""
_CUT = """\
src/net.py
<<<<<<< SEARCH
    timeout = 10
=======
    timeout = 20
>>>>>>> REPLACE
"""
_FENCED = """\
```diff
--- a/src/greet.py
+++ b/src/greet.py
@@ -1,3 +1,3 @@
 def greet(name):
-    # Be polite.
+    # Be polite, always.
     return "Good day, " + name + "!"
```
"""
_MANY = """\
*** Begin Patch
*** Add File: docs/usage.md
+# Usage
*** Update File: src/net.py
@@ def connect(host):
-    timeout = 100
+    timeout = 60
*** Delete File: src/{name}
*** End Patch
"""


@dataclass(frozen=True, slots=True)
class _Ran:
    code: int
    told: str


def _run_alone(words: list[str]) -> _Ran:
    ran = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "holdfast.cli.main", *words], capture_output=True, check=False
    )
    return _Ran(ran.returncode, (ran.stdout + ran.stderr).decode(errors="replace"))


def _run_here(words: list[str]) -> _Ran:
    from holdfast.cli.main import app  # noqa: PLC0415 - which imports this module

    told = StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        code = app(words, prog_name="holdfast", standalone_mode=False)
    return _Ran(code or 0, told.getvalue())


class _Show:
    """A temporary project, the commands run on it, and the claims made about it."""

    def __init__(self, place: Path) -> None:
        self.root = place / "project"
        self.reply = place / "reply.txt"
        self.failed = 0
        for name, text in {"retry.py": _RETRY, "greet.py": _GREET, "net.py": _NET}.items():
            self.file(name).parent.mkdir(parents=True, exist_ok=True)
            self.file(name).write_text(text, encoding="utf-8")
        self.start = self.texts()

    def file(self, name: str) -> Path:
        return self.root / "src" / name

    def texts(self) -> dict[str, str]:
        files = sorted(path for path in self.root.rglob("*") if path.is_file())
        return {str(path.relative_to(self.root)): path.read_text(encoding="utf-8") for path in files}

    def apply(self, reply: str, *options: str, alone: bool = False) -> _Ran:
        self.reply.write_text(reply, encoding="utf-8")
        return self._run("apply", str(self.reply), *options, alone=alone)

    def undo(self, *, alone: bool = False) -> _Ran:
        return self._run("undo", alone=alone)

    def _run(self, *words: str, alone: bool) -> _Ran:
        """Run the command, here or alone in a process, and print what it says."""
        typer.echo(f"   $ holdfast {' '.join(words)}".replace(str(self.reply), self.reply.name))
        ran = (_run_alone if alone else _run_here)([*words, "--root", str(self.root)])
        typer.echo(indent(ran.told, "   | ", lambda _: True))
        return ran

    def claim(self, what: str, holds: bool) -> None:
        """Say what this step shows; it must be so."""
        self.failed += not holds
        typer.echo(f"   {'ok' if holds else 'NOT SO'}: {what}")


def demo() -> None:
    """Watch edits land, be refused and be taken back in a temporary project; every claim is checked.

    Exit 0: all is as claimed. 1: something is not.
    """
    with TemporaryDirectory(prefix="holdfast-demo-") as place, _environment(HOLDFAST_STATE_DIR=place, NO_COLOR="1"):
        show = _Show(Path(place))
        for number, step in enumerate(_STEPS, 1):
            typer.secho(f"\n{number}. {step.__doc__}", bold=True)
            step(show)
    if show.failed:
        typer.secho(f"\n{show.failed} claims did not hold.", bold=True, err=True)
        raise typer.Exit(1)
    typer.secho("\nAll claims held.", bold=True)


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    kept = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


def _indentation(show: _Show) -> None:
    """The file has tabs. The model wrote blanks, and half remembered a comment."""
    ran = show.apply(_WITH_BLANKS, alone=True)
    text = show.file("retry.py").read_text(encoding="utf-8")
    show.claim("it landed, and the tool says that it was not exact", ran.code == 0 and "(rung " in ran.told)
    show.claim("the new line has the file's tabs", "\n\t\treturn max(1, min(delay, self.limit))\n" in text)
    show.claim(
        "the comment, which it did not mean to change, is the file's own", "\t# Twice as long each time.\n" in text
    )


def _typography(show: _Show) -> None:
    """The model's quotes came out typographic, in the old text and in the new."""
    ran = show.apply(_CURLY)
    show.claim(
        "it landed, with the file's straight quotes",
        ran.code == 0 and show.file("greet.py").read_text(encoding="utf-8") == _GREET.replace("Hello", "Good day"),
    )


def _line_numbers(show: _Show) -> None:
    """A diff for lines 41 to 43 of a file that has nine."""
    ran = show.apply(_STALE)
    head, _, tail = _NET.rpartition("timeout = 100")
    show.claim(
        "numbers are a hint: the context decides, and the twin above is untouched",
        ran.code == 0 and show.file("net.py").read_text(encoding="utf-8") == f"{head}timeout = 30{tail}",
    )


def _ambiguity(show: _Show) -> None:
    """The old text stands in two places."""
    before = show.texts()
    ran = show.apply(_TWICE)
    show.claim("it was refused, and both lines are named", ran.code == 1 and "lines 3, 8" in ran.told)
    show.claim("no file changed", show.texts() == before)


def _cut_number(show: _Show) -> None:
    """`timeout = 10` is a part of `timeout = 100`. It is not what was meant."""
    before = show.texts()
    ran = show.apply(_CUT)
    show.claim("it was refused, and no file changed", ran.code == 1 and show.texts() == before)


def _repetition(show: _Show) -> None:
    """The third reply once more, as an agent that lost count would send it."""
    before = show.texts()
    ran = show.apply(_STALE)
    show.claim("it was refused: it is already applied", ran.code == 1 and "already" in ran.told)
    show.claim("no file changed", show.texts() == before)


def _wrapper(show: _Show) -> None:
    """A diff in a Markdown fence."""
    ran = show.apply(_FENCED)
    show.claim("it was refused, and the refusal shows how a diff is written", ran.code == 1 and "@@" in ran.told)
    ran = show.apply(_FENCED, "--unwrap")
    text = show.file("greet.py").read_text(encoding="utf-8")
    show.claim("with --unwrap it landed", ran.code == 0 and "# Be polite, always." in text and "```" not in text)


def _many_files(show: _Show) -> None:
    """One reply for three files, and one of them is not there."""
    before = show.texts()
    ran = show.apply(_MANY.format(name="retries.py"))
    show.claim("it was refused, and the file that may be meant is named", ran.code == 1 and "src/retry.py" in ran.told)
    show.claim("the other two files did not change either", show.texts() == before)
    ran = show.apply(_MANY.format(name="retry.py"))
    after = show.texts()
    show.claim(
        "mended, all three landed: one made, one changed, one gone",
        ran.code == 0 and set(after) == {"docs/usage.md", "src/greet.py", "src/net.py"} and "60" in after["src/net.py"],
    )


def _undo(show: _Show) -> None:
    """Take everything back, also from a file that was edited since."""
    ran = show.undo(alone=True)
    show.claim("the file that was deleted is back", ran.code == 0 and "src/retry.py" in show.texts())
    show.claim("the directory made for it is gone too", not (show.root / "docs").exists())
    edited = show.file("greet.py").read_text(encoding="utf-8")
    show.file("greet.py").write_text("# by hand\n" + edited, encoding="utf-8")
    ran = show.undo()
    text = show.file("greet.py").read_text(encoding="utf-8")
    show.claim("what was added elsewhere after the apply stays", ran.code == 0 and text.startswith("# by hand\n"))
    show.claim("and only the edit is taken out", text == "# by hand\n" + edited.replace("polite, always", "polite"))
    codes = [show.undo().code for _ in range(3)]
    rest = show.start | {"src/greet.py": "# by hand\n" + _GREET}
    show.claim("three more, and the project is what it was, with that line", codes == [0] * 3 and show.texts() == rest)


_STEPS = (
    _indentation,
    _typography,
    _line_numbers,
    _ambiguity,
    _cut_number,
    _repetition,
    _wrapper,
    _many_files,
    _undo,
)
