"""One fix to be judged: what the file was, what the compiler said of it, what the fix makes of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from holdfast.repair.diagnostics.message_template import split_message
from holdfast.vocab.diagnostics import Area, Diagnostic, Target

CODES = (
    (r"cannot use .*: (.* does not implement .*)", "go", ""),
    (r"(?:Undefined|Ambiguous).*", "ruff", "F821"),
    (r".* imported but unused", "ruff", "F401"),
    (r"Local variable .* never used", "ruff", "F841"),
    (r"Redefinition of unused .*", "ruff", "F811"),
    (r"Name .* already defined.*", "mypy", "no-redef"),
    (r"(?:Too many|Missing positional) argument.*", "mypy", "call-arg"),
    (r"invalid syntax|expected ':'|expected an.*|unmatched '\)'|.* was never closed", "python", ""),
    (
        r"(?:Unexpected|Invalid|Illegal|missing \) after|Identifier|await is|Missing init).*",
        "node",
        "",
    ),
    (r"'.*' is declared but its value is never read.", "tsc", "TS6133"),
    (r"Duplicate function implementation.", "tsc", "TS2393"),
    (r"Cannot redeclare block-scoped variable .*", "tsc", "TS2451"),
    (r"Expected \d arguments, but got \d.", "tsc", "TS2554"),
    (r"Object literal may only specify known .*", "tsc", "TS2353"),
    (r"',' expected.|'const' declarations must .*", "tsc", "TS1005"),
    (r"the name .* is defined multiple times", "rustc", "E0428"),
    (r"this function takes \d argument.*", "rustc", "E0061"),
    (r"expected .*, found .*|mismatched closing delimiter", "rustc", ""),
    (r"cannot find (?:value|function|type) .*|no (?:field|method) .*", "rustc", "E0425"),
    (r"cannot find symbol: \w+ (\w+).*", "javac", "compiler.err.cant.resolve.location"),
    (r"(?:method|variable) (\w+).* is already defined.*", "javac", "compiler.err.already.defined"),
    (r"unreachable statement", "javac", "compiler.err.unreachable.stmt"),
    (r"class (\w+) is public.*", "javac", "compiler.err.class.public.should.be.in.file"),
    (
        r"(\w+) is not abstract and .* method (\w+).*",
        "javac",
        "compiler.err.does.not.override.abstract",
    ),
    (r"(?:method|constructor) (\w+) in class .*", "javac", "compiler.err.cant.apply.symbol"),
    (r"unreported exception (\w+)", "javac", "compiler.err.unreported.exception"),
    (r"';' expected|<identifier> expected", "javac", "compiler.err.expected"),
    (r"reached end of file while parsing", "javac", "compiler.err.premature.eof"),
    (r"undefined: (\w+)|(\w+) (?:re)?declared .*|.*call to (\w+)|(\w\.\w) undefined.*", "go", ""),
    (
        r"function (main) .*|(?:missing|no new|syntax error|assignment mismatch|cannot use T).*",
        "go",
        "",
    ),
    (r".* imported and not used", "go", ""),
    (
        r".*(?:undeclared|redefinition|too (?:many|few) arguments to|before '|implicit decl).*",
        "gcc",
        "",
    ),
)
"""The messages in the tables, as their tools report them."""


@dataclass(frozen=True, slots=True)
class Fix:
    """`said` is the compiler's complaint, and `at` the first text in the old file that it points to."""

    name: str
    before: str
    after: str
    said: str
    at: str

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        start = self.before.index(self.at)
        line = self.before.count("\n", 0, start) + 1
        column = start - (self.before.rfind("\n", 0, start) + 1) + 1
        area = Area(line, column, line, column)
        template, args = split_message(self.said)
        tool, code = "tool", "code"
        for message, known_tool, known_code in CODES:
            found = re.fullmatch(message, self.said)
            if found:
                tool, code = known_tool, known_code
                args = tuple(filter(None, found.groups())) or args
                break
        return (Diagnostic(tool, "1", code, "error", self.said, template, args, "", area),)


@dataclass(frozen=True, slots=True)
class Shop:
    """A program with one error, its honest fix, and the ways to cheat: replacements in the broken or the fixed text.

    A cheat is its name, and then text after text: one that is there, and the one that takes its place. `renames` put a
    word for a word everywhere. `honest` and `elsewhere` are honest and cheating fixes of other small programs.
    """

    target: Target
    path: str
    broken: str
    wrong: str
    right: str
    said: str
    cheats: tuple[tuple[str, ...], ...]
    cheats_beside: tuple[tuple[str, ...], ...]
    honest: tuple[Fix, ...]
    renames: tuple[tuple[str, str, str], ...] = ()
    elsewhere: tuple[Fix, ...] = ()

    @property
    def fixed(self) -> str:
        return _swap(self.broken, self.wrong, self.right)

    def attacks(self) -> list[Fix]:
        """`cheats` remove the error by cheating; `cheats_beside` fix it, and do harm elsewhere."""
        by_cheating = [
            self._fix(name, _swap_all(self.broken, texts)) for name, *texts in self.cheats
        ]
        beside = [
            self._fix(name, _swap_all(self.fixed, texts)) for name, *texts in self.cheats_beside
        ]
        renamed = [
            self._fix(name, re.sub(rf"\b{old}\b", new, self.fixed))
            for name, old, new in self.renames
        ]
        return [*by_cheating, *beside, *renamed, *self.elsewhere]

    def honest_fixes(self) -> list[Fix]:
        return [self._fix("the fix itself", self.fixed), *self.honest]

    def _fix(self, name: str, after: str) -> Fix:
        return Fix(name, self.broken, after, self.said, self.wrong)


def _swap_all(text: str, texts: list[str]) -> str:
    for old, new in zip(texts[::2], texts[1::2], strict=True):
        text = _swap(text, old, new)
    return text


def _swap(text: str, old: str, new: str) -> str:
    if not old:
        return new + text
    assert text.count(old) >= 1, old
    return text.replace(old, new, 1)
