"""The text of a whole file, without what a model put around it or did to its lines."""

from __future__ import annotations

import re
from functools import partial
from itertools import dropwhile, product, takewhile
from typing import TYPE_CHECKING

from holdfast.landing import refusals
from holdfast.landing.formats.sentences import mark_of
from holdfast.landing.formats.surrounding_text import (
    END_TOKEN,
    WRAPPER_TAG,
    fence_of,
    is_wrapper,
    tag_of,
)
from holdfast.landing.ladder.exact import with_mixed_endings
from holdfast.landing.ladder.line_decoration import without_file_decoration
from holdfast.landing.ladder.unmangle import (
    ENTITY,
    is_carrier,
    is_edit_mark,
    is_numbered,
    without_mangling,
    without_numbers_from,
)
from holdfast.landing.text.byte_order_mark import MARK
from holdfast.landing.text.file_kinds import kind_of
from holdfast.landing.text.languages import BY_NAME, UNKNOWN, comment_words, language_of
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
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.outcomes import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from holdfast.landing.text.file_kinds import FileKind
    from holdfast.vocab.requests import LineEdit

_FENCE = re.compile(r"(?:`{3,}|~{3,})[\w+.#-]*\s*")


@dataclass(frozen=True, slots=True)
class FileText:
    """The content of a whole file, and what was undone to read it."""

    text: str
    undone: tuple[str, ...] = ()


def read_file_text(text: str, new: str, path: str | None) -> FileText | Refused:
    """Return the content that `new` means for a file with this text.

    What is around the content or before its lines is undone if lines of the file come back by that; else it is refused.
    """
    ended = _without_chat(text, new)
    new = _without_leading_blanks(text, _with_file_mark(text, ended.text))
    # One may be inside another: numbers before the lines in a fence in tags.
    undos = (_out_of_several, _out_of_fence, _out_of_escapes, _out_of_pair, _out_of_marks)
    for undo in undos:
        read = undo(text, new, path)
        if isinstance(read, Refused):
            return read
        if read is not None and read.text != new:
            inner = read_file_text(text, _ending_alike(new, read.text), path)
            if isinstance(inner, Refused):
                return inner
            return FileText(inner.text, ended.undone + read.undone + inner.undone)

    return FileText(new, ended.undone)


def _ending_alike(new: str, read: str) -> str:
    """Return what was read of a text without a newline, if the text ends with the last line of it and none is there either."""
    body = read.rstrip("\n")
    if body and new.endswith(body.rpartition("\n")[2]):
        return body
    return read


def _out_of_several(text: str, new: str, path: str | None) -> FileText | None:
    """Return the reading by several steps that has most lines of the file, if the text as it is has few and that one many."""
    doc = Doc(text)
    known = _returning(doc, new)
    if 2 * known > len(doc.bare_lines):
        return None

    tried: list[str] = []
    readings = {new}
    for _ in range(_STEPS):
        readings = {peel(doc, reading, path) for reading, peel in product(readings, _PEELS)}
        tried += sorted(readings)

    best = max(tried, key=partial(_returning, doc))
    if _returning(doc, best) <= max(2 * known + 1, len(doc.bare_lines) // 2):
        return None
    # Where nothing else changes, it is the edit.
    if contents_of(best) == doc.lines:
        return None
    return FileText(best, ("marks around or before its lines",))


_STEPS = 3
"""What may have happened to one text."""


def _without_outer_pair(doc: Doc, new: str, _path: str | None) -> str:
    lines = contents_of(new)
    solid = solid_numbers(lines)
    if len(solid) < 3:
        return new

    around = lines[solid[0]], lines[solid[-1]]
    if any(map(doc.has, around)):
        return new
    are_fences = all(map(_FENCE.fullmatch, around))
    if are_fences or _tag_around(*around) or _are_pair(*around):
        return text_of(lines[solid[0] + 1 : solid[-1]])
    return new


def _without_numbers(doc: Doc, new: str, _path: str | None) -> str:
    plain = without_mangling(doc.text, new)
    if plain is None:
        return new
    if len(contents_of(plain)) != len(contents_of(new)):
        return new
    return plain


def _without_leading_blanks(text: str, new: str) -> str:
    """Return the new text without blank lines above it, if the file has none and something else changes too."""
    bare = _LEADING_BLANKS.sub("", new)
    if _BLANK_START.match(text) or bare in {"", text}:
        return new
    return bare


_BLANK_START = re.compile(r"[ \t]*[\r\n]|\s*\Z")
"""A text that begins with a blank line, or has nothing else."""
_LEADING_BLANKS = re.compile(r"\A(?:[ \t]*(?:\r\n|\r|\n))+")


def read_replacement(text: str, old: str, new: str, path: str | None) -> FileText:
    """Return the text that `new` means in the place of `old`.

    What is around it or before its lines is undone if lines of `old` come back by that, unless `old` is wrapped too.
    """
    ended = _without_chat(text, new)
    is_wrapped = any(map(is_wrapper, contents_of(old)))
    if is_wrapped and old not in text:
        return ended

    edit = _out_of_edit(old, ended.text, path) or _out_of_added_marks(text, old, ended.text, path)
    if edit is not None:
        return edit
    bare = _out_of_own_fence(text, old, ended, path)
    if bare is not ended:
        return bare

    for undo in (
        partial(_out_of_foreign_tags, text),
        _out_of_foreign_fence,
        _out_of_fence,
        _out_of_escapes,
        _out_of_entities,
        _out_of_marks,
    ):
        read = undo(old, ended.text, path)
        if isinstance(read, FileText) and not _drops_file_lines(text, ended.text, read.text):
            return FileText(_ending_as(old, read.text), ended.undone + read.undone)

    if ended.undone:
        return FileText(_ending_as(old, ended.text), ended.undone)
    return ended


def read_lines(source: Sequence[str], text: str, edit: LineEdit, path: str | None) -> FileText:
    """Return the text that the new text of a line edit means; `source` are the lines that it was made for."""
    shown = text_of(source[max(0, edit.start - 1) : edit.end])
    read = read_replacement(text, edit.old or shown, edit.new, path)
    # The numbers of the range itself, which no line of the file has, need no other proof.
    plain = without_numbers_from(edit.start, read.text)
    if plain is None or any(map(is_numbered, source)):
        return read
    return FileText(plain, (*read.undone, "line numbers"))


def _ending_as(old: str, new: str) -> str:
    """Return the new text with the line breaks at the end of the old one: what was undone was in their place.

    Without further ones, where the last new line is one from above in the old text: the blank lines went with the rest.
    """
    body = new.rstrip("\r\n")
    ends = old[len(old.rstrip("\r\n")) :]
    lines = list(map(key_of, solid_lines(contents_of(old))))
    last = key_of(body.rpartition("\n")[2])
    if last in lines[:-1] and last != lines[-1]:
        ends = "\n"[: len(ends)]
    return body + ends


def _without_chat(text: str, new: str) -> FileText:
    """Return the new text without what a chat has around an answer: a thought above it, a token below it."""
    undone = []
    bare = without_end_token(text, new)
    if bare != new:
        undone.append(CHAT_END)
    answer = _without_thought(text, bare)
    if answer != bare:
        undone.append("a thought above the text")
    return FileText(answer, tuple(undone))


CHAT_END = "a token that ends a reply"


def without_end_token(text: str, new: str) -> str:
    """Return the new text without the token of a chat template that ends it, unless the file has it or it closes a tag."""
    found = END_TOKEN.search(new)
    if found is None or found[0] in text:
        return new
    if _is_opened(found[0], text + new):
        return new

    above = new[: found.start()]
    if above.endswith("\n"):
        return above
    return above + new[found.end() :]


def _without_thought(text: str, new: str) -> str:
    r"""Return the new text without the thought above it, unless the file has such a tag or nothing is below it.

    >>> _without_thought("a", "<think>Hm.</think>\n\nb"), _without_thought("", "<think>Hm.</think>")
    ('b', '<think>Hm.</think>')
    """
    found = _THOUGHT.match(new)
    if found is None or found["tag"] in text:
        return new
    return new[found.end() :]


_THOUGHT = re.compile(
    r"\s*(?P<tag><(?P<name>think(?:ing)?|thoughts?|reasoning|reflection)>).*?</(?P=name)>\s*\n(?=.*\S)",
    re.DOTALL | re.IGNORECASE,
)


def _is_opened(closing: str, text: str) -> bool:
    """Return whether a text has as many tags that open what this one closes.

    >>> _is_opened("</s>", "<s>no</s>"), _is_opened("[/INST]", "a[/INST]"), _is_opened("<eos>", "a<eos>")
    (True, False, False)
    """
    if "/" not in closing:
        return False
    opening = re.escape(closing.replace("/", "", 1)[:-1])
    return text.count(closing) <= len(re.findall(rf"{opening}[\s>\]]", text))


def _drops_file_lines(text: str, new: str, read: str) -> bool:
    """Return whether the reading lacks lines of the new text that the file has."""
    dropped = frozenset(contents_of(new)).difference(contents_of(read))
    return any(map(Doc(text).has, dropped))


def _with_file_mark(text: str, new: str) -> str:
    """Return the new text without a byte order mark: the file has none, unless the mark is all that changes."""
    bare = new.removeprefix(MARK)
    if text in {"", bare}:
        return new
    return bare


# ------------------------------------------------------------------------- an edit in the new text


def _out_of_edit(old: str, new: str, path: str | None) -> FileText | None:
    """Return the new side of an edit that the new text is itself, if its old side is the old text."""
    lines = contents_of(new)
    for old_side, new_side in (*_sides_of_hunk(lines), *_sides_of_block(lines, path)):
        if old_side == contents_of(old):
            return FileText(text_of(new_side), ("the old text before it",))
    return None


def _out_of_added_marks(text: str, old: str, new: str, path: str | None) -> FileText | None:
    """Return the new text without the + before each line that the old one has not, if no line of the file begins so."""
    doc = Doc(text)
    lines = contents_of(new)
    known = frozenset(map(key_of, contents_of(old)))
    added = [line for line in lines if key_of(line) not in known]
    if not _are_marked(added, path):
        return None
    if _MARKED_LINE.search(text):
        return None
    # With a mark before old lines too, both texts are read without.
    if not all(map(doc.has_line, solid_lines(contents_of(old)))):
        return None

    width = _width_of_pluses(doc, added)
    bare = {line: line[width:] for line in added}
    plain = text_of(bare.get(line, line) for line in lines)
    if not new.endswith("\n"):
        plain = plain.removesuffix("\n")
    return FileText(plain, ("marks of a diff before new lines",))


_MARKED_LINE = re.compile(r"(?:\A|[\r\n])\s*\+")


def _are_marked(added: Sequence[str], path: str | None) -> bool:
    """Return whether a + is before all of these lines, in a file whose lines do not begin so: no diff, no list of items."""
    if path is None or path.endswith((".diff", ".patch")):
        return False
    are_items = all(map(_ITEM.match, added))
    if are_items and kind_of(path) == "prose":
        return False
    marks = {line[:1] for line in added}
    return marks == {"+"}


def _width_of_pluses(doc: Doc, added: Sequence[str]) -> int:
    """Return 2 if a blank is behind each +, and the lines with it are indented as no line of the file; else 1."""
    indents = {indent_of(line[1:]) for line in added}
    if indents <= doc.indents | {""}:
        return 1
    behind = {line[1:2] for line in added}
    if behind <= {"", " "}:
        return 2
    return 1


_ITEM = re.compile(r"\+ +\S")


def _out_of_own_fence(text: str, old: str, read: FileText, path: str | None) -> FileText:
    """Return the new text without a fence around it, if the fence names the file's own language or its kind has no fences."""
    lines = contents_of(read.text)
    outer = solid_numbers(lines)
    fences = numbers_matching(_FENCE, lines)
    if len(outer) < 3 or fences != [outer[0], outer[-1]]:
        return read

    is_foreign = not numbers_matching(_FENCE, contents_of(text))
    if kind_of(path) == "prose":
        is_foreign = _tags_language(lines[fences[0]], path)
    if not is_foreign:
        return read

    inside = text_of(lines[fences[0] + 1 : fences[-1]])
    if old:
        inside = _ending_as(old, inside)
    return FileText(inside, (*read.undone, "a Markdown fence"))


def _sides_of_hunk(lines: list[str]) -> list[tuple[list[str], list[str]]]:
    """Return the old and the new lines of the hunk that the lines are, or nothing."""
    body = list(dropwhile(_DIFF_HEADER.match, lines))
    marks = {line[:1] for line in body}
    if not {"-", "+"} <= marks <= {"-", "+", " "}:
        return []

    old_side: list[str] = []
    new_side: list[str] = []
    for line in body:
        if not line.startswith("+"):
            old_side.append(line[1:])
        if not line.startswith("-"):
            new_side.append(line[1:])
    return [(old_side, new_side)]


_DIFF_HEADER = re.compile(r"--- |\+\+\+ |@@")
_DIVIDER = re.compile(r"={5,9}\s*")


def _sides_of_block(lines: list[str], path: str | None) -> list[tuple[list[str], list[str]]]:
    """Return the lines above and below the only divider, without the marks around them, or nothing."""
    dividers = numbers_matching(_DIVIDER, lines)
    # In prose it may be the line below a heading.
    if len(dividers) != 1 or kind_of(path) == "prose":
        return []
    first = int(is_carrier(lines[0]))
    last = len(lines) - is_carrier(lines[-1])
    return [(lines[first : dividers[0]], lines[dividers[0] + 1 : last])]


# ------------------------------------------------------------------------------ fences and prose


def _out_of_fence(text: str, new: str, path: str | None) -> FileText | Refused | None:
    """Return the lines in the outermost fence, a refusal, or None where the fence is content or there is none."""
    doc = Doc(text)
    lines = contents_of(new)
    fences = numbers_matching(_FENCE, lines)
    # It may be the file's own.
    if len(fences) < 2 or len(numbers_matching(_FENCE, doc.lines)) >= len(fences):
        return None

    inside = lines[fences[0] + 1 : fences[-1]]
    outside = solid_lines(lines[: fences[0]] + lines[fences[-1] + 1 :])
    if any(map(doc.has, outside)):
        return None
    kind = kind_of(path)
    if _is_the_file(doc, inside, kind):
        return FileText(text_of(inside), ("a Markdown fence",))

    # Two signs that the fence is content: text around it, nothing of the file inside, or in prose only a part of it.
    shared = _shared_lines(doc, inside)
    is_part = kind == "prose" and 4 * shared < 3 * len(doc.key_set)
    if bool(outside) + (shared == 0) + is_part > 1:
        return None
    return refusals.plain(
        "malformed", "the text is wrapped in a Markdown fence; send the file's content alone."
    )


def _is_the_file(doc: Doc, lines: Sequence[str], kind: FileKind) -> bool:
    """Return whether these lines are the file with some changes.

    In prose a fence around some of the lines may be the change.
    """
    shared = _shared_lines(doc, lines)
    sizes = (len(frozenset(solid_lines(lines))), len(doc.key_set))
    enough = max(1, min(sizes) / 2)
    if kind == "prose":
        enough = max(3, 3 * max(sizes) / 4)
    return shared >= enough


def _out_of_foreign_fence(old: str, new: str, path: str | None) -> FileText | None:
    """Return the lines inside a fence that cannot be the edit of some lines of a text for people.

    These lines change too, and the file has no fences by its kind, or what stays would be no heading, item or table any more.
    """
    lines = contents_of(new)
    doc = Doc(old)
    if numbers_matching(_FENCE, lines) != [0, len(lines) - 1]:
        return None
    inside = lines[1:-1]
    stays = list(filter(doc.has, solid_lines(inside)))
    if not stays or inside == doc.lines:
        return None
    has_fences = str(path).lower().endswith(_WITH_FENCES)
    is_markup = any(map(_MARKUP_LINE.match, stays))
    if has_fences and not is_markup:
        return None
    return FileText(text_of(inside), ("a Markdown fence",))


_WITH_FENCES = (".md", ".markdown", ".mdx", ".adoc")
_MARKUP_LINE = re.compile(r"#{1,6} |[-*+] +\S|\d+[.)] |> |\|")


def _shared_lines(doc: Doc, lines: Sequence[str]) -> int:
    """Return how many different lines of the file are among the lines."""
    return len(doc.key_set.intersection(map(key_of, lines)))


# --------------------------------------------------------------------- line numbers and escapes


def _out_of_escapes(text: str, new: str, path: str | None) -> FileText | Refused | None:
    """Return the content without line numbers or escapes, a refusal where that is not clear, or None."""
    if len(contents_of(new)) == 1:
        new = _QUOTED.sub(r"\1", new)
    plain = without_mangling(text, new)
    if plain is None:
        return _out_of_one_line(text, new, path)
    if len(contents_of(plain)) == len(contents_of(new)):
        return FileText(plain, ("line numbers",))
    if len(contents_of(new)) == 1:
        return FileText(plain, (r"a literal \n for each newline",))

    return refusals.plain(
        "malformed",
        "some lines have escapes that the file has not; send the file's content alone.",
    )


def _out_of_one_line(text: str, new: str, path: str | None) -> FileText | Refused | None:
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
    is_known = isinstance(read, FileText) and 2 * _returning(doc, read.text) > len(doc.bare_lines)
    if is_known and "\\n" not in text:
        return FileText(lines, (r"a literal \n for each newline",))
    return refusals.plain(
        "malformed",
        r"the text is one line with \n in the place of line breaks; send the file's content as it is.",
    )


_QUOTED = re.compile(r'\A\s*"(.*)"\s*\Z', re.DOTALL)


def _out_of_entities(old: str, new: str, _path: str | None) -> FileText | None:
    """Return the new text without HTML entities, if lines of the old text come back by that.

    Where only the entities differ, they are the edit.
    """
    plain = ENTITY.seen.sub(ENTITY.read, new)
    doc = Doc(old)
    if doc.lines == contents_of(plain):
        return None
    if _shared_lines(doc, contents_of(plain)) <= _shared_lines(doc, contents_of(new)):
        return None
    return FileText(plain, ("HTML entities",))


# --------------------------------------------------- lines around the content, marks before its lines


def _out_of_marks(text: str, new: str, path: str | None) -> FileText | Refused | None:
    """Return the content without wrapping lines around it and a mark before each line, a refusal, or None."""
    doc = Doc(text, language_of(path))
    lines = contents_of(new)
    bare = _without_prefix(doc, _without_wrappers(doc, new, path), path)
    if contents_of(bare) != lines:
        return FileText(bare, ("marks around or before its lines",))

    # What announces the file is no part of it, also of a text for people.
    solid = solid_lines(lines)
    first = "".join(solid[:1])
    is_above = solid[1:2] == solid_lines(doc.lines)[:1]
    if not is_above or doc.has(first):
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
    inside = _between(lines, bounds[len(above)], bounds[-1 - len(below)])
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


def _between(lines: list[str], first: int, last: int) -> list[str]:
    """Return the lines between two lines; a blank one above the second belongs to that."""
    inside = lines[first + 1 : last]
    if last == len(lines):
        return inside
    return inside[: max(solid_numbers(inside), default=-1) + 1]


def _wraps(path: str | None, line: str) -> bool:
    """Return whether models put the line around the content of a file of this kind."""
    return any(wraps(line) for wraps in _WRAPPERS[kind_of(path)])


def _tags_language(tag: str, path: str | None) -> bool:
    """Return whether this word behind a fence names the language of the file.

    >>> _tags_language("```markdown", "a.md"), _tags_language("text", "a.txt"), _tags_language("```text", "a.md")
    (True, True, False)
    """
    tag = tag.strip("`~ ").lower()
    named = language_of(f"a.{_SUFFIXES.get(tag, tag)}")
    return named is language_of(path) and named is not UNKNOWN


_SUFFIXES = {"restructuredtext": "rst", "text": "txt", "plaintext": "txt"}


def _names_file(line: str, path: str | None) -> bool:
    """Return whether the line above a file is its name, also as a comment, or the word that is left of a lost fence."""
    if kind_of(path) == "prose":
        return _tags_language(line, path)
    tag = line.strip().lower()
    # In code any such word: to call a variable above the first line does nothing.
    if tag in BY_NAME or (kind_of(path) != "data" and _TAG_OF_FENCE.fullmatch(tag)):
        return True
    plain = _ROLE_OF_NAME.sub("", comment_words(line))
    return plain.strip(_AROUND_NAME) in {path, str(path).rpartition("/")[2]}


_TAG_OF_FENCE = re.compile(r"[a-z+#-]+")
"""The word behind an opening fence that is left where the fence is lost."""
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


_PEELS: tuple[Callable[[Doc, str, str | None], str], ...] = (
    _without_outer_pair,
    _without_wrappers,
    _without_numbers,
    _without_prefix,
)


# ------------------------------------------------------------------------- a pair around the file


def _out_of_pair(text: str, new: str, path: str | None) -> FileText | Refused | None:
    """Return the file inside a pair of lines that cannot be its own, a refusal where they may be content, or None."""
    doc = Doc(text, language_of(path))
    own = solid_lines(doc.lines)
    lines = _with_ends_apart(own, contents_of(new))
    outer = solid_numbers(lines)
    if len(outer) < 3:
        return None
    around = lines[outer[0]], lines[outer[-1]]
    inside = _between(lines, outer[0], outer[-1])
    if not _kept_ends(own, inside) or any(map(doc.has, around)):
        return None

    tag = _tag_around(*around)
    if tag:
        return _out_of_tag(doc, tag, around[0], inside, path)
    if _is_foreign_pair(doc, around, new, text_of(inside), path):
        return FileText(text_of(inside), ("marks around it",))
    return None


def _out_of_foreign_tags(text: str, old: str, new: str, path: str | None) -> FileText | None:
    """Return the new text inside a pair of tags, if the file is neither markup nor prose and has no tags, nor the old text."""
    if kind_of(path) in _KINDS_OF_TEXT or _TAG_LINE.search(f"{old}\n{text}"):
        return None
    lines = contents_of(new)
    outer = solid_numbers(lines)
    if len(outer) < 3:
        return None

    # Not any pair: `if a {` and `}` may be meant, and written wrongly.
    tag = _tag_around(lines[outer[0]], lines[outer[-1]])
    inside = _between(lines, outer[0], outer[-1])
    shared = _shared_lines(Doc(old), inside)
    if not tag or shared == 0:
        return None
    return FileText(text_of(inside), ("tags around it",))


_TAG_LINE = re.compile(r"^\s*</?\w", re.MULTILINE)


def _kept_ends(own: Sequence[str], lines: Sequence[str]) -> int:
    """Return how many of the file's first and last line these lines begin and end with."""
    keys, own_keys = list(map(key_of, solid_lines(lines))), list(map(key_of, own))
    return (own_keys[:1] == keys[:1]) + (own_keys[-1:] == keys[-1:])


def _out_of_tag(
    doc: Doc, name: str, opening: str, inside: list[str], path: str | None
) -> FileText | Refused | None:
    """Return the file inside a pair of tags that it does not have, a refusal where they may be content, or None."""
    if re.search(f"</?{re.escape(name)}", doc.text):
        return None
    own, content = solid_lines(doc.lines), solid_lines(inside)
    has_tags = kind_of(path) in _KINDS_OF_TEXT or own[0].startswith("<")
    is_wrapped = is_carrier(opening) or _DECLARATION.match(content[0])
    if is_wrapped or not has_tags:
        return FileText(text_of(inside), ("tags around it",))
    if _kept_ends(own, inside) == 2:
        return refusals.plain(
            "malformed",
            f"`<{name}>` is around the whole file; send the content alone, or the new tags as an edit.",
        )
    return None


_DECLARATION = re.compile(r"<\?|<!doctype", re.IGNORECASE)
_KINDS_OF_TEXT = frozenset({"prose", "markup"})


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


def _tag_around(first: str, last: str) -> str:
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
    if kind_of(path) in _KINDS_OF_TEXT or not _are_pair(*around):
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


# --------------------------------------------------------------------------------- line endings


# At the end of the text the second half may be missing.
_CRLF = re.compile(r"\r\n|\r\Z")


def with_file_endings(text: str, new: str) -> str:
    """Return the new text in the line endings of the file.

    Where only the endings differ, they are the edit.
    """
    doc = Doc(text)
    if not any(doc.ends):
        return new
    if "\r" in new and doc.lines == contents_of(new):
        return new
    if doc.mixed:
        return with_mixed_endings(text, new, doc.newline)

    return _CRLF.sub("\n", new).replace("\n", doc.newline)


def with_file_end(text: str, new: str) -> str:
    """Return the new text with a newline at its end if the file has one there, and without if it has none.

    Blank lines at its end that the file has not are dropped; one that is missing behind a last line that stays comes back.
    Where only that differs, it is the edit.
    """
    body, new_body = text.rstrip("\r\n"), new.rstrip("\r\n")
    lines, new_lines = contents_of(body), contents_of(new_body)
    if "" in {body, new_body} or lines == new_lines:
        return new

    end, new_end = text[len(body) :], new[len(new_body) :]
    if len(new_end) > len(end) or lines[-1] == new_lines[-1]:
        return new_body + end
    if new_end:
        return new
    return new_body + end[: len(Doc(text).newline)]
