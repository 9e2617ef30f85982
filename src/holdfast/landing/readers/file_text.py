"""The text of a whole file, without what a model put around it or did to its lines."""

from __future__ import annotations

import re
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.formats.sentences import mark_of
from holdfast.landing.formats.surrounding_text import (
    WRAPPER_TAG,
    fence_of,
    is_wrapper,
    tag_of,
)
from holdfast.landing.ladder.line_decoration import without_file_decoration
from holdfast.landing.ladder.listing import listing_of
from holdfast.landing.ladder.unmangle import is_carrier, is_edit_mark, without_mangling
from holdfast.landing.new_text import PlainText
from holdfast.landing.text.byte_order_mark import MARK
from holdfast.landing.text.file_kinds import kind_of
from holdfast.landing.text.languages import BY_NAME, UNKNOWN, comment_words, language_of, name_of
from holdfast.landing.text.line_keys import indent_of, key_of
from holdfast.landing.text.line_tokens import matched
from holdfast.landing.text.lines import (
    Doc,
    contents_of,
    numbers_matching,
    solid_lines,
    solid_numbers,
    text_of,
)
from holdfast.landing.text.shared_ends import shared_ends
from holdfast.syntax.parse_check import breaks
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.landing.text.file_kinds import FileKind

from holdfast.landing.readers.chat_text import without_chat

FENCE = re.compile(r"(?:`{3,}|~{3,})[\w+.#-]*\s*")


def read_file_text(text: str, new: str, path: str | None, most: int = 6) -> PlainText | Refused:
    """Return the content that `new` means for a file with this text.

    What is around the content or before its lines is undone if lines of the file come back by that; else it is refused.
    So is a text with more than so many of these around each other.
    """
    ended = without_chat(text, new)
    new = _without_leading_blanks(text, _with_file_mark(text, ended.text))
    # One may be inside another: numbers before the lines in a fence in tags.
    if kind_of(path) == "prose" and _has_half_fence(text, new):
        return refusals.plain(
            "malformed",
            "the text begins or ends with one half of a Markdown fence; send the file's content alone, or both halves.",
        )
    undos = (out_of_fence, out_of_escapes, _out_of_pair, out_of_marks)
    for undo in undos:
        read = undo(text, new, path)
        if isinstance(read, Refused):
            return read
        if read is not None and read.text != new:
            if most == 0:
                return refusals.plain(
                    "malformed",
                    "the text is wrapped many times over; send the file's content alone.",
                )
            inner = read_file_text(text, _ending_alike(new, read.text), path, most - 1)
            if isinstance(inner, Refused):
                return inner
            return PlainText(inner.text, ended.undone + read.undone + inner.undone)

    return PlainText(new, ended.undone)


def _ending_alike(new: str, read: str) -> str:
    """Return what was read of a text without a newline, if the text ends with the last line of it and none is there either."""
    body = read.rstrip("\n")
    if body and new.endswith(body.rpartition("\n")[2]):
        return body
    return read


def _without_leading_blanks(text: str, new: str) -> str:
    """Return the new text without blank lines above it, if the file has none and something else changes too."""
    bare = _LEADING_BLANKS.sub("", new)
    if _BLANK_START.match(text) or bare in {"", text}:
        return new
    return bare


_BLANK_START = re.compile(r"[ \t]*[\r\n]|\s*\Z")
"""A text that begins with a blank line, or has nothing else."""


_LEADING_BLANKS = re.compile(r"\A(?:[ \t]*(?:\r\n|\r|\n))+")


def _with_file_mark(text: str, new: str) -> str:
    """Return the new text without a byte order mark: the file has none, unless the mark is all that changes."""
    bare = new.removeprefix(MARK)
    if text in {"", bare}:
        return new
    return bare


def out_of_fence(text: str, new: str, path: str | None) -> PlainText | Refused | None:
    """Return the lines in the outermost fence, a refusal, or None where the fence is content or there is none."""
    doc = Doc(text)
    lines = contents_of(new)
    fences = numbers_matching(FENCE, lines)
    # It may be the file's own.
    if len(fences) < 2:
        return None
    if len(numbers_matching(FENCE, doc.lines)) >= len(fences):
        return None

    inside = lines[fences[0] + 1 : fences[-1]]
    outside = solid_lines(lines[: fences[0]] + lines[fences[-1] + 1 :])
    if any(map(doc.has, outside)):
        return None
    kind = kind_of(path)
    if _is_the_file(doc, inside, kind) or _is_announced(outside, text, text_of(inside)):
        return PlainText(text_of(inside), ("a Markdown fence",))

    # Two signs that the fence is content: text around it, nothing of the file inside, or in prose only a part of it.
    shared = shared_lines(doc, inside)
    is_part = kind == "prose" and 4 * shared < 3 * len(doc.key_set)
    if bool(outside) + (shared == 0) + is_part > 1:
        return None
    return refusals.plain(
        "malformed", "the text is wrapped in a Markdown fence; send the file's content alone."
    )


def _is_announced(outside: Sequence[str], text: str, inside: str) -> bool:
    """Return whether all that is outside is a sentence that announces the fence, and inside is nearly the same text."""
    if list(map(mark_of, outside)) != [":"]:
        return False
    from rapidfuzz.fuzz import ratio  # noqa: PLC0415 - native, imported when needed

    return ratio(text.strip(), inside.strip()) > _NEARLY


_NEARLY = 80
"""Percent of the characters."""


def _has_half_fence(text: str, new: str) -> bool:
    """Return whether a fence at an end of the new text, or one that it stops in, has no other half as the file's own have."""
    lines = contents_of(new)
    fences = numbers_matching(FENCE, lines)
    own = numbers_matching(FENCE, contents_of(text))
    if len(own) % 2 or not len(fences) % 2:
        return False
    if text.endswith("\n") and not new.endswith("\n"):
        # Cut off inside of a fence.
        return True
    outer = solid_numbers(lines)
    return not {outer[0], outer[-1]}.isdisjoint(fences)


def _is_the_file(doc: Doc, lines: Sequence[str], kind: FileKind) -> bool:
    """Return whether these lines are the file with some changes.

    In prose a fence around some of the lines may be the change.
    """
    if kind != "prose" and listing_of(lines) is not None:
        return True
    shared = shared_lines(doc, lines)
    sizes = (len(frozenset(solid_lines(lines))), len(doc.key_set))
    enough = max(1, min(sizes) / 2)
    if kind == "prose":
        enough = max(3, 3 * max(sizes) / 4)
    return shared >= enough


def shared_lines(doc: Doc, lines: Sequence[str]) -> int:
    """Return how many different lines of the file are among the lines."""
    return len(doc.key_set.intersection(map(key_of, lines)))


def out_of_escapes(text: str, new: str, path: str | None) -> PlainText | Refused | None:
    """Return the content without line numbers or escapes, a refusal where that is not clear, or None."""
    if len(contents_of(new)) == 1:
        new = _QUOTED.sub(r"\1", new)
    plain = without_mangling(text, new)
    if plain is None:
        return _out_of_one_line(text, new, path)
    if len(contents_of(plain)) == len(contents_of(new)):
        return PlainText(plain, ("line numbers",))
    if len(contents_of(new)) == 1:
        return PlainText(plain, (r"a literal \n for each newline",))

    return refusals.plain(
        "malformed",
        "some lines have escapes that the file has not; send the file's content alone.",
    )


def _out_of_one_line(text: str, new: str, path: str | None) -> PlainText | Refused | None:
    r"""Return the lines of a text that is one line with about as many `\n` as the file has lines.

    Something else may have happened to them too. A refusal if most of the file's lines do not come back; None for any
    other text.
    """
    doc = Doc(text)
    if len(contents_of(new)) > 1 or 2 * new.count("\\n") < len(doc.lines) or len(doc.lines) < 3:
        return None

    lines = new.replace("\\n", "\n")
    read = read_file_text(text, lines, path)
    # The file's own `\n` are not told from those between the lines.
    is_known = isinstance(read, PlainText) and 2 * _returning(doc, read.text) > len(doc.bare_lines)
    if is_known and "\\n" not in text:
        return PlainText(lines, (r"a literal \n for each newline",))
    return refusals.plain(
        "malformed",
        r"the text is one line with \n in the place of line breaks; send the file's content as it is.",
    )


_QUOTED = re.compile(r'\A\s*"(.*)"\s*\Z', re.DOTALL)


def out_of_marks(text: str, new: str, path: str | None) -> PlainText | Refused | None:
    """Return the content without wrapping lines around it and a mark before each line, a refusal, or None."""
    doc = Doc(text, language_of(path))
    lines = contents_of(new)
    bare = _without_prefix(doc, _without_wrappers(doc, new, path), path)
    if contents_of(bare) != lines:
        return PlainText(bare, ("marks around or before its lines",))

    # What announces the file is no part of it, also of a text for people.
    solid = solid_lines(lines)
    first = "".join(solid[:1])
    is_above = solid[1:2] == solid_lines(doc.lines)[:1]
    if not is_above:
        return None
    if doc.has(first):
        return None
    if mark_of(first) == ":":
        return refusals.sentence(first)
    return None


_KINDS_OF_CODE = frozenset({"code", "data"})


def _without_wrappers(doc: Doc, new: str, path: str | None) -> str:
    """Return the new text without the lines above and below that wrap content and are no lines of the file."""
    wraps = partial(_wraps, path)
    lines = contents_of(new)
    solid = solid_lines(lines)
    above = list(takewhile(partial(_is_above, doc, path), solid))
    below = list(takewhile(wraps, reversed(solid)))
    bounds = [-1, *solid_numbers(lines), len(lines)]
    inside = lines_between(lines, bounds[len(above)], bounds[-1 - len(below)])
    # Where the file has such lines, they are content; an empty one says nothing.
    if not 0 < len(inside) < len(lines) or any(map(wraps, doc.lines or lines)):
        return text_of(lines)
    return text_of(inside)


def _is_above(doc: Doc, path: str | None, line: str) -> bool:
    """Return whether models put the line above a file: it wraps the content, or is the file's name and no line of it."""
    if _wraps(path, line):
        return True
    is_name = _names_file(line, path)
    return is_name and not doc.has(line)


def lines_between(lines: list[str], first: int, last: int) -> list[str]:
    """Return the lines between two lines; a blank one above the second belongs to that."""
    inside = lines[first + 1 : last]
    if last == len(lines):
        return inside
    return inside[: max(solid_numbers(inside), default=-1) + 1]


def _wraps(path: str | None, line: str) -> bool:
    """Return whether models put the line around the content of a file of this kind."""
    return any(wraps(line) for wraps in _WRAPPERS[kind_of(path)])


def tags_language(tag: str, path: str | None) -> bool:
    """Return whether this word behind a fence names the language of the file.

    >>> tags_language("```markdown", "a.md"), tags_language("text", "a.txt"), tags_language("```text", "a.md")
    (True, True, False)
    """
    tag = tag.strip("`~ ").lower()
    named = language_of(f"a.{_SUFFIXES.get(tag, tag)}")
    return named is language_of(path) and named is not UNKNOWN


_SUFFIXES = {"restructuredtext": "rst", "text": "txt", "plaintext": "txt"}


def _names_file(line: str, path: str | None) -> bool:
    """Return whether the line above a file is its name, also as a comment, or the word that is left of a lost fence."""
    if kind_of(path) == "prose":
        return tags_language(line, path)
    word = line.strip().lower()
    if word in _TAGS_OF_FENCES or word == name_of(path).rpartition(".")[2]:
        return True
    plain = _ROLE_OF_NAME.sub("", comment_words(line))
    return plain.strip(_AROUND_NAME) in {path, str(path).rpartition("/")[2]}


_TAGS = """
python javascript typescript csharp ruby rust kotlin golang bash shell console terraform hcl nginx text xml graphql c++ perl
haskell scala swift dart elixir erlang clojure julia ocaml fsharp powershell groovy solidity protobuf dockerfile cmake make latex
vue svelte
"""
_TAGS_OF_FENCES = BY_NAME.keys() | frozenset(_TAGS.split())
"""The words behind an opening fence that are left where the fence is lost. Another word may be a line: `else`, `begin`."""


_ROLE_OF_NAME = re.compile(r"^\W*(?:file|filename|path)\s*[:=]\s*", re.IGNORECASE)


_AROUND_NAME = "*`:=-~<>[]() "


_WRAPPERS: dict[FileKind, tuple[Callable[[str], object], ...]] = {
    "prose": (WRAPPER_TAG.match,),
    "markup": (fence_of, is_edit_mark),
    "mixed": (fence_of, is_edit_mark),
    "data": (is_wrapper, is_carrier),
    "code": (is_wrapper, is_carrier),
}


def _without_prefix(doc: Doc, new: str, _path: str | None) -> str:
    """Return the new text without a mark or a blank that all its lines begin with, if lines of the file come back."""
    lines = contents_of(new)
    solid = list(filter(str.strip, lines))
    first = min(solid, default="")
    head, _ = shared_ends(first, max(solid, default=""))
    shared = first[:head]
    if doc.text.lstrip("\r\n").startswith(shared):
        return text_of(lines)

    rest = shared.lstrip("+>")
    mark = shared[: head - len(rest)]
    bare = [line.removeprefix(mark) for line in lines]
    known = _returning(doc, new)
    for blanks in ("", " ", indent_of(rest)):
        reading = [line.removeprefix(blanks) for line in bare]
        # Where nothing else changes, it is the edit.
        if reading == doc.lines:
            continue
        plain = text_of(reading)
        if _returning(doc, plain) > 2 * known + 1:
            return plain
    return text_of(without_file_decoration(doc, lines) or lines)


def _returning(doc: Doc, new: str) -> int:
    """Return how many different lines of the file are in the new text, trailing blanks aside."""
    return len(doc.bare_lines.intersection(map(str.rstrip, contents_of(new))))


def _out_of_pair(
    text: str, new: str, path: str | None, most: int = 2
) -> PlainText | Refused | None:
    """Return the file inside a pair of lines that cannot be its own, a refusal where they may be content, or None.

    At most so many pairs are inside each other: each takes a look at all lines.
    """
    doc = Doc(text, language_of(path))
    own = solid_lines(doc.lines)
    lines = _with_ends_apart(own, contents_of(new))
    outer = solid_numbers(lines)
    if len(outer) < 3:
        return None
    around = lines[outer[0]], lines[outer[-1]]
    inside = lines_between(lines, outer[0], outer[-1])
    if _is_heredoc(*around, path):
        return PlainText(text_of(inside), ("a command around it",))
    if most == 0 or not (tag_around(*around) or _are_pair(*around)):
        return None
    inner = _out_of_pair(text, text_of(inside), path, most - 1)
    if isinstance(inner, PlainText):
        inside = contents_of(inner.text)
    # Numbers that count up prove as much as the file's own lines.
    is_content = _kept_ends(own, inside) == 0 and listing_of(inside) is None
    if is_content or any(map(doc.has, around)):
        return None

    tag = tag_around(*around)
    if tag:
        return _out_of_tag(doc, tag, around[0], inside, path)
    if _is_foreign_pair(doc, around, new, text_of(inside), path):
        return PlainText(text_of(inside), ("marks around it",))
    return None


def _is_heredoc(first: str, last: str, path: str | None) -> bool:
    """Return whether the lines are around the text that a command of a shell writes to the file.

    >>> _is_heredoc("cat > src/a.py <<'EOF'", "EOF", "src/a.py"), _is_heredoc("cat <<EOF", "EOF", "a.sh")
    (True, False)
    """
    opening = _HEREDOC.search(first)
    if opening is None or last.strip() != opening[1]:
        return False
    return name_of(path) in first.lower()


_HEREDOC = re.compile(r"<<-?\s*[\"'\\]?(\w+)")


def _kept_ends(own: Sequence[str], lines: Sequence[str]) -> int:
    """Return how many of the file's first and last line these lines begin and end with."""
    keys, own_keys = list(map(key_of, solid_lines(lines))), list(map(key_of, own))
    return (own_keys[:1] == keys[:1]) + (own_keys[-1:] == keys[-1:])


def _out_of_tag(
    doc: Doc, name: str, opening: str, inside: list[str], path: str | None
) -> PlainText | Refused | None:
    """Return the file inside a pair of tags that it does not have, a refusal where they may be content, or None."""
    if re.search(f"</?{re.escape(name)}", doc.text):
        return None
    own, content = solid_lines(doc.lines), solid_lines(inside)
    has_tags = kind_of(path) in KINDS_OF_TEXT or own[0].startswith("<")
    is_wrapped = is_carrier(opening) or _DECLARATION.match(content[0])
    if is_wrapped or not has_tags:
        return PlainText(text_of(inside), ("tags around it",))
    if _kept_ends(own, inside) == 2:
        return refusals.plain(
            "malformed",
            f"`<{name}>` is around the whole file; send the content alone, or the new tags as an edit.",
        )
    return None


_DECLARATION = re.compile(r"<\?|<!doctype", re.IGNORECASE)


KINDS_OF_TEXT = frozenset({"prose", "markup"})


def _with_ends_apart(own: list[str], lines: list[str]) -> list[str]:
    """Return the lines with what is before the file's first line or behind its last one on lines of their own."""
    first, last = "".join(lines[:1]), "".join(lines[-1:])
    above = first.removesuffix("".join(own[:1]))
    below = last.removeprefix("".join(own[-1:]))
    if below not in {"", last}:
        lines = [*lines[:-1], own[-1], below]
    if above not in {"", first}:
        lines = [above, own[0], *lines[1:]]
    return lines


def tag_around(first: str, last: str) -> str:
    """Return the name of the tag that the first line opens and the last one closes, or ""."""
    name = tag_of(first)
    if last.rstrip() != f"</{name}>":
        return ""
    return name


def _is_foreign_pair(
    doc: Doc, around: tuple[str, str], new: str, inside: str, path: str | None
) -> bool:
    """Return whether both lines belong together and to no file of this kind.

    Only without them the file parses, as it did; where that cannot be told, no line of it begins with such marks.
    """
    if kind_of(path) in KINDS_OF_TEXT:
        return False
    if not _are_pair(*around):
        return False
    if any(map(doc.language.is_comment, around)):
        return False
    if breaks(doc.text, new, path):
        return not breaks(doc.text, inside, path)

    marks = tuple(filter(None, map(partial(matched, _MARKS), map(str.strip, around))))
    if not marks:
        return False
    starts = map(str.lstrip, doc.lines)
    return not any(start.startswith(marks) for start in starts)


_MARKS = re.compile(r"[^\w\s]{2,}")


_ROLE = re.compile(r"/|\b(?:begin|start|end)(?=_|\b)", re.IGNORECASE)


_NO_BRACKET = re.compile(r"[^][(){}<>]")


_CLOSING = str.maketrans("<[({", ">])}")


def _are_pair(first: str, last: str) -> bool:
    """Return whether the last line ends what the first one begins: by the brackets that it closes, or by the same name.

    >>> _are_pair("<![CDATA[", "]]>"), _are_pair("[code]", "[/code]"), _are_pair("cat > a <<EOF", "EOF")
    (True, True, True)
    >>> _are_pair("[a]", "[b]"), _are_pair("BEGIN", "END"), _are_pair("{{ if a }}", "{{ end }}")
    (False, False, False)
    """
    opened, closed = _NO_BRACKET.sub("", first), _NO_BRACKET.sub("", last)
    mirrored = opened.translate(_CLOSING)[::-1]
    if closed == mirrored and opened[-1:] != closed[:1]:
        return True

    first, last = _ROLE.sub("", first).strip(), _ROLE.sub("", last).strip()
    return last != "" and last in {first[: len(last)], first[-len(last) :]}
