"""`javac -XDrawDiagnostics`: `A.java:4:42: compiler.err.cant.resolve.location: kindname.variable, x, , , (…)`.

The key is the code, and what follows are its arguments: names and types, which we need not look for in a sentence.
javac's columns count UTF-16 units with tabs up to the next of 8, and it gives the name of a file without its directory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from holdfast.repair.diagnostics.columns import SourceLines
from holdfast.repair.diagnostics.javac_messages import in_words
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Diagnostic, Severity

_NOWHERE = SourceLines()
_LINE = re.compile(
    r"(?:(?P<path>[^\n:]+):(?P<line>[0-9]{1,9}):(?P<column>[0-9]{1,9}): |- )?"
    r"(?P<code>compiler\.(?P<kind>err|warn|note|misc)\.[\w.-]+)(?:: (?P<args>.*))?"
)
_SEVERITIES: dict[str, Severity] = {
    "err": "error",
    "warn": "warning",
    "note": "note",
    "misc": "note",
}
# Where one argument ends and the next begins; brackets nest.
_TOKEN = re.compile(r"[()<>\[\]]|, ")
_NAMELESS = re.compile(r"\W*|null|kindname\.[\w.]+|compiler\.misc\.[\w.-]+")


def parse(output: str, *, version: str, sources: SourceLines = _NOWHERE) -> tuple[Diagnostic, ...]:
    """Give what javac found; () if this is not its output."""
    found = (_LINE.fullmatch(line) for line in plain_lines(output))
    return tuple(_diagnostic(match, version, sources) for match in found if match)


def _diagnostic(match: re.Match[str], version: str, sources: SourceLines) -> Diagnostic:
    code, path, given = match["code"], match["path"] or "", match["args"]
    parts: list[str] = []
    args: list[str] = []
    for piece, is_name in _pieces(given or ""):
        parts.append(f"{{{len(args)}}}" if is_name else piece)
        if is_name:
            args.append(piece)
    template = f"{code}: {''.join(parts)}" if given else code
    place = (int(match["line"]), int(match["column"])) if match["line"] else (None, None)
    area = sources.area(path, place, (None, None), "tabs8")
    message = in_words(code, given or "")
    return Diagnostic(
        "javac",
        version,
        code,
        _SEVERITIES[match["kind"]],
        message,
        template,
        tuple(args),
        path,
        area,
    )


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Give the arguments as they stand, each a name or not, with what separates them. Joined they are the text."""
    at = 0
    while at < len(text):
        if text.startswith("(compiler.misc.", at):
            # An argument that is itself a message: its key stays, its arguments are looked at in turn.
            end = next((i for i in range(at + 1, len(text)) if text[i] in ":)"), len(text))
            yield text[at:end], False
            at = end
            if text.startswith(": ", at):
                yield ": ", False
                at += 2
            continue
        if text.startswith(")", at) or text.startswith(", ", at):
            width = 1 if text[at] == ")" else 2
            yield text[at : at + width], False
            at += width
            continue
        end = _argument_end(text, at)
        yield text[at:end], not _NAMELESS.fullmatch(text[at:end])
        at = end


def _argument_end(text: str, begin: int) -> int:
    """Give where the argument ends: at a comma and blank, or a bracket that it did not open. It has one character."""
    depth = 0
    for token in _TOKEN.finditer(text, begin):
        if token[0] in "(<[":
            depth += 1
        elif token[0] == ", ":
            if depth <= 0 and token.start() > begin:
                return token.start()
        elif token[0] == ")" and depth <= 0:
            return max(token.start(), begin + 1)
        else:
            depth -= 1
    return len(text)
