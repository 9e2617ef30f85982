"""Parse a shell command into its simple commands, and list what could not be parsed with certainty.

The parser expands nothing. It finds each simple command that a shell would run, also inside
substitutions, subshells and compound commands, and records everything that it does not know in
`doubts`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from holdfast.guards.shell.shell_ast import (
    Expansion,
    Redirect,
    ShellScript,
    ShellWord,
    SimpleCommand,
)

TOO_DEEP: Final = "it is nested too deeply"
_DEEPEST = 12
_KEYWORDS: Final = re.compile(
    r"if|then|elif|else|fi|for|while|until|do|done|case|esac|in|select|function|[{}!]|time|coproc|\[\[|\]\]"
)
_HARMLESS_VARIABLES: Final = frozenset(
    {"?", "#", "$", "!", "PWD", "OLDPWD", "HOME", "USER", "RANDOM", "LINENO"}
)
_OPERATORS: Final = ("&&", "||", ";;", "|&", ";", "|", "&", "\n")


def parse(command: str) -> ShellScript:
    """Parse any text as a command; never raise.

    >>> [[word.text for word in simple.words] for simple in parse("cd a && ls 'b c' | wc -l; echo $(pwd)").commands]
    [['cd', 'a'], ['ls', 'b c'], ['wc', '-l'], ['echo', '$(…)'], ['pwd']]
    >>> parse("echo 'a").doubts
    ('a quote is not closed',)
    """
    reader = _Reader(command)
    reader.read_list(end="", depth=0, inside=None)
    if "\r" in command:
        reader.doubt("it contains a carriage return")
    found = [(place, simple) for place, simple in enumerate(reader.commands) if simple is not None]
    index = {place: number for number, (place, _) in enumerate(found)}
    commands = tuple(
        replace(s, inside=None if s.inside is None else index.get(s.inside)) for _, s in found
    )
    return ShellScript(
        commands, tuple(dict.fromkeys(reader.doubts)), reader.operators, tuple(reader.bodies)
    )


@dataclass
class _Draft:
    """A simple command that is being read."""

    words: list[ShellWord] = field(default_factory=list)
    assignments: list[str] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)
    place: int = -1

    def is_empty(self) -> bool:
        return not (self.words or self.assignments or self.redirects)


class _Reader:
    """Parses a command once, from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.commands: list[SimpleCommand | None] = []
        self.doubts: list[str] = []
        self.operators = False
        self.bodies: list[str] = []
        self._pipelines = 0
        self._documents: list[tuple[str, bool]] = []
        self._lines = "\n" in text.strip("\n")

    def doubt(self, why: str) -> None:
        self.doubts.append(why)

    # ---------------------------------------------------------------------------- lists of commands

    def read_list(self, end: str, depth: int, inside: int | None) -> None:
        """Parse commands up to the closing `end` and consume it."""
        if depth > _DEEPEST:
            self.doubt(TOO_DEEP)
            self.at = len(self.text)
            return
        pipeline = self._next_pipeline()
        draft = self._begin()
        while self.at < len(self.text):
            char = self.text[self.at]
            if end and char == end:
                self.at += 1
                self._finish(draft, pipeline, inside)
                return
            if char in " \t":
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif char == "#":
                self._skip_comment()
            elif operator := self._operator():
                self._finish(draft, pipeline, inside)
                draft = self._begin()
                pipeline = pipeline if operator in {"|", "|&"} else self._next_pipeline()
                if operator == "\n":
                    self._skip_documents(depth, inside)
            elif char == "(":
                self._subshell(draft, depth, inside)
            elif char == ")":
                self.doubt("a parenthesis is closed that was not opened")
                self.at += 1
            elif not self._redirect(draft, depth):
                self._take_word(draft, depth)
        if end:
            self.doubt("a parenthesis or a back quote is not closed")
        self._finish(draft, pipeline, inside)

    def _begin(self) -> _Draft:
        self.commands.append(None)
        return _Draft(place=len(self.commands) - 1)

    def _finish(self, draft: _Draft, pipeline: int, inside: int | None) -> None:
        if not draft.is_empty():
            self.commands[draft.place] = SimpleCommand(
                tuple(draft.words),
                tuple(draft.assignments),
                tuple(draft.redirects),
                pipeline,
                inside,
            )

    def _next_pipeline(self) -> int:
        self._pipelines += 1
        return self._pipelines

    def _operator(self) -> str:
        if self.text.startswith("&>", self.at):
            # bash redirects here. Other shells begin a new command; parse it so, which finds more
            # commands.
            self.doubt("it contains &>, which shells interpret differently")
        for operator in _OPERATORS:
            if self.text.startswith(operator, self.at):
                self.at += len(operator)
                # A newline at the start or the end begins no second command.
                self.operators = self.operators or operator != "\n" or self._lines
                return operator
        return ""

    def _subshell(self, draft: _Draft, depth: int, inside: int | None) -> None:
        self.operators = True
        if draft.words:
            self.doubt("it defines a function, or has a parenthesis where none is expected")
        self.at += 1
        self.read_list(")", depth + 1, inside)

    def _skip_comment(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    # --------------------------------------------------------------------------------- redirections

    def _redirect(self, draft: _Draft, depth: int) -> bool:
        """Parse one redirection; return False if there is none here."""
        at = self.at
        while at < len(self.text) and self.text[at] in "0123456789":
            at += 1
        for operator in ("<<<", "<<-", "<<", "<>", "<&", "<(", "<", ">>", ">|", ">&", ">(", ">"):
            if self.text.startswith(operator, at):
                break
        else:
            return False
        if operator in {"<(", ">("}:
            return False
        self.operators = True
        self.at = at + len(operator)
        while self.at < len(self.text) and self.text[self.at] in " \t":
            self.at += 1
        target = self._word(draft.place, depth)
        if not target.text and target.bare:
            self.doubt("a redirection has no target")
        if operator in {"<<", "<<-"}:
            self._documents.append((target.text, target.bare))
            self.doubt("it contains a here-document")
        else:
            draft.redirects.append(Redirect(operator, target))
        return True

    def _skip_documents(self, depth: int, inside: int | None) -> None:
        """Skip the bodies of here-documents, but parse the substitutions in them, which are run."""
        for mark, expands in self._documents:
            start = self.at
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line, self.at = self.text[self.at : end], min(end + 1, len(self.text))
                if line.strip("\t") == mark:
                    break
            body = self.text[start : self.at]
            self.bodies.append(body)
            if expands and ("$(" in body or "`" in body):
                self._read_apart(body, depth, inside)
        self._documents = []

    def _read_apart(self, text: str, depth: int, inside: int | None) -> None:
        """Parse text in which only substitutions count."""
        inner = _Reader(text)
        inner.commands, inner._pipelines = self.commands, self._pipelines + 1_000 * (depth + 1)
        while inner.at < len(text):
            if text[inner.at] == "\\":
                inner.at += 2
            elif text[inner.at] in "$`":
                inner.expand(inside, depth + 1)
            else:
                inner.at += 1
        self.doubts += inner.doubts

    # ---------------------------------------------------------------------------------------- words

    def _take_word(self, draft: _Draft, depth: int) -> None:
        start = self.at
        word = self._word(draft.place, depth)
        if self.at == start:
            self.doubt(f"{self.text[start]} is not expected there")
            self.at += 1
            return
        if not draft.words and word.bare and _KEYWORDS.fullmatch(word.text):
            self.operators = True
            self.doubt(f"it uses shell syntax (`{word.text}`)")
            return
        if not draft.words and _is_assignment(self.text[start : self.at]):
            draft.assignments.append(word.text)
            return
        draft.words.append(word)

    def _word(self, inside: int, depth: int) -> ShellWord:
        """Parse one word up to a blank or an operator."""
        out: list[str] = []
        expansion: Expansion = "none"
        glob, bare, braces, brackets = False, True, False, False
        while self.at < len(self.text):
            char = self.text[self.at]
            if char in " \t\n;|&()<>":
                if char in "<>" and self.text.startswith("(", self.at + 1):
                    self._process(inside, depth)
                    out.append("<(…)")
                    expansion = "variable"
                    continue
                break
            if char == "\\":
                out.append(self._escaped())
                bare = False
            elif char == "'":
                out.append(self._quoted())
                bare = False
            elif char == '"':
                text, found = self._double_quoted(inside, depth)
                out.append(text)
                expansion, bare = _later(expansion, found), False
            elif char in "$`":
                text, found = self.expand(inside, depth)
                out.append(text)
                expansion = _later(expansion, found)
            else:
                glob = glob or char in "*?" or (brackets and char == "]")
                brackets = brackets or char == "["
                braces = braces or char == "{"
                out.append(char)
                self.at += 1
        text = "".join(out)
        if braces and ("," in text or ".." in text):
            expansion = "variable"
        return ShellWord(text, expansion, glob, bare)

    def _escaped(self) -> str:
        escaped = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if not escaped:
            self.doubt("it ends in a backslash")
        return "" if escaped == "\n" else escaped

    def _quoted(self) -> str:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            self.doubt("a quote is not closed")
            end = len(self.text)
        text, self.at = self.text[self.at + 1 : end], min(end + 1, len(self.text))
        return text

    def _double_quoted(self, inside: int, depth: int) -> tuple[str, Expansion]:
        out: list[str] = []
        expansion: Expansion = "none"
        self.at += 1
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == '"':
                self.at += 1
                return "".join(out), expansion
            if char == "\\":
                follower = self.text[self.at + 1 : self.at + 2]
                out.append(
                    follower if follower in '$`"\\' else "" if follower == "\n" else "\\" + follower
                )
                self.at += 2
            elif char in "$`":
                text, found = self.expand(inside, depth)
                out.append(text)
                expansion = _later(expansion, found)
            else:
                out.append(char)
                self.at += 1
        self.doubt("a quote is not closed")
        return "".join(out), expansion

    # ----------------------------------------------------------------------------------- expansions

    def expand(self, inside: int | None, depth: int) -> tuple[str, Expansion]:
        """Parse an expansion that begins with `$` or a back quote, and the commands in it."""
        if self.text[self.at] == "`":
            self._back_quoted(inside, depth)
            return "$(…)", "command"
        rest = self.text[self.at + 1 : self.at + 3]
        if rest == "((":
            self.doubt("it uses shell arithmetic")
        if rest[:1] == "(":
            self.at += 2
            self.operators = True
            self.read_list(")", depth + 1, inside)
            return "$(…)", "command"
        if rest[:1] == "{":
            return self._braced(inside, depth), "variable"
        if rest[:1] in {"'", '"'}:
            self.doubt("it uses a special quote of the shell")
            self.at += 1
            return "", "variable"
        return self._variable()

    def _variable(self) -> tuple[str, Expansion]:
        end = self.at + 1
        while end < len(self.text) and (self.text[end].isalnum() or self.text[end] == "_"):
            end += 1
        if end == self.at + 1 and self.text[end : end + 1] and self.text[end] in "?#$!@*-":
            end += 1
        name = self.text[self.at + 1 : end]
        self.at = end
        if not name:
            return "$", "none"
        return f"${name}", "harmless" if name in _HARMLESS_VARIABLES else "variable"

    def _braced(self, inside: int | None, depth: int) -> str:
        start, level = self.at, 0
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "{":
                level += 1
            elif char == "}":
                level -= 1
                if level == 0:
                    self.at += 1
                    return self.text[start : self.at]
            elif self.text.startswith("$(", self.at) or char == "`":
                self.expand(inside, depth)
                continue
            self.at += 1
        self.doubt("a brace is not closed")
        return self.text[start:]

    def _back_quoted(self, inside: int | None, depth: int) -> None:
        end = self.at + 1
        while end < len(self.text) and self.text[end] != "`":
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            self.doubt("a parenthesis or a back quote is not closed")
        self.operators = True
        body = re.sub(r"\\([`\\$])", r"\1", self.text[self.at + 1 : end])
        inner = _Reader(body)
        inner.commands, inner._pipelines = self.commands, self._pipelines + 1_000 * (depth + 1)
        inner.read_list("", depth + 1, inside)
        self.doubts += inner.doubts
        self.at = min(end + 1, len(self.text))

    def _process(self, inside: int, depth: int) -> None:
        self.doubt("it reads from or writes to a process as a file")
        self.operators = True
        self.at += 2
        self.read_list(")", depth + 1, inside)


def _is_assignment(raw: str) -> bool:
    name, equals, _ = raw.partition("=")
    name = name.removesuffix("+")
    return bool(equals) and name.isidentifier() and name.isascii()


def _later(one: Expansion, other: Expansion) -> Expansion:
    order: tuple[Expansion, ...] = ("none", "harmless", "command", "variable")
    return order[max(order.index(one), order.index(other))]
