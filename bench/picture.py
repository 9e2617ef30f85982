"""Make `docs/terminal.svg`: a terminal with real runs of `holdfast` in a temporary project. The model is scripted.

Every command is run as shown, on a pseudo-terminal, and its output is drawn as it came. Only tool calls that repeat
earlier ones are drawn as `…`.
"""

from __future__ import annotations

import argparse
import fcntl
import io
import os
import pty
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator, Mapping
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from holdfast.testing import ScriptedServer, call

WIDTH = 88
PICTURE = Path(__file__).parents[1] / "docs" / "terminal.svg"

RETRY = """\
class Retry:
\tlimit = 10

\tdef wait(self, attempt):
\t\t# Doubles each time, up to the limit.
\t\tdelay = 2 ** attempt
\t\treturn min(delay, self.limit)
"""
NET = """\
def connect(host):
    timeout = 100
    return open_socket(host, timeout)


def reconnect(host):
    timeout = 100
    return open_socket(host, timeout)
"""
DRIFTED = """\
retry.py
<<<<<<< SEARCH
    # double it every time
    delay = 2 ** attempt
    return min(delay, self.limit)
=======
    # double it every time
    delay = 2 ** attempt
    return max(1, min(delay, self.limit))
>>>>>>> REPLACE
"""
TWIN = """\
net.py
<<<<<<< SEARCH
    timeout = 100
=======
    timeout = 30
>>>>>>> REPLACE
"""
FILES = {"retry.py": RETRY, "net.py": NET, "reply.txt": DRIFTED, "twin.txt": TWIN}

THEME = TerminalTheme(
    background=(13, 17, 23),
    foreground=(201, 209, 217),
    normal=[
        (72, 79, 88),
        (255, 123, 114),
        (126, 231, 135),
        (227, 179, 65),
        (121, 192, 255),
        (210, 168, 255),
        (86, 212, 221),
        (201, 209, 217),
    ],
    bright=[
        (139, 148, 158),
        (255, 161, 152),
        (126, 231, 135),
        (227, 179, 65),
        (165, 214, 255),
        (210, 168, 255),
        (86, 212, 221),
        (240, 246, 252),
    ],
)
# Rich's own layout without its web font: a picture in a README may load nothing.
SVG = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-family: system-ui, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix" xml:space="preserve">
{matrix}
</g>
</g>
</svg>
"""


def main() -> None:
    """Write the picture to the file that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=PICTURE, help="the file to write")
    output = parser.parse_args().output
    draw(output)
    print(f"wrote {output}")


def draw(output: Path) -> None:
    """Run the commands in a new project and write the picture to `output`."""
    with tempfile.TemporaryDirectory(prefix="holdfast-picture-") as place:
        scene = Scene(Path(place))
        play(scene)
    output.write_text(scene.svg(), encoding="utf-8")


def play(scene: Scene) -> None:
    """Run the commands that show what Holdfast does."""
    scene.title("Spaces for the file's tabs, and a comment that is not the file's: the edit lands.")
    scene.run("cat reply.txt")
    scene.run("holdfast apply reply.txt")
    scene.title(
        "The old text occurs twice. The edit is refused, and the model is told what to send."
    )
    scene.run("holdfast apply twin.txt")
    scene.title("The model reads the same file again and again. It is warned, then stopped.")
    checkpoint = word_after("checkpoint ", scene.run('holdfast run "Explain the timeouts."'))
    scene.title("Files are gone. Every turn has a checkpoint to go back to.")
    scene.run("rm net.py retry.py")
    scene.run(f"holdfast checkpoint restore {checkpoint}")
    scene.run("ls -m")


def word_after(words: str, output: str) -> str:
    """Return the word that follows the first `words` in the output."""
    return output.partition(words)[2].split()[0]


class Scene:
    """A temporary project, the commands run in it, and the picture of both."""

    def __init__(self, place: Path) -> None:
        """Create the project below `place`."""
        self._root = place / "project"
        self._root.mkdir()
        for name, text in FILES.items():
            (self._root / name).write_text(text, encoding="utf-8")
        self._environment = environment(place)
        self._console = Console(
            record=True,
            width=WIDTH,
            file=io.StringIO(),
            force_terminal=True,
            color_system="truecolor",
        )
        self._begun = False

    def title(self, words: str) -> None:
        """Draw a comment, with space above it."""
        if self._begun:
            self._console.print()
        self._begun = True
        self._console.print(Text(f"# {words}", style="bright_black"))

    def run(self, command: str) -> str:
        """Run a command, draw it with its output, and return the output without colours."""
        self._console.print(Text.assemble(("$ ", "bold green"), (command, "bold bright_white")))
        lines = [
            Text.from_ansi(line)
            for line in on_terminal(shlex.split(command), self._root, self._environment)
        ]
        for line in without_repetition(lines):
            self._console.print(line)
        return "\n".join(line.plain for line in lines)

    def svg(self) -> str:
        """Return the picture."""
        return self._console.export_svg(
            title="holdfast", theme=THEME, code_format=SVG, unique_id="terminal"
        )


def without_repetition(lines: list[Text]) -> Iterator[Text]:
    """Yield the lines; of tool calls that were drawn before, only one `…` for each run of them."""
    seen: set[str] = set()
    skipping = False
    for line in lines:
        is_repeated = line.plain in seen and line.plain.startswith((">", "  net.py"))
        seen.add(line.plain)
        if not is_repeated:
            yield line
        elif not skipping:
            yield Text("  …", style="bright_black")
        skipping = is_repeated


def environment(place: Path) -> dict[str, str]:
    """Return variables under which no setting of the user counts."""
    return {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(place),
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "COLUMNS": str(WIDTH),
        "HOLDFAST_APPROVE": "auto",
        "HOLDFAST_STATE_DIR": str(place / "state"),
        "HOLDFAST_CONFIG_FILE": str(place / "no-settings.toml"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def on_terminal(command: list[str], root: Path, variables: Mapping[str, str]) -> list[str]:
    """Run `command` on a pseudo-terminal and return the lines that it prints there."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, WIDTH, 0, 0))
    with ScriptedServer([call("read_file", path="net.py")] * 20, model="small-model") as server:
        child = subprocess.Popen(
            command,
            cwd=root,
            env={**variables, "HOLDFAST_BASE_URL": server.base_url},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        output = b"".join(pieces(ours))
        child.wait()
    os.close(ours)
    # Every line ends with a line break, so that nothing follows the last one.
    return [left_on_screen(line) for line in output.decode().split("\r\n")[:-1]]


def left_on_screen(line: str) -> str:
    """Return what is left of a line when a program has gone back to its start and erased it (progress)."""
    return line.rpartition("\r\x1b[K")[2]


def pieces(descriptor: int) -> Iterator[bytes]:
    """Yield what is printed until nobody has the terminal open any more."""
    while True:
        try:
            piece = os.read(descriptor, 65536)
        except OSError:  # Linux: EIO when the last writer has closed it
            return
        if not piece:
            return
        yield piece


if __name__ == "__main__":
    main()
