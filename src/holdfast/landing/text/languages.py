"""What begins a comment and what names a block, by the kind of file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from holdfast.landing.text.line_keys import indent_width, key_of
from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPENS = re.compile(r".*(?:[{(\[:]|=>|->|\b(?:do|then|begin|in|of|where))")
_CONDITION = re.compile(
    r"(?:\} ?)?(?:if|elif|elsif|else if|while|when|unless|case|match|switch)\b.*[\"'`\d]"
)
_DEFINITION = re.compile(
    r"(?:[a-z]+(?:\([a-z]+\))? )*?(?:def|class|fn|func|fun|function|sub|struct|enum|trait|impl|interface|type|module|"
    r"namespace|package|protocol|extension|record|data|newtype|instance|macro_rules!) (?=[\w$*&<(])"
)


@dataclass(frozen=True, slots=True)
class Language:
    """How one kind of file writes comments, and which of its lines name a block."""

    comment: str = ""
    """A regular expression for what begins a comment line; "" if nothing does."""
    names: str = ""
    """A regular expression for lines that name a block although no deeper line follows them."""

    def is_comment(self, line: str) -> bool:
        """Return whether the whole line is a comment."""
        return bool(self.comment) and re.match(self.comment, key_of(line)) is not None

    def names_block(self, lines: Sequence[str], at: int) -> bool:
        """Return whether line `at` of `lines` (none of them blank) names a block.

        Such a line opens a bracket, is followed by a deeper line, defines a name, or is a condition with a literal.
        """
        key = key_of(lines[at])
        if self.is_comment(key) or not any(map(str.isalnum, key)):
            return False
        if self.names and re.match(self.names, key):
            return True
        if any(pattern.match(key) for pattern in (_DEFINITION, _CONDITION)) or _OPENS.fullmatch(
            key
        ):
            return True
        following = lines[at + 1] if at + 1 < len(lines) else lines[at]
        return indent_width(following) > indent_width(lines[at])


UNKNOWN = Language()

_HASH = r"#(?!!)"
_SLASHES = r"//|/\*|\*(?:/|$|\s(?!.*\{$))"
_TAG = r"<!--"
_DASHES = r"--(?!>)"
_NAMED_VALUE = r"[-\s]*[\"']?(?:name|id|key|title)[\"']?\s*[:=]"

_FAMILIES: tuple[tuple[str, Language], ...] = (
    ("py pyi pyx", Language(rf"{_HASH}|[rbu]?(?:\"\"\"|''')")),
    ("rb pl pm sh bash zsh fish ksh r jl ex exs nim cmake tf awk ps1 bzl", Language(_HASH)),
    ("yml yaml", Language(_HASH, rf"{_NAMED_VALUE}|- *[\w.-]+:")),
    ("toml cfg conf properties env ini editorconfig", Language(r"[#;]", rf"\[|{_NAMED_VALUE}")),
    ("makefile mk gnumakefile", Language(_HASH, r"[\w./%$()-]+ *:(?!=)")),
    ("dockerfile containerfile gitignore", Language(_HASH, r"FROM\b")),
    ("c h cc hh cpp hpp cxx hxx m mm", Language(_SLASHES, r"# ?define\b")),
    (
        "java js jsx mjs cjs ts tsx mts go rs kt kts swift scala dart cs groovy gradle proto zig",
        Language(_SLASHES),
    ),
    ("jsonc json5 json", Language(_SLASHES, _NAMED_VALUE)),
    ("php", Language(rf"{_SLASHES}|#(?!\[)")),
    ("css", Language(r"/\*|\*(?:/|$|\s(?!.*\{$))", r"[^;]*[,{]$")),
    ("scss sass less", Language(_SLASHES, r"[^;]*[,{]$")),
    (
        "sql",
        Language(
            rf"{_DASHES}|/\*", r"(?i:create|alter|drop|comment on|grant|insert|update|delete)\b"
        ),
    ),
    ("hs elm lua ada vhd vhdl", Language(rf"{_DASHES}|\{{-", r"\w+ ::|[a-z_][\w' ]*=(?!=)")),
    (
        "html htm xhtml xml svg vue svelte",
        Language(rf"{_TAG}", r".*<\w[^<>]*\b(?:id|name|class|key)\s*="),
    ),
    ("md markdown mdx", Language(_TAG, r"#{1,6} |[-*+] |\d+[.)] ")),
    ("rst txt adoc", Language(r"\.\. (?!.*::)", r"\.\. .*::|=+ |[-*+] |\d+[.)] ")),
    ("lisp el clj cljs scm rkt asm s", Language(r";")),
    ("tex sty cls erl hrl", Language(r"%", r"\\(?:section|subsection|chapter|begin|label)\b")),
    ("vim", Language(r"\"")),
    ("bat cmd", Language(r"(?i:rem\b|::)", r":\w")),
)
_BY_NAME = {name: language for names, language in _FAMILIES for name in names.split()}


def language_of(path: str | None) -> Language:
    """Return the language of a path: by its ending, or by its whole name; `UNKNOWN` for any other.

    >>> language_of("src/a.css").is_comment("#sidebar {"), language_of("a.py").is_comment("# note")
    (False, True)
    >>> language_of(None).is_comment("# note")
    False
    """
    name = (path or "").replace("\\", "/").rsplit("/", 1)[-1].lower()
    return _BY_NAME.get(name.rsplit(".", 1)[-1], UNKNOWN)
