"""`javac -XDrawDiagnostics`: `A.java:4:42: compiler.err.cant.resolve: kindname.variable, x`.

The key is the code. Its arguments follow: names and types, which need not be searched in a
sentence. Columns count UTF-16 units, with tabs to the next multiple of 8. Files have no directory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.repair.diagnostics.columns import NO_SOURCES, SourceLines
from holdfast.repair.diagnostics.javac_messages import in_words
from holdfast.repair.diagnostics.strip_ansi import plain_lines
from holdfast.vocab.diagnostics import Diagnostic, Severity
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_LINE = lazy_pattern(
    r"(?:(?P<path>[^\n:]+):(?P<line>[0-9]{1,9}):(?P<column>[0-9]{1,9}): |- )?"
    r"(?P<code>compiler\.(?P<kind>err|warn|note|misc)\.[\w.-]+)(?:: (?P<args>.*))?"
)
_SEVERITIES: dict[str, Severity] = {
    "err": "error",
    "warn": "warning",
    "note": "note",
    "misc": "note",
}
# The separators of arguments, and brackets, which nest.
_TOKEN = lazy_pattern(r"[()<>\[\]]|, ")
_KEY_END = lazy_pattern(r": |(?=[:)])")
_NAMELESS = lazy_pattern(r"\W*|null|kindname\.[\w.]+|compiler\.misc\.[\w.-]+")


def parse(
    output: str, *, version: str, sources: SourceLines = NO_SOURCES
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics of javac; () for any other output."""
    found = []
    for line in plain_lines(output):
        match = _LINE.fullmatch(line)
        if match:
            found.append(_diagnostic(match, version, sources))
    return tuple(found)


def _diagnostic(match: re.Match[str], version: str, sources: SourceLines) -> Diagnostic:
    code, path, arguments = match["code"], match["path"] or "", match["args"] or ""
    template = code
    arguments_template, args = _split_arguments(arguments)
    if arguments:
        template = f"{code}: {arguments_template}"

    area = None
    if match["line"]:
        place = int(match["line"]), int(match["column"])
        area = sources.area(path, place, (None, None), "tabs8")

    return Diagnostic(
        tool="javac",
        tool_version=version,
        code=code,
        severity=_SEVERITIES[match["kind"]],
        message=in_words(code, arguments),
        template=template,
        args=args,
        path=path,
        area=area,
    )


def _split_arguments(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the template of javac's arguments, and the names in them."""
    parts: list[str] = []
    names: list[str] = []
    for piece, is_name in _pieces(text):
        if is_name:
            parts.append(f"{{{len(names)}}}")
            names.append(piece)
        else:
            parts.append(piece)

    return "".join(parts), tuple(names)


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """Yield arguments and separators, each with whether it is a name. Joined they are the text."""
    at = 0
    while at < len(text):
        if text.startswith("(compiler.misc.", at):
            # An argument that is itself a message: its key stays, and its own arguments follow.
            end = _key_end(text, at)
            yield text[at:end], False
        elif text.startswith(")", at):
            end = at + 1
            yield ")", False
        elif text.startswith(", ", at):
            end = at + 2
            yield ", ", False
        else:
            end = _argument_end(text, at)
            yield text[at:end], not _NAMELESS.fullmatch(text[at:end])
        at = end


def _key_end(text: str, begin: int) -> int:
    """Return where the key of a nested message ends, with the separator after the key."""
    found = _KEY_END.search(text, begin + 1)
    if found is None:
        return len(text)
    return found.end()


def _argument_end(text: str, begin: int) -> int:
    """Return where an argument ends: at a comma, or at a bracket that it did not open.

    An argument has at least one character.
    """
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
