"""What begins a comment and what names a block, by the kind of file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.landing.text.line_keys import indent_width, key_of
from holdfast.landing.text.line_tokens import matched
from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

_OPENS = lazy_pattern(r".*(?:[{(\[:]|=>|->|\b(?:do|then|begin|in|of|where))$")
_CONDITION = lazy_pattern(
    r"(?:\} ?)?(?:if|elif|elsif|else if|while|when|unless|case|match|switch)\b.*[\"'`\d]"
)
_DEFINITION = lazy_pattern(
    r"(?:[a-z]+(?:\([a-z]+\))? )*?(?:def|class|fn|func|fun|function|sub|struct|enum|trait|impl|interface|type|module|"
    r"namespace|package|protocol|extension|record|data|newtype|instance|macro_rules!) (?=[\w$*&<(])"
)

_BLOCK = lazy_pattern("|".join(pattern.pattern for pattern in (_DEFINITION, _CONDITION, _OPENS)))


_UNDERLINE = lazy_pattern(r"([^\w\s])\1{2,}")
_NOTHING = "(?!)"


@dataclass(frozen=True, slots=True)
class FileLanguage:
    """How one kind of file writes comments, and which of its lines name a block."""

    comment: str = _NOTHING
    """A regular expression for what begins a comment line."""
    names: str = _NOTHING
    """A regular expression for lines that name a block although no deeper line follows them."""
    keys: str = _NOTHING
    """A regular expression for lines that have a key and a value."""
    underlined: bool = False
    """A line of equal marks below another one makes that a heading."""
    tabs: bool = False
    """A tab at the beginning of a line has a meaning, which blanks have not."""

    def is_comment(self, line: str) -> bool:
        """Return whether the whole line is a comment."""
        return re.match(self.comment, key_of(line)) is not None

    def name_in(self, lines: Sequence[str], at: int) -> str:
        """Return what line `at` of `lines` (none of them blank) names, or "".

        A line that opens a bracket, is followed by one or by a deeper line, defines a name or is a condition with a literal
        names a block as a whole. A line with a key names that key.
        """
        key = key_of(lines[at])
        if self.is_comment(key):
            return ""
        if not any(map(str.isalnum, key)):
            return ""

        is_block = self.lists_name(key) or _BLOCK.match(key)
        if is_block or self._opens_below(lines, at):
            return key
        return matched(self.keys, key)

    def _opens_below(self, lines: Sequence[str], at: int) -> bool:
        """Return whether the next line is a bracket alone, is deeper, or underlines this one."""
        if at + 1 == len(lines):
            return False

        following = key_of(lines[at + 1])
        if following == "{":
            return True
        if self.underlined and _UNDERLINE.fullmatch(following):
            return True
        return indent_width(lines[at + 1]) > indent_width(lines[at])

    @property
    def has_keys(self) -> bool:
        """Whether this kind of file has keys with values."""
        return self.keys != _NOTHING

    def lists_name(self, key: str) -> bool:
        """Return whether this kind of file names a block by a line with this key."""
        return re.match(self.names, key) is not None


UNKNOWN = FileLanguage()

_HASH = r"#(?!!)"
_SLASHES = r"//|/\*|\*(?:/|$|\s(?!.*\{$))"
_TAG = r"<!--"
_DASHES = r"--(?!>)"
_NAMED_VALUE = r"[-\s]*[\"']?(?:name|id|key|title)[\"']?\s*[:=]"
_NAMED_ELEMENT = r"<\w*(?:[nN]ame|[iI]d|[kK]ey|[tT]itle)>"
_KEY = r"[-\s]*[\"']?(?P<key>[\w.$/ -]+)[\"']?\s*[:=]"
# `Chapter 3: …`, `Q: …`.
_LABEL = r"[A-Z]\w*(?: \d+)?: "
# A few words without a mark at their end.
_TITLE = r"[A-Z][\w-]*(?: [\w-]+){0,3}$"

_FAMILIES: tuple[tuple[str, FileLanguage], ...] = (
    ("py pyi pyx", FileLanguage(rf"{_HASH}|[rbu]?(?:\"\"\"|''')")),
    (
        "rb gemfile rakefile vagrantfile podfile pl pm sh bash zsh fish ksh r jl ex exs nim cmake tf awk ps1 bzl graphql gql",
        FileLanguage(_HASH),
    ),
    ("cmakelists.txt requirements.txt constraints.txt", FileLanguage(_HASH)),
    ("yml yaml", FileLanguage(_HASH, rf"{_NAMED_VALUE}|- *[\w.-]+:", _KEY)),
    (
        "toml cfg conf properties env ini editorconfig service timer socket desktop",
        FileLanguage(r"[#;]", rf"\[|{_NAMED_VALUE}|\w*name ", _KEY),
    ),
    ("po pot", FileLanguage(_HASH, r"msg(?:id|id_plural|ctxt) ")),
    (
        "makefile mk gnumakefile",
        FileLanguage(_HASH, r"[\w./%$()-]+ *:(?!=)|ifn?(?:eq|def)\b", tabs=True),
    ),
    ("dockerfile containerfile gitignore", FileLanguage(_HASH, r"FROM\b")),
    ("c h cc hh cpp hpp cxx hxx m mm", FileLanguage(_SLASHES, r"# ?define\b")),
    (
        "java js jsx mjs cjs ts tsx mts cts go rs kt kts swift scala dart cs groovy gradle proto zig",
        FileLanguage(_SLASHES),
    ),
    ("jsonc json5 json", FileLanguage(_SLASHES, _NAMED_VALUE, _KEY)),
    ("php", FileLanguage(rf"{_SLASHES}|#(?!\[)")),
    ("css", FileLanguage(r"/\*|\*(?:/|$|\s(?!.*\{$))", r"[^;]*[,{]$")),
    ("scss sass less", FileLanguage(_SLASHES, r"[^;]*[,{]$")),
    (
        "sql",
        FileLanguage(
            rf"{_DASHES}|/\*",
            r"(?i:create|alter|drop|comment on|grant|insert|update|delete|from)\b",
        ),
    ),
    ("hs elm lua ada vhd vhdl", FileLanguage(rf"{_DASHES}|\{{-", r"\w+ ::|[a-z_][\w' ]*=(?!=)")),
    (
        "html htm xhtml xml svg vue svelte",
        FileLanguage(rf"{_TAG}", rf".*<\w[^<>]*\b(?:id|name|class|key)\s*=|{_NAMED_ELEMENT}"),
    ),
    ("md markdown mdx", FileLanguage(_TAG, r"#{1,6} |[-*+] |\d+[.)] ", underlined=True)),
    (
        "rst txt adoc",
        FileLanguage(
            r"\.\. (?!.*::)", rf"\.\. .*::|=+ |[-*+] |\d+[.)] |{_LABEL}|{_TITLE}", underlined=True
        ),
    ),
    ("lisp el clj cljs scm rkt asm s", FileLanguage(r";")),
    ("tex sty cls erl hrl", FileLanguage(r"%", r"\\(?:section|subsection|chapter|begin|label)\b")),
    ("vim", FileLanguage(r"\"")),
    ("bat cmd", FileLanguage(r"(?i:rem\b|::)", r":\w")),
)
BY_NAME = {name: language for names, language in _FAMILIES for name in names.split()}


def language_of(path: str | None) -> FileLanguage:
    """Return the language of a path: by its whole name, or by an ending; `UNKNOWN` for any other.

    >>> language_of("src/a.css").is_comment("#sidebar {"), language_of("a.py").is_comment("# note")
    (False, True)
    >>> language_of(None).is_comment("# note")
    False
    """
    return BY_NAME.get(known_name(path, BY_NAME), UNKNOWN)


def known_name(path: str | None, known: Container[str]) -> str:
    """Return the name of a file if it is known, or else the last known part of it; "" if there is none.

    >>> known_name("CMakeLists.txt", {"cmakelists.txt", "txt"}), known_name(".env.local", {"env"}), known_name("a", {"env"})
    ('cmakelists.txt', 'env', '')
    """
    name = name_of(path)
    if name in known:
        return name
    parts = reversed(name.split("."))
    return next(filter(known.__contains__, parts), "")


def name_of(path: str | None) -> str:
    """Return the name of the file in small letters; "" without a path."""
    if path is None:
        return ""
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    return name.lower()


_ANY_COMMENT = lazy_pattern(
    r"#(?![!\[\w])|<%#|\{#|//|/\*|\*(?:/|$|\s)|<!--|--\s|;|%|\{/\*|(?i:rem )"
)
_PLACEHOLDER = lazy_pattern(
    r"[\[(<{]+[\w\s',.:;\u2026-]*(?:\s|\.{3}|\u2026)[\w\s',.:;\u2026-]*[\])>}]+"
    r"|[\[(<{]*\(\w+\)[\])>}]*"
    r"|\.{3}.*"
)


def is_comment_like(line: str, language: FileLanguage = UNKNOWN) -> bool:
    """Return whether the line is a comment in any language, words in brackets, or begins with dots.

    >>> [is_comment_like(line) for line in ("// same", "[... unchanged ...]", "... and so on", "f(a, b)")]
    [True, True, True, False]
    """
    key = key_of(line)
    if language.is_comment(key):
        return True
    if _PLACEHOLDER.fullmatch(key):
        return True
    # A heading of Markdown too.
    if comment_words(key) == "...":
        return True
    if language.lists_name(key):
        return False

    return _ANY_COMMENT.match(key) is not None


def opens_block(key: str) -> bool:
    """Return whether a line with this key ends as lines do that open a block in most languages."""
    return _OPENS.match(key) is not None


def is_block_line(key: str) -> bool:
    """Return whether a line with this key names a block in most languages: a definition, a condition, an opening bracket."""
    return _BLOCK.match(key) is not None


def is_definition(key: str) -> bool:
    """Return whether a line with this key defines a function, a class or the like in most languages."""
    return _DEFINITION.match(key) is not None


def comment_words(line: str) -> str:
    """Return the text of a comment without the marks around it."""
    return key_of(line).strip("#/*<!->;%{}[]() ")


_TEXT_WORDS = """
a above all and are as before below body brevity changed changes code content contents continue continues current
definitions elsewhere etc everything existing file follows for forth from function functions goes here implementation in
is keep kept leave left lines logic method methods more no nothing not of old omitted on original other others part
previous previously remain remainder remaining remains rest same section shown skipped snip so stay stays still text that
the these this to truncated unaltered unchanged unmodified untouched was were with
"""
_ABOUT_TEXT = frozenset(_TEXT_WORDS.split())
"""Words of a line that stands for other lines: it is about text, and not about what the text does."""


def is_about_text(line: str) -> bool:
    """Return whether the line has two words at least, or "etc", and all of them are about text.

    >>> is_about_text("# (rest unchanged)"), is_about_text("% keep the remaining lines"), is_about_text("# keep users")
    (True, True, False)
    """
    words = _WORDS.findall(comment_words(line).lower())
    if not _ABOUT_TEXT.issuperset(words):
        return False
    if words == ["etc"]:
        return True
    return len(words) > 1


def is_ellipsis_of_text(line: str) -> bool:
    """Return whether the line is a comment with dots at an end, and has only words about text; bare dots may be code.

    >>> list(map(is_ellipsis_of_text, ("// ... (unchanged) ...", "# ...", "# rest", "...")))
    [True, True, False, False]
    """
    if not has_dots(line):
        return False
    if key_of(line) == "...":
        return False
    return _ABOUT_TEXT.issuperset(_WORDS.findall(comment_words(line).lower()))


_WORDS = lazy_pattern(r"[^\W_]+|[^\w\s.,:;!()'-]")


def has_dots(line: str) -> bool:
    """Return whether the text of a line begins or ends with dots."""
    words = comment_words(line)
    return "..." in {words[:3], words[-3:]}
